//! What the harness sees of an agent that it cannot find among the descendants of the runner.

use std::ffi::OsString;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;

use argvow::model::case::Case;
use argvow::model::{Event, Verdict, VerdictEvent};
use argvow::subject::Call;
use argvow::suite::{Options, Runner, Stop, run};
use rstest::rstest;

/// A host that has its agent started by somebody else, as a runner does that asks a daemon, and reports a timeout.
const HOST: &str = r#"echo ready
read -r call
echo "$call" >"$0.call"
read -r _ <"$0.started"
sleep 1
echo '{"outcome":"timeout"}'
read -r _
exit 0"#;

const CASE: &str = r#"
title = "An agent that hangs is ended at the deadline"
since = "2026-12"
level = "must"
why   = "Whoever started it."
kills = ["no-deadline"]
agent.step = [{ sleep = "10m" }]
call.timeout = "1s"
expect = { outcome = "timeout", returns_within = "20s" }
"#;

/// Starts the agent of the call that comes over the FIFO: a child of this process, which is outside of the runner's tree.
fn start_elsewhere(host: &str) -> Child {
    let call: Call = serde_json::from_str(&fs::read_to_string(format!("{host}.call")).unwrap()).unwrap();
    let agent = Command::new(&call.argv[0])
        .current_dir(call.working_dir.unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    fs::write(format!("{host}.started"), "\n").unwrap();
    agent
}

/// The verdict on a host that this command starts.
fn verdict_on(case: &Case, command: Vec<OsString>) -> VerdictEvent {
    let options = Options {
        runner: Runner::Host { name: "host".to_owned(), command },
        executable: Some(env!("CARGO_BIN_EXE_argvow").into()),
        ..Options::default()
    };
    let mut seen = None;
    run(&[case], &options, &Stop::default(), &mut |event| {
        if let Event::Verdict(verdict) = event {
            seen = Some(verdict);
        }
    })
    .unwrap();
    seen.unwrap()
}

#[test]
fn an_agent_that_lives_outside_of_the_runners_tree_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let host = dir.path().join("host").to_string_lossy().into_owned();
    fs::write(&host, HOST).unwrap();
    for fifo in [".call", ".started"] {
        argvow::process::make_fifo(format!("{host}{fifo}").as_ref()).unwrap();
    }
    let case: Case = toml::from_str(CASE).unwrap();
    case.validate().unwrap();
    let command = ["sh".into(), host.clone().into()].into();
    let helper = thread::spawn(move || start_elsewhere(&host));
    let seen = verdict_on(&case, command);
    let mut agent = helper.join().unwrap();
    let alive = agent.try_wait().unwrap().is_none();
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(alive, "the harness reached a process that is none of its own");
    assert_eq!(
        (seen.verdict, seen.detail.as_str()),
        (Verdict::Broken, "a process of the agent is alive outside the runner's tree"),
        "{}",
        seen.evidence
    );
    assert_eq!(seen.evidence["survivors"], serde_json::json!([]));
}

const SIMPLE: &str = r#"
title = "An agent that answers is heard"
since = "2026-12"
level = "must"
why   = "The least that a runner does."
kills = ["empty-is-ok"]
agent.step = [{ write = { text = "ok" } }]
call.timeout = "5s"
expect = { outcome = "ok", completion = "ok" }
"#;

/// Hosts in shell. The agent's fake stands at the same place for each of them.
#[rstest]
#[case::sound("echo ready; read -r call; A; echo \"$OK\"; read -r end; exit 0", Verdict::Held, "")]
#[case::runs_it_twice(
    "echo ready; read -r call; A; A; echo \"$OK\"; read -r end; exit 0",
    Verdict::Broken,
    "2 agents were started"
)]
#[case::runs_it_afterwards(
    "echo ready; read -r call; A; echo \"$OK\"; A; read -r end; exit 0",
    Verdict::Broken,
    "2 agents were started"
)]
#[case::never_runs_it(
    "echo ready; read -r call; echo \"$OK\"; read -r end; exit 0",
    Verdict::Inconclusive,
    "never came to the point"
)]
#[case::answers_twice(
    "echo ready; read -r call; A; echo \"$OK\"; echo \"$OK\"; read -r end; exit 0",
    Verdict::Broken,
    ""
)]
#[case::answers_nonsense(
    "echo ready; read -r call; A; echo yes; read -r end; exit 0",
    Verdict::Broken,
    "no answer"
)]
#[case::is_not_ready(
    "echo ready-but-not; read -r call; A; echo \"$OK\"; read -r end; exit 0",
    Verdict::Inconclusive,
    "something else"
)]
#[case::fails_at_the_end(
    "echo ready; read -r call; A; echo \"$OK\"; read -r end; exit 3",
    Verdict::Broken,
    "ended with status 3"
)]
#[case::leaves_early(
    "echo ready; read -r call; A; echo \"$OK\"; exit 4",
    Verdict::Broken,
    "ended with status 4"
)]
#[case::crashes_at_the_end(
    "echo ready; read -r call; A; echo \"$OK\"; read -r end; kill -9 $$",
    Verdict::Broken,
    "ended by signal 9"
)]
#[case::stays(
    "echo ready; read -r call; A; echo \"$OK\"; exec sleep 30",
    Verdict::Broken,
    "did not end when its input did"
)]
#[case::kills_its_watcher(
    "echo ready; read -r call; A; echo \"$OK\"; kill -9 $PPID; read -r end; exit 0",
    Verdict::Broken,
    "supervisor"
)]
#[case::floods("echo ready; read -r call; exec tr '\\0' x </dev/zero", Verdict::Broken, "without an end")]
fn what_no_runner_may_do_is_seen_whatever_the_case(
    #[case] script: &str,
    #[case] verdict: Verdict,
    #[case] detail: &str,
) {
    let preamble =
        r#"A() { ../bin/claude </dev/null >/dev/null 2>&1; }; OK='{"outcome":"ok","completion":"ok"}'; "#;
    let case: Case = toml::from_str(SIMPLE).unwrap();
    case.validate().unwrap();
    let command = vec!["sh".into(), "-c".into(), format!("{preamble}{script}").into()];
    let seen = verdict_on(&case, command);
    assert_eq!(seen.verdict, verdict, "{}: {}", seen.detail, seen.evidence);
    assert!(seen.detail.contains(detail), "{}", seen.detail);
}
