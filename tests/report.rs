//! Reports: what reaches a terminal, a file, a program, and a reader that goes away.

use std::fs;

use argvow::model::{Check, Event, Start, Summary, Verdict, VerdictEvent};
use argvow::report::{Format as _, Human, Verbosity, escape, shorten};
use predicates::prelude::*;
use predicates::str::contains;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::Value;

use crate::project::{HEAD, Project, REVIEWER, events};

/// A launch whose words try everything on whoever prints them.
fn hostile() -> Project {
    let long = "x".repeat(1 << 20);
    Project::with(&format!(
        "{HEAD}[launch.a]\nagent = \"claude-code\"\nargv = [\"claude\", \"\\u001b[2J\\u001b]0;owned\\u0007\", \"a\\nexit 0: every check\", \
         \"\\u202Eetirw\", \"z\\u200Bw\", \"\\u009b31m\", \"--dangerously-skip-permissions\", \"{long}\"]\n"
    ))
}

fn is_tame(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || argvow::model::text::is_plain(c))
}

#[rstest]
#[case::check(&["check"], 1)]
#[case::check_in_full(&["check", "-v"], 1)]
#[case::check_as_json(&["check", "--format", "jsonl"], 1)]
#[case::list(&["list", "launches"], 0)]
#[case::list_as_json(&["list", "launches", "--format", "jsonl"], 0)]
#[case::explain(&["explain", "a"], 0)]
#[case::accept(&["accept"], 0)]
fn no_word_of_a_launch_acts_on_a_terminal(#[case] args: &[&str], #[case] code: i32) {
    let project = hostile();
    let out = project.stdout(args, code);
    assert!(is_tame(&out));
    // A line feed within a word begins no line of ours.
    assert!(!out.lines().any(|line| line == "exit 0: every check"));
}

#[test]
fn hostile_words_are_told_apart_in_full_by_the_snapshot_and_shortened_in_the_report() {
    let project = hostile();
    assert!(project.stdout(&["check"], 1).len() < 20_000);
    project.run(&["accept"]).code(0);
    let snapshot = project.read("snapshots/a.snap");
    assert!(is_tame(&snapshot) && snapshot.len() > 1 << 20);
    assert!(snapshot.contains("\"\\u202eetirw\""));
    project.run(&["check"]).code(1).stdout(contains("snapshot held"));
}

#[test]
fn colour_is_for_terminals_and_for_who_asks() {
    let project = Project::with(REVIEWER);
    let coloured = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = project.command();
        command.args(["check"]).args(args).envs(env.iter().copied());
        let output = command.assert().code(1).get_output().stdout.clone();
        String::from_utf8(output).unwrap().contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1")]), "an option wins over the environment");
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn faults_in_a_policy_file_are_in_colour_only_when_asked_for() {
    let project = Project::with("argvow = 2\n");
    project.run(&["check"]).code(2).stderr(contains("\u{1b}").not());
    project.run(&["check", "--color", "always"]).code(2).stderr(contains("\u{1b}["));
}

#[test]
fn every_json_line_has_the_fields_of_its_kind_and_the_last_is_the_summary() {
    let project =
        Project::with(&format!("{REVIEWER}[baseline]\nx = \"y\"\n[subject.s]\nadapter = [\"x\"]\n"))
            .file("snapshots/old.snap", "");
    let events = project.events(&["check"], 1);
    assert_eq!(events[0]["event"], "start");
    assert_eq!(events[0]["edition"], "2026-12");
    let verdicts = events.iter().filter(|event| event["event"] == "verdict").count();
    assert_eq!(events[0]["selected"], verdicts);
    for event in &events {
        assert_eq!(event["v"], 1);
        let mut fields: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let expected: &[&str] = match event["event"].as_str().unwrap() {
            "start" => &["argvow", "edition", "event", "selected", "v"],
            "verdict" => &[
                "agent",
                "check",
                "code",
                "detail",
                "elapsed_ms",
                "event",
                "evidence",
                "id",
                "subject",
                "v",
                "verdict",
            ],
            "finding" => {
                &["agent", "arg", "code", "event", "fix", "launch", "message", "severity", "text", "v"]
            }
            "summary" => {
                &["broken", "event", "exit", "held", "inconclusive", "not_applicable", "not_enforced", "v"]
            }
            other => panic!("an unknown event: {other}"),
        };
        assert_eq!(fields, expected);
    }
    assert_eq!(events.iter().filter(|event| event["event"] == "summary").count(), 1);
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["exit"]), (&Value::from("summary"), &Value::from(1)));
    let counted: u64 = ["held", "broken", "not_enforced", "inconclusive", "not_applicable"]
        .iter()
        .map(|field| last[field].as_u64().unwrap())
        .sum();
    assert_eq!(counted, verdicts as u64);
}

#[test]
fn a_report_file_holds_what_its_format_says_and_no_colour() {
    let project = Project::with(REVIEWER);
    project
        .run(&["check", "--color", "always", "--report", "jsonl=out.jsonl", "--report", "human=out.txt"])
        .code(1);
    let lines = events(&project.read("out.jsonl"));
    assert_eq!(lines.last().unwrap()["event"], "summary");
    let text = project.read("out.txt");
    assert!(text.contains("exit 1: ") && is_tame(&text));
    project.write("out.txt", "old");
    fs::create_dir(project.path("dir")).unwrap();
    project.run(&["check", "--report", "human=dir"]).code(2).stderr(contains("cannot write dir"));
    assert_eq!(project.read("out.txt"), "old");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let project = hostile();
    let mut child = project.spawn(&["check", "--format", "jsonl"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "the verdict still counts");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn an_output_that_cannot_be_written_is_no_pass() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_argvow"))
        .args(["check"])
        .env_clear()
        .current_dir(project.path(""))
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write to standard output"));
}

#[test]
fn quiet_says_only_what_is_wrong() {
    let project = Project::with(REVIEWER);
    project.run(&["accept", "-q"]).code(0);
    let out = project.stdout(&["check", "-q"], 0);
    assert_eq!(out, "2 held, 0 broken\n".to_owned() + &out[out.find('\n').unwrap() + 1..]);
    assert!(!out.contains("reviewer"), "{out}");
    project.write("argvow.toml", REVIEWER.replace(",Grep", ""));
    project.run(&["check", "-q"]).code(1).stdout(contains("reviewer").and(contains("-    Grep")));
}

fn case(id: &str, verdict: Verdict, detail: &str) -> Event {
    Event::Verdict(VerdictEvent {
        check: Check::Case,
        id: id.to_owned(),
        subject: "builtin".to_owned(),
        agent: None,
        verdict,
        code: None,
        detail: detail.to_owned(),
        elapsed_ms: 312,
        evidence: serde_json::json!({ "survivors": 1 }),
    })
}

fn human(verbosity: Verbosity) -> String {
    let events = [
        Event::Start(Start { argvow: "0.1.0".to_owned(), edition: "2026-12".to_owned(), selected: 4 }),
        case("timeout/b", Verdict::Broken, "one process is alive\n\u{1b}[31mstill"),
        case("timeout/a", Verdict::Held, ""),
        case("prompt/a", Verdict::Inconclusive, "the step was not reached"),
        case("cancel/a", Verdict::Held, ""),
        Event::Summary(Summary { held: 2, broken: 1, inconclusive: 1, exit: 1, ..Summary::default() }),
    ];
    let mut text = anstream::StripStream::new(Vec::new());
    let mut format = Human::new(verbosity);
    for event in &events {
        format.event(event, &mut text).unwrap();
    }
    String::from_utf8(text.into_inner()).unwrap()
}

#[test]
fn cases_are_counted_by_area_and_those_that_did_not_hold_are_told_in_full() {
    insta::assert_snapshot!(human(Verbosity::Normal), @r#"
    argvow 0.1.0, edition 2026-12, 4 checks

    cases against builtin (4)
      cancel   1 held
      prompt   1 inconclusive
        inconclusive  prompt/a
          the step was not reached
          evidence: {"survivors":1}
          more: argvow explain prompt/a
      timeout  1 held, 1 broken
        BROKEN  timeout/b
          one process is alive
          \u{1b}[31mstill
          evidence: {"survivors":1}
          more: argvow explain timeout/b

    2 held, 1 broken, 1 inconclusive
    exit 1: something is broken, differs from what was reviewed, or a baseline entry is stale
    "#);
}

#[test]
fn every_case_is_told_when_asked_for() {
    let text = human(Verbosity::Verbose);
    assert!(text.contains("    held  timeout/a (312 ms)\n"), "{text}");
}

#[test]
fn nothing_that_held_is_told_when_quiet() {
    let text = human(Verbosity::Quiet);
    assert!(!text.contains("cancel") && text.contains("BROKEN  timeout/b"), "{text}");
}

proptest! {
    #[test]
    fn nothing_that_is_escaped_acts_on_a_terminal(text in any::<String>(), most in 4usize..60) {
        prop_assert!(escape(&text).chars().all(argvow::model::text::is_plain));
        let short = shorten(&text, most);
        prop_assert!(short.chars().all(argvow::model::text::is_plain));
        prop_assert!(short.chars().count() <= most * 10 + 40);
    }

    #[test]
    fn json_that_is_escaped_means_the_same(text in any::<String>()) {
        let quoted = argvow::model::text::quote(&text);
        prop_assert!(quoted.chars().all(argvow::model::text::is_plain));
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
    }
}
