//! The command line: exit codes, bad policy files, what is listed and explained.

#![expect(clippy::unwrap_used, reason = "what does not work fails its test")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use argvow::cli::PolicyFile;
use argvow::policy::Dialects;
use predicates::prelude::*;
use predicates::str::contains;
use proptest::prelude::*;
use rstest::rstest;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use crate::project::{HEAD, Project, REVIEWER, findings, verdicts};

#[test]
fn exit_0_when_everything_that_ran_held() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    let events = project.events(&["check"], 0);
    assert_eq!(verdicts(&events, "snapshot")[0]["verdict"], "held");
    assert_eq!(verdicts(&events, "flag")[0]["verdict"], "held");
    assert_eq!(events.last().unwrap()["exit"], 0);
}

#[test]
fn exit_1_when_a_launch_was_never_reviewed() {
    let events = Project::with(REVIEWER).events(&["check"], 1);
    let snapshot = verdicts(&events, "snapshot")[0];
    assert_eq!((&snapshot["verdict"], &snapshot["code"]), (&"broken".into(), &"snapshot-missing".into()));
    assert_eq!(events.last().unwrap()["exit"], 1);
}

#[test]
fn exit_2_when_the_command_line_is_wrong() {
    let project = Project::new();
    for args in [
        &["no-such-verb"][..],
        &["check", "--no-such-flag"],
        &["check", "--shard", "3/2"],
        &["check", "--slack", "-1"],
        &["check", "--report", "jsonl"],
        &["check", "--report", "xml=out"],
        &["check", "--report", "jsonl=no/such/dir/out"],
        &["check", "--config", "missing.toml"],
        &["check", "no-such-launch"],
        &["suite", "no-such-subject"],
        &[],
    ] {
        project.run(args).code(2).stdout("");
    }
}

#[test]
fn exit_3_when_nothing_was_selected() {
    let project = Project::new();
    project
        .run(&["check", "--filter", "no/such-case"])
        .code(3)
        .stdout(contains("exit 3: nothing was selected"));
    Project::with(HEAD).run(&["check"]).code(3);
    Project::with(HEAD).run(&["accept"]).code(3);
}

#[rstest]
#[case::a_launch_to_be_recorded("[launch.a]\nagent = \"pi\"\nrecord = [\"my-tool\"]\n", "not-recorded", 2)]
#[case::a_subject_by_command("[subject.a]\ncommand = [\"my-tool\"]\n", "subject-unsupported", 1)]
#[case::a_subject_by_adapter("[subject.a]\nadapter = [\"my-tool\"]\n", "subject-unsupported", 1)]
fn exit_4_when_something_could_not_be_observed(
    #[case] policy: &str,
    #[case] code: &str,
    #[case] verdicts: usize,
) {
    let events = Project::with(&format!("{HEAD}{policy}")).events(&["check"], 4);
    let unknown: Vec<_> = events.iter().filter(|event| event["event"] == "verdict").collect();
    assert_eq!(unknown.len(), verdicts);
    for verdict in unknown {
        assert_eq!((&verdict["verdict"], &verdict["code"]), (&"inconclusive".into(), &code.into()));
    }
}

#[test]
fn broken_wins_over_inconclusive() {
    let policy = format!("{REVIEWER}[launch.b]\nagent = \"pi\"\nrecord = [\"my-tool\"]\n");
    Project::with(&policy).run(&["check"]).code(1);
}

/// The process blocks in opening the policy file, so that the test decides what it is doing when the signal comes.
fn interrupted(signals: usize) -> (i32, String) {
    let project = Project::new();
    let pipe = project.path("policy");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let mut child = project.spawn(&["check", "--config", "policy"]);
    let mut policy = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    if signals == 1 {
        policy.write_all(REVIEWER.as_bytes()).unwrap();
        drop(policy);
    } else {
        // Two signals that are pending at once are one, so it is sent until it is seen.
        let started = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "the second signal does not end the process"
            );
            kill_process(pid, Signal::INT).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), None);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    (status.code().unwrap(), out)
}

#[test]
fn exit_130_when_interrupted_and_the_summary_is_still_said() {
    let (code, out) = interrupted(1);
    assert_eq!(code, 130);
    assert!(out.contains("exit 130: interrupted"), "{out}");
}

#[test]
fn an_interrupt_in_the_middle_of_the_suite_ends_it_with_a_summary_of_what_ran() {
    let project = Project::new();
    let mut child = project.spawn(&["suite", "--jobs", "1", "--format", "jsonl"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let start: serde_json::Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert!(lines.next().unwrap().contains("\"verdict\""));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!((rest.len() as u64) < start["selected"].as_u64().unwrap(), "every case ran");
    let summary: serde_json::Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&summary["event"], &summary["exit"]), (&"summary".into(), &130.into()));
}

#[test]
fn the_second_interrupt_ends_the_process_at_once() {
    assert_eq!(interrupted(2), (130, String::new()));
}

#[rstest]
#[case::unknown_key("colour = 1\n", "3:1", "^^^^^^", "unknown field `colour`")]
#[case::unknown_launch_key(
    "[launch.a]\nagent = \"pi\"\nargs = [\"pi\"]\n",
    "5:1",
    "^^^^",
    "unknown field `args`"
)]
#[case::wrong_type("[launch.a]\nagent = \"pi\"\nargv = \"pi -p\"\n", "5:8", "^^^^^^^", "expected a sequence")]
#[case::wrong_type_in_a_list(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\", 17]\n",
    "5:15",
    "^^",
    "expected a string"
)]
#[case::duplicate_key("[launch.a]\nagent = \"pi\"\nagent = \"pi\"\n", "5:1", "^^^^^", "duplicate key")]
#[case::duplicate_launch(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\n[launch.a]\n",
    "6:9",
    "^",
    "duplicate key"
)]
#[case::unknown_agent("[launch.a]\nagent = \"pie\"\nargv = [\"pi\"]\n", "4:9", "^^^^^", "no agent `pie`")]
#[case::empty_argv("[launch.a]\nagent = \"pi\"\nargv = []\n", "5:8", "^^", "`argv` is empty")]
#[case::nameless_program("[launch.a]\nagent = \"pi\"\nargv = [\"\"]\n", "5:9", "^^", "no name")]
#[case::nul_byte(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\", \"a\\u0000\"]\n",
    "5:15",
    "^^^^^^^^^",
    "NUL byte"
)]
#[case::neither("[launch.a]\nagent = \"pi\"\n", "3:9", "^", "neither `argv` nor `record`")]
#[case::both(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\nrecord = [\"x\"]\n",
    "6:10",
    "^^^^^",
    "both `argv` and `record`"
)]
#[case::no_agent("[launch.a]\nargv = [\"pi\"]\n", "3:1", "^^^^^^^^^^", "missing field `agent`")]
#[case::name_is_a_path(
    "[launch.\"../a\"]\nagent = \"pi\"\nargv = [\"pi\"]\n",
    "3:9",
    "^^^^^^",
    "cannot be the name"
)]
#[case::name_is_hidden(
    "[launch.\".a\"]\nagent = \"pi\"\nargv = [\"pi\"]\n",
    "3:9",
    "^^^^",
    "cannot be the name"
)]
#[case::name_of_a_builtin(
    "[launch.v1-pi]\nagent = \"pi\"\nargv = [\"pi\"]\n",
    "3:9",
    "^^^^^",
    "built-in launch"
)]
#[case::prompt("[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\nprompt = \"env\"\n", "6:10", "^^^^^", "`env`")]
#[case::completion(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\ncompletion = \"x\"\n",
    "6:14",
    "^^^",
    "no completion channel"
)]
#[case::boundary("[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\nboundary = \"x\"\n", "6:12", "^^^", "`x`")]
#[case::variable(
    "[launch.a]\nagent = \"pi\"\nargv = [\"pi\"]\nenv = { \"A=B\" = \"1\" }\n",
    "6:9",
    "^^^^^",
    "name of a variable"
)]
#[case::builtin_set("builtin = [\"v2\"]\n", "3:12", "^^^^", "no built-in set `v2`")]
#[case::no_runner("[subject.a]\nprompt = \"stdin\"\n", "3:10", "^", "exactly one of")]
#[case::two_runners("[subject.a]\nbuiltin = true\ncommand = [\"x\"]\n", "3:10", "^", "exactly one of")]
#[case::builtin_false("[subject.a]\nbuiltin = false\n", "4:11", "^^^^^", "can only be true")]
#[case::cancel("[subject.a]\ncommand = [\"x\"]\ncancel = \"SIGFOO\"\n", "5:10", "^^^^^^^^", "no signal")]
#[case::outcome("[subject.a]\ncommand = [\"x\"]\noutcome = { okay = [0] }\n", "5:13", "^^^^", "`okay`")]
#[case::status("[subject.a]\ncommand = [\"x\"]\noutcome = { ok = [256] }\n", "5:19", "^^^", "exit status")]
#[case::timeout_step("[subject.a]\ncommand = [\"x\"]\ntimeout_step = \"1\"\n", "5:16", "^^^", "no unit")]
#[case::baseline_without_reason("[baseline]\na = \" \"\n", "4:5", "^^^", "needs a reason")]
#[case::no_toml("[launch.a\n", "3:10", "^", "unclosed table")]
fn a_faulty_policy_file_is_shown_at_its_place(
    #[case] policy: &str,
    #[case] place: &str,
    #[case] mark: &str,
    #[case] message: &str,
) {
    let project = Project::with(&format!("{HEAD}{policy}"));
    project
        .run(&["check"])
        .code(2)
        .stdout("")
        .stderr(contains(format!("argvow.toml:{place}\n")).and(contains(message)))
        .stderr(contains(format!(" {mark}\n")).and(contains("\u{1b}").not()));
}

#[rstest]
#[case::version("argvow = 2\nnew = 1\n", "1:10", "version 1 of the policy file, not 2")]
#[case::edition("argvow = 1\nedition = \"2020-01\"\n", "2:11", "no edition `2020-01`")]
#[case::no_edition("argvow = 1\n", "1:1", "missing field `edition`")]
#[case::nothing("", "1:1", "missing field `argvow`")]
fn a_policy_file_says_what_it_was_written_for(
    #[case] policy: &str,
    #[case] place: &str,
    #[case] message: &str,
) {
    let place = format!("argvow.toml:{place}\n");
    Project::with(policy).run(&["check"]).code(2).stderr(contains(place).and(contains(message)));
}

#[test]
fn a_policy_file_that_is_not_utf8_is_refused_by_byte() {
    let project = Project::new().file("argvow.toml", b"argvow = 1\n# \xff\n");
    project.run(&["check"]).code(2).stderr(contains("byte 13 is not UTF-8").and(contains("argvow.toml:2:3")));
}

#[test]
fn a_fault_in_a_very_long_line_is_shown_with_its_true_column() {
    let project = Project::with(&format!("{HEAD}cases = [{}3]\n", "\"a\", ".repeat(50_000)));
    let assert = project.run(&["check"]).code(2).stderr(contains("argvow.toml:3:250010\n"));
    assert!(assert.get_output().stderr.len() < 2_000);
}

#[test]
fn the_policy_file_is_found_upwards_to_the_root_of_the_repository_and_no_further() {
    let outer = Project::with("not a policy file");
    outer.write("inner/.git", "");
    outer.write("inner/a/b/.keep", "");
    outer.command().current_dir(outer.path("inner/a/b")).args(["list", "launches"]).assert().code(0);
    outer.write("inner/argvow.toml", REVIEWER);
    outer
        .command()
        .current_dir(outer.path("inner/a/b"))
        .args(["list", "launches"])
        .assert()
        .code(0)
        .stdout(contains("reviewer").and(contains("v1-codex").not()));
    outer.command().current_dir(outer.path("inner/a/b")).arg("accept").assert().code(0);
    assert!(outer.path("inner/snapshots/reviewer.snap").is_file());
}

#[test]
fn without_a_policy_file_the_builtin_launches_are_held_to_the_snapshots_in_the_binary() {
    let project = Project::new();
    let events = project.events(&["check", "--filter", "v1-*"], 0);
    assert_eq!(verdicts(&events, "snapshot").len(), 5);
    assert_eq!(verdicts(&events, "flag").len(), 5);
    assert_eq!(events[0]["selected"], 10);
    project.run(&["accept"]).code(2).stderr(contains("no policy file").and(contains("write an argvow.toml")));
}

#[test]
fn builtin_launches_of_a_policy_file_have_their_snapshots_beside_it() {
    let project = Project::with(&format!("{HEAD}builtin = [\"v1\"]\n"));
    project.run(&["check"]).code(1);
    project.run(&["accept"]).code(0);
    project.run(&["check"]).code(0);
    assert!(project.path("snapshots/v1-pi.snap").is_file());
}

#[test]
fn a_policy_file_without_a_subject_says_that_no_runner_was_tested() {
    let project = Project::with(REVIEWER);
    let events = project.events(&["check"], 1);
    assert_eq!(findings(&events, "suite-not-run").len(), 1);
    assert!(verdicts(&events, "case").is_empty());
    project.run(&["check"]).stdout(contains("declares no subject"));
}

#[test]
fn a_forbidden_word_is_named_with_its_position_and_underlined() {
    let policy = REVIEWER.replace("\"-p\", ", "\"-p\", \"--dangerously-skip-permissions\", ");
    let project = Project::with(&policy);
    project.run(&["accept"]).code(0);
    let events = project.events(&["check"], 1);
    let finding = findings(&events, "forbidden-flag")[0];
    assert_eq!((&finding["arg"], &finding["severity"]), (&2.into(), &"error".into()));
    assert_eq!(verdicts(&events, "flag")[0]["verdict"], "broken");
    let out = project.stdout(&["check"], 1);
    let lines: Vec<&str> = out.lines().collect();
    let at = lines.iter().position(|line| line.trim_start().starts_with("^^^")).unwrap();
    let from = lines[at].find('^').unwrap();
    assert_eq!(&lines[at - 1][from..lines[at].len()], "--dangerously-skip-permissions");
    assert_eq!(out.matches("argument 2").count(), 1, "{out}");
}

#[test]
fn builtin_launches_can_be_explained_beside_any_policy_file() {
    Project::with(REVIEWER).run(&["explain", "v1-codex"]).code(0).stdout(contains("--ignore-rules"));
}

#[rstest]
#[case::the_same_words("", "held")]
#[case::fewer_variables("env_from = [\"PATH\", \"CODEX_HOME\"]\n", "held")]
#[case::another_variable_is_set("env = { CODEX_HOME = \"{home}\" }\n", "not-measured")]
#[case::another_variable_passes("env_from = [\"LD_PRELOAD\"]\n", "not-measured")]
#[case::a_file_is_handed_over("files = [\"config.toml\"]\n", "not-measured")]
fn a_boundary_is_held_only_for_the_launch_that_was_measured(#[case] rest: &str, #[case] measured: &str) {
    let argv = serde_json::to_string(&argvow::agents::Agent::Codex.v1().argv).unwrap();
    let policy = format!("{HEAD}[launch.a]\nagent = \"codex\"\nargv = {argv}\n{rest}");
    let events = Project::with(&policy).events(&["check"], 1);
    assert_eq!(verdicts(&events, "snapshot")[0]["evidence"]["measured"], measured);
}

/// A project with one case of its own, which the runner fails or holds, and which the baseline knows.
fn with_known_fault(outcome: &str) -> Project {
    let case = format!(
        "title = 't'\nsince = '2026-12'\nlevel = 'must'\nwhy = 'w'\nkills = ['empty-is-ok']\n\
         [[agent.step]]\nwrite = {{ text = 'said' }}\n[call]\n[expect]\noutcome = '{outcome}'\n"
    );
    let policy = format!(
        "{HEAD}cases = [\"mine\"]\n[subject.builtin]\nbuiltin = true\n[baseline]\n\"output/mine\" = \"tracked as #42\"\n"
    );
    let project = Project::with(&policy);
    std::fs::create_dir_all(project.path("mine/output")).unwrap();
    project.write("mine/output/mine.toml", case);
    project
}

const MINE: [&str; 3] = ["check", "--filter", "output/mine"];

#[test]
fn a_known_fault_does_not_fail_the_run_and_is_still_printed() {
    let project = with_known_fault("failed");
    let events = project.events(&MINE, 0);
    assert_eq!(verdicts(&events, "case")[0]["evidence"]["baseline"], "tracked as #42");
    assert_eq!(events.last().unwrap()["broken"], 1);
    let known =
        contains("known-broken").and(contains("tracked as #42")).and(contains("but for 1 known fault"));
    project.run(&MINE).stdout(known);
}

#[test]
fn a_known_fault_that_is_gone_fails_the_run() {
    let events = with_known_fault("ok").events(&MINE, 1);
    assert_eq!(findings(&events, "baseline-stale")[0]["text"], "output/mine");
}

#[test]
fn a_forbidden_flag_cannot_be_excused() {
    let policy = REVIEWER.replace("\"-p\", ", "\"-p\", \"--dangerously-skip-permissions\", ");
    let project = Project::with(&format!("{policy}[baseline]\nreviewer = \"tracked as #42\"\n"));
    project.run(&["accept"]).code(0).stdout(contains("will not pass"));
    let events = project.events(&["check"], 1);
    assert_eq!(findings(&events, "baseline-unmatched").len(), 1);
}

#[test]
fn a_policy_file_that_is_there_and_cannot_be_read_is_no_absent_one() {
    let project = Project::new();
    std::os::unix::fs::symlink("nowhere", project.path("argvow.toml")).unwrap();
    project.run(&["check"]).code(2).stderr(contains("argvow.toml"));
}

#[test]
fn the_built_in_policy_says_that_it_is_nobodys_own() {
    let project = Project::new();
    project.run(&["check", "--filter", "v1-*"]).code(0).stdout(contains("no-policy-file"));
    project.run(&["check", "--config", "argvow.toml"]).code(2);
}

#[test]
fn a_snapshot_that_is_no_file_does_not_hold_up_the_run() {
    let project = Project::with(REVIEWER);
    std::fs::create_dir(project.path("snapshots")).unwrap();
    argvow::process::make_fifo(&project.path("snapshots/reviewer.snap")).unwrap();
    let events = project.events(&["check"], 1);
    assert_eq!(verdicts(&events, "snapshot")[0]["code"], "snapshot-unreadable");
}

#[test]
fn accepting_over_a_corrupt_snapshot_keeps_its_reasons() {
    let project = Project::with(REVIEWER);
    project.run(&["accept", "--reason", "first"]).code(0);
    project.write("snapshots/reviewer.snap", project.read("snapshots/reviewer.snap") + "<<<<<<< ours\n");
    project.run(&["accept"]).code(0);
    assert!(project.read("snapshots/reviewer.snap").contains("reason: first\n"));
    project.write("snapshots/reviewer.snap", project.read("snapshots/reviewer.snap") + "\n\n");
    project.run(&["check"]).code(0);
}

#[rstest]
#[case(&["--report", "jsonl=argvow.toml"])]
#[case(&["--report", "jsonl=snapshots/reviewer.snap"])]
#[case(&["--report", "jsonl=a", "--report", "human=a"])]
#[case(&["--slack", "1e300"])]
#[case(&["--slack", "0"])]
#[case(&["--slack", "NaN"])]
fn a_run_that_would_do_harm_is_refused(#[case] args: &[&str]) {
    let project = Project::with(REVIEWER);
    let before = project.tree();
    project.run(&[&["check"], args].concat()).code(2);
    assert_eq!(project.tree(), before);
}

#[test]
fn a_baseline_entry_hides_no_change_of_a_snapshot() {
    let project = Project::with(&format!("{REVIEWER}[baseline]\nreviewer = \"tracked as #42\"\n"));
    let events = project.events(&["check"], 1);
    assert_eq!(verdicts(&events, "snapshot")[0]["evidence"]["baseline"], serde_json::Value::Null);
}

#[test]
fn a_baseline_entry_that_names_nothing_is_a_finding() {
    let project = Project::with(&format!("{REVIEWER}[baseline]\n\"no/such\" = \"because\"\n"));
    assert_eq!(findings(&project.events(&["check"], 1), "baseline-unmatched").len(), 1);
}

#[test]
fn shards_share_out_every_check_once() {
    let project = Project::new();
    let ids = |args: &[&str], env: Option<(&str, &str)>| {
        let mut command = project.command();
        command.args(["check", "--format", "jsonl", "--filter", "v1-*"]).args(args);
        if let Some((index, total)) = env {
            command.env("TEST_SHARD_INDEX", index).env("TEST_TOTAL_SHARDS", total);
        }
        let out = String::from_utf8(command.assert().code(0).get_output().stdout.clone()).unwrap();
        let events = crate::project::events(&out);
        verdicts(&events, "snapshot").iter().map(|event| event["id"].to_string()).collect::<Vec<_>>()
    };
    let mut both = ids(&["--shard", "1/2"], None);
    assert_eq!(both, ids(&[], Some(("0", "2"))));
    both.extend(ids(&["--shard", "2/2"], None));
    both.sort();
    assert_eq!(both, ids(&[], None));
}

#[test]
fn agents_are_listed_as_installed_or_not_without_being_run() {
    let project = Project::new().file("bin/claude", "#!/bin/sh\ntouch was-run\n");
    fs::set_permissions(project.path("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    project
        .run(&["list", "agents"])
        .code(0)
        .stdout(contains("Claude Code (`claude`), installed"))
        .stdout(contains("Pi (`pi`), not installed").and(contains("NOT read-only")))
        .stdout(contains("measured: BROKEN on 2.1.332").and(contains("version: not asked")));
    project.run(&["list", "agents", "-v"]).stdout(contains("forbidden: --dangerously-skip-permissions"));
    assert!(!project.path("was-run").exists());
}

#[rstest]
#[case("agents", 5)]
#[case("launches", 5)]
#[case("formats", 2)]
#[case("probes", 0)]
fn lists_are_also_json_lines(#[case] what: &str, #[case] count: usize) {
    let events = Project::new().events(&["list", what], 0);
    assert_eq!(events.len(), count);
    for item in events {
        assert_eq!(item["v"], 1);
        assert!(item["id"].is_string() && item["list"].is_string());
    }
}

#[test]
fn every_code_and_every_case_can_be_explained() {
    let project = Project::new();
    for what in ["codes", "cases", "agents", "launches"] {
        for item in project.events(&["list", what], 0) {
            let id = item["id"].as_str().unwrap();
            project.run(&["explain", id]).code(0).stdout(contains(id));
        }
    }
    project
        .run(&["explain", "claude-code/--dangerously-skip-permissions"])
        .code(0)
        .stdout(contains("forbidden"));
}

#[test]
fn what_cannot_be_explained_is_met_with_what_is_near() {
    let project = Project::new();
    for (id, near) in [
        ("snapshot-difers", "`snapshot-differs`"),
        ("timeout/descendant-holds-pipe", "`timeout/descendant-holds-pipes`"),
        ("claude", "`claude-code`"),
        ("v1-codx", "`v1-codex`"),
    ] {
        project.run(&["explain", id]).code(2).stderr(contains("did you mean").and(contains(near)));
    }
    project.run(&["explain", "\u{1b}[31m"]).code(2).stderr(contains("\u{1b}").not());
    project.run(&["explain", &"x".repeat(100_000)]).code(2);
}

#[test]
fn every_code_that_is_emitted_is_listed() {
    let listed: Vec<String> = Project::new()
        .events(&["list", "codes"], 0)
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect();
    let mut sorted = listed.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(listed, sorted, "codes are sorted and unique");
    for file in ["check.rs", "suite.rs", "session.rs"] {
        let text =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli").join(file)).unwrap();
        for word in text.split('"').skip(1).step_by(2) {
            let family = ["snapshot-", "baseline-", "suite-not", "subject-", "not-rec", "measured-b"];
            if family.iter().any(|start| word.starts_with(start)) {
                assert!(listed.iter().any(|code| code == word), "{file} emits {word}, which is not listed");
            }
        }
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        Project::new().run(&["completions", shell]).code(0).stdout(contains("argvow"));
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let project = Project::new();
    project.run(&["--help"]).code(0).stdout(contains("Exit codes:"));
    project.run(&["--version"]).code(0).stdout(contains(env!("CARGO_PKG_VERSION")));
}

fn parse(text: &str) {
    let path = Path::new("argvow.toml");
    let dialects = Dialects::builtin().unwrap();
    let result = PolicyFile::parse(path, text).and_then(|policy| policy.check_agents(path, text, &dialects));
    if let Err(error) = result {
        assert!(error.line() >= 1 && error.column() >= 1);
        let printed = argvow::report::diagnostic(&error, false);
        assert!(printed.chars().all(|c| c == '\n' || argvow::model::text::is_plain(c)), "{printed:?}");
    }
}

const VALID: &str = r#"argvow = 1
edition = "2026-12"
builtin = ["v1"]
[launch.a]
agent = "codex"
argv = ["codex", "exec", "-"]
env = { A = "1" }
completion = "{file}"
[subject.b]
command = ["x"]
outcome = { ok = [0], cancelled = [130, "signal:INT"] }
[baseline]
"timeout/x" = "é\u202e"
"#;

proptest! {
    #[test]
    fn the_policy_parser_never_panics_on_any_text(text in ".{0,200}|[\\[\\]=\"'a-z0-9.\n\\\\{}, \u{0}\u{1b}\u{202e}]{0,200}") {
        parse(&text);
    }

    #[test]
    fn the_policy_parser_never_panics_on_a_mutated_file(at in 0..VALID.len(), cut in 0usize..40, new in ".{0,6}") {
        let floor = |mut at: usize| { while !VALID.is_char_boundary(at) { at -= 1; } at };
        let (from, to) = (floor(at), floor((at + cut).min(VALID.len())));
        parse(&format!("{}{new}{}", &VALID[..from], &VALID[to..]));
    }
}

#[test]
fn the_file_that_is_mutated_is_valid() {
    assert!(PolicyFile::parse(Path::new("argvow.toml"), VALID).is_ok());
}
