//! Snapshots: what they say, how they are compared, accepted and kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use argvow::agents::Agent;
use argvow::model::{Assessment, CompletionChannel, Launch, PromptChannel, ReadOnly};
use argvow::policy::Dialects;
use argvow::snapshot::{Comparison, Snapshot, Store, compare, render};
use predicates::prelude::*;
use predicates::str::contains;
use proptest::prelude::*;
use rstest::rstest;

use crate::project::{Project, REVIEWER, findings, verdicts};

fn reviewed() -> Store {
    Store::Dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots"))
}

/// Fails when a launch changes and its snapshot does not. Never writes: `argvow accept` does.
#[test]
fn every_builtin_launch_is_the_reviewed_one() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let dialects = Dialects::builtin().unwrap();
    for agent in Agent::ALL {
        let launch = agent.v1();
        let kept = reviewed().read(&launch.name).unwrap().unwrap();
        // insta compares with the file; this keeps it from writing one when they differ.
        let body = render(&launch, &dialects, kept.reasons());
        assert_eq!(kept.body(), body, "run `cargo run -- accept {}` after a review", launch.name);
        settings.bind(|| insta::assert_snapshot!(launch.name.as_str(), body));
    }
}

#[test]
fn insta_reads_what_the_store_writes() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::Dir(dir.path().to_owned());
    let body = render(
        &launch(vec!["claude".to_owned(), "a\n---\n\u{1b}".to_owned()]),
        &Dialects::builtin().unwrap(),
        &[],
    );
    store.write("a.b-c", &body).unwrap();
    let read = insta::Snapshot::from_file(&store.path("a.b-c")).unwrap();
    assert_eq!(read.metadata().source(), Some("argvow"));
    assert_eq!(read.metadata().expression(), Some("a.b-c"));
    assert_eq!(format!("{}\n", read.as_text().unwrap().to_string().trim_end()), body);
}

#[test]
fn a_deleted_pattern_is_a_one_line_diff_and_accepting_it_mends_the_run() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    project.write("argvow.toml", REVIEWER.replace("Bash(git diff:*),", ""));
    let events = project.events(&["check"], 1);
    let snapshot = verdicts(&events, "snapshot")[0];
    assert_eq!(snapshot["code"], "snapshot-differs");
    let changed: Vec<&str> = snapshot["detail"]
        .as_str()
        .unwrap()
        .lines()
        .filter(|line| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---"))
        .collect();
    assert_eq!(changed, ["-    Bash(git diff:*)"]);
    project
        .run(&["accept", "reviewer", "--reason", "nobody needs it"])
        .code(0)
        .stdout(contains("-    Bash(git diff:*)").and(contains("+reason: nobody needs it")));
    project.run(&["check"]).code(0);
}

#[test]
fn reasons_are_kept_and_not_compared() {
    let project = Project::with(REVIEWER);
    project.run(&["accept", "--reason", "first"]).code(0);
    project.write("argvow.toml", REVIEWER.replace(",Grep", ""));
    project.run(&["accept", "--reason", "second\nline"]).code(0);
    project.write("argvow.toml", REVIEWER);
    project.run(&["accept"]).code(0);
    let text = project.read("snapshots/reviewer.snap");
    assert!(text.ends_with("reason: first\nreason: \"second\\nline\"\n"), "{text}");
    project.run(&["check"]).code(0);
    project.run(&["explain", "reviewer"]).stdout(contains("reason: first"));
    project.run(&["accept", "--reason", " "]).code(2);
}

#[test]
fn accepting_what_is_reviewed_writes_nothing() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0).stdout(contains("reviewer: new snapshot"));
    let before = project.tree();
    project
        .run(&["accept", "--reason", "no launch changed"])
        .code(0)
        .stdout(contains("reviewer: as reviewed"));
    assert_eq!(project.tree(), before);
}

#[rstest]
#[case::for_a_person(&["check"])]
#[case::for_a_program(&["check", "--format", "jsonl"])]
fn check_writes_nothing_whether_ci_or_not(#[case] args: &[&str]) {
    let project = Project::with(REVIEWER);
    for ci in [None, Some("true")] {
        for accepted in [false, true] {
            if accepted {
                project.run(&["accept"]).code(0);
            }
            let before = project.tree();
            let mut command = project.command();
            command.args(args);
            if let Some(ci) = ci {
                command.env("CI", ci).env("INSTA_UPDATE", "always");
            }
            command.assert().code(i32::from(!accepted));
            assert_eq!(project.tree(), before);
            fs::remove_dir_all(project.path("snapshots")).unwrap_or_default();
        }
    }
}

#[test]
fn every_part_of_a_launch_is_part_of_its_snapshot() {
    let dialects = Dialects::builtin().unwrap();
    let base = launch(vec!["claude".to_owned(), "-p".to_owned()]);
    let kept = Snapshot::from_body(&render(&base, &dialects, &[])).unwrap();
    let changes: [fn(&mut Launch); 13] = [
        |launch| launch.agent = "pi".to_owned(),
        |launch| launch.argv[0] = "/claude".to_owned(),
        |launch| launch.argv.push("x".to_owned()),
        |launch| launch.prompt = PromptChannel::File,
        |launch| launch.completion = CompletionChannel::None,
        |launch| launch.cwd = None,
        |launch| drop(launch.env.insert("A".to_owned(), "1".to_owned())),
        |launch| launch.env_from.push("A".to_owned()),
        |launch| launch.files.push("a".to_owned()),
        |launch| launch.boundary = ReadOnly::OsSandbox,
        |launch| launch.grants.push("write".to_owned()),
        |launch| launch.never.push("-x".to_owned()),
        |launch| launch.sealed = true,
    ];
    for change in changes {
        let mut other = base.clone();
        change(&mut other);
        let now = render(&other, &dialects, &[]);
        assert!(matches!(compare(&kept, &now), Comparison::Differs { .. }), "{other:?}");
    }
    let mut known = base.clone();
    known.assessment = Agent::Codex.v1().assessment;
    let now = render(&known, &dialects, &["because".to_owned()]);
    assert!(matches!(compare(&kept, &now), Comparison::Outdated { .. }));
}

#[test]
fn a_claim_never_stands_without_what_was_measured() {
    let project = Project::new();
    let events = project.events(&["check", "--filter", "v1-*"], 0);
    for snapshot in verdicts(&events, "snapshot") {
        let said = findings(&events, "measured-boundary");
        let said = said.iter().find(|finding| finding["launch"] == snapshot["id"]).unwrap();
        let broken = snapshot["evidence"]["measured"] == "broken";
        assert_eq!(said["severity"], if broken { "warning" } else { "note" });
    }
    for agent in Agent::ALL {
        let body = project.stdout(&["explain", &agent.v1().name], 0);
        assert!(body.contains("claimed boundary: ") && body.contains("\nmeasured: "), "{body}");
    }
}

#[test]
fn new_knowledge_about_a_boundary_breaks_no_snapshot_and_is_a_finding() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    let text = project.read("snapshots/reviewer.snap");
    let old: String =
        text.lines().filter(|line| !line.starts_with("measured")).map(|line| format!("{line}\n")).collect();
    project.write("snapshots/reviewer.snap", old);
    assert_eq!(findings(&project.events(&["check"], 0), "snapshot-outdated").len(), 1);
}

#[test]
fn a_launch_cannot_leave_the_check_while_its_snapshot_stays() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    project.write("argvow.toml", REVIEWER.replace("reviewer", "critic"));
    project.run(&["accept"]).code(0);
    let events = project.events(&["check"], 1);
    let orphan = events.iter().find(|event| event["code"] == "snapshot-orphaned").unwrap();
    assert_eq!((&orphan["event"], &orphan["id"]), (&"verdict".into(), &"reviewer".into()));
    assert_eq!(orphan["verdict"], "broken");
    project.run(&["check"]).stdout(contains("snapshots/reviewer.snap").and(contains("delete the file")));
    std::fs::remove_file(project.path("snapshots/reviewer.snap")).unwrap();
    project.run(&["check"]).code(0);
}

#[rstest]
#[case::empty("", 1)]
#[case::no_fence("agent: pi\n", 1)]
#[case::no_second_fence("---\nsource: argvow\n", 3)]
#[case::merge_marks("---\nsource: argvow\n---\nagent: pi\nprogram: pi\n<<<<<<< ours\n", 6)]
#[case::foreign_text("---\nsource: argvow\n---\nhello\n", 4)]
#[case::bad_quotes("---\nsource: argvow\n---\nprogram: \"pi\n", 4)]
#[case::hidden_text("---\nsource: argvow\n---\nprogram: p\u{202e}i\n", 4)]
#[case::stray_pattern("---\nsource: argvow\n---\nprogram: pi\narguments:\n    Read\n", 6)]
#[case::no_program("---\nsource: argvow\n---\nagent: pi\n", 4)]
fn a_corrupt_snapshot_is_broken_at_its_line(#[case] text: &str, #[case] line: usize) {
    let project = Project::with(REVIEWER).file("snapshots/reviewer.snap", text);
    let events = project.events(&["check"], 1);
    let snapshot = verdicts(&events, "snapshot")[0];
    assert_eq!(snapshot["code"], "snapshot-unreadable");
    let detail = snapshot["detail"].as_str().unwrap();
    assert!(detail.contains(&format!("reviewer.snap:{line}: ")), "{detail}");
    project.run(&["accept"]).code(0);
    project.run(&["check"]).code(0);
}

#[test]
fn a_snapshot_that_is_not_utf8_is_broken_at_its_line() {
    let project = Project::with(REVIEWER).file("snapshots/reviewer.snap", b"---\n---\n\xff\n");
    let events = project.events(&["check"], 1);
    let detail = verdicts(&events, "snapshot")[0]["detail"].as_str().unwrap();
    assert!(detail.contains("reviewer.snap:3: the file is not UTF-8"), "{detail}");
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    project.write("snapshots/reviewer.snap", project.read("snapshots/reviewer.snap").replace('\n', "\r\n"));
    project.run(&["check"]).code(0);
}

/// Works for root too, whom no mode stops: nothing can be made below a file, and no file replaces a directory.
#[test]
fn a_snapshot_that_cannot_be_written_is_an_error_and_leaves_what_was_there() {
    let project = Project::with(REVIEWER).file("snapshots", "in the way");
    project.run(&["accept"]).code(2).stderr(contains("snapshots/reviewer.snap"));
    assert_eq!(project.read("snapshots"), "in the way");

    let dir = tempfile::tempdir().unwrap();
    let store = Store::Dir(dir.path().to_owned());
    fs::create_dir_all(store.path("a").join("kept")).unwrap();
    let error = store.write("a", "body\n").unwrap_err().to_string();
    assert!(error.contains("cannot write") && error.contains("unchanged"), "{error}");
    assert!(store.path("a").join("kept").is_dir());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
}

/// A limit on the size of files stands for a full disk, and stops root too.
#[test]
fn a_disk_that_is_full_leaves_the_old_snapshot_and_nothing_else() {
    let project = Project::with(REVIEWER);
    project.run(&["accept"]).code(0);
    project.write("argvow.toml", REVIEWER.replace(",Grep", ""));
    let before = project.tree();
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" accept", env!("CARGO_BIN_EXE_argvow")])
        .env_clear()
        .current_dir(project.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write snapshots/reviewer.snap"), "{said}");
    assert_eq!(project.tree(), before);
}

#[test]
fn a_snapshot_in_a_directory_that_the_kernel_keeps_closed_stays_as_it_is() {
    // In /proc nobody can make a file, root included.
    let store = Store::Dir("/proc/self".into());
    let error = store.write("a", "body\n").unwrap_err().to_string();
    assert!(error.contains("/proc/self/a.snap"), "{error}");
}

#[test]
fn names_of_other_files_are_no_snapshots() {
    let project = Project::with(REVIEWER).file("snapshots/README.md", "x").file("snapshots/x.snap.new", "x");
    assert!(findings(&project.events(&["check"], 1), "snapshot-orphaned").is_empty());
}

fn launch(argv: Vec<String>) -> Launch {
    Launch {
        name: "a".to_owned(),
        set: "policy".to_owned(),
        agent: "claude-code".to_owned(),
        argv,
        prompt: PromptChannel::Stdin,
        completion: CompletionChannel::Stdout,
        cwd: Some("{repo}".to_owned()),
        env: BTreeMap::new(),
        env_from: Vec::new(),
        files: Vec::new(),
        boundary: ReadOnly::ToolAllowlist,
        assessment: Assessment::not_measured(),
        grants: Vec::new(),
        never: Vec::new(),
        sealed: false,
    }
}

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z(),:* \"\\\\-]{0,30}",
        ".{0,20}",
        "[\u{0}-\u{20}\u{7f}-\u{a0}\u{200b}-\u{2030}\u{feff}\u{e0041}]{0,8}",
        Just("--allowed-tools".to_owned()),
        Just("--allowed-tools=Read,Bash(a,b)".to_owned()),
        Just("(a list, separated by \",\")".to_owned()),
        Just("prompt: stdin".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn parsing_a_rendered_launch_gives_its_argv_back(
        argv in prop::collection::vec(any_word(), 1..12),
        agent in prop::sample::select(vec!["claude-code", "codex", "copilot", "droid", "pi", "other"]),
        reason in any_word(),
    ) {
        let mut launch = launch(argv.clone());
        launch.agent = agent.to_owned();
        launch.grants = argv.clone();
        let body = render(&launch, &Dialects::builtin().unwrap(), std::slice::from_ref(&reason));
        prop_assert!(body.chars().all(|c| c == '\n' || argvow::model::text::is_plain(c)));
        let parsed = Snapshot::from_file(&Snapshot::to_file("a", &body)).unwrap();
        prop_assert_eq!(parsed.argv(), argv.as_slice());
        prop_assert_eq!(parsed.reasons(), &[reason]);
        prop_assert_eq!(parsed.body(), body.as_str());
    }

    #[test]
    fn the_snapshot_parser_never_panics(text in "(---\n)?(source: argvow\n)?(---\n)?.{0,80}(\n {0,4}.{0,40}){0,6}") {
        let _ = Snapshot::from_file(&text);
    }
}

#[test]
fn the_embedded_snapshots_are_those_of_the_repository() {
    for name in Store::Embedded.names().unwrap() {
        assert_eq!(Store::Embedded.read(&name).unwrap(), reviewed().read(&name).unwrap());
    }
}
