//! The command backend's public face: launches word for word, errors told apart, the environment that passes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use argvow::agents::{Agent, FetchError};
use argvow::backend::{CommandBackend, LlmBackend, LlmError};
use argvow::model::{Measurement, Outcome, ReadOnly};
use argvow::process::{Cancel, Containment};
use rstest::rstest;

const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str) -> CommandBackend {
    CommandBackend::new(vec!["sh".into(), "-c".into(), script.into()], LONG).unwrap()
}

/// The launches that are deployed. A change here is a change of everybody's boundary.
#[rstest]
#[case(Agent::ClaudeCode, r#"["claude","-p","--output-format","text","--permission-mode","default","--allowed-tools","Bash({fetch} agent:*),Bash(git diff:*),Read,Grep,Glob,Bash(git log:*),Bash(git show:*)"]"#)]
#[case(Agent::Codex, r#"["codex","exec","--ignore-user-config","--ignore-rules","-c","approval_policy=\"never\"","--sandbox","read-only","--color","never","-"]"#)]
#[case(Agent::Droid, r#"["droid","exec","-o","text","-"]"#)]
#[case(Agent::Copilot, r#"["copilot","-s","--no-ask-user","--deny-tool","write","--allow-tool","read,shell(git:*),shell({fetch}:*)"]"#)]
#[case(Agent::Pi, r#"["pi","-p","--mode","text","--no-session","-nc","-na","--no-extensions","--no-skills","-t","read,grep,find,ls,bash"]"#)]
fn the_v1_launches_are_these_words_in_this_order(#[case] agent: Agent, #[case] argv: &str) {
    let argv: Vec<String> = serde_json::from_str(argv).unwrap();
    assert_eq!(agent.v1().argv, argv);
    let backend = match agent {
        Agent::ClaudeCode => {
            CommandBackend::claude_cli("{fetch-is-not-expanded-again}").map_err(|e| e.to_string())
        }
        Agent::Copilot => CommandBackend::copilot_cli("/opt/bin/fetch").map_err(|e| e.to_string()),
        Agent::Codex => Ok(CommandBackend::codex_cli()),
        Agent::Droid => Ok(CommandBackend::droid_cli()),
        Agent::Pi => Ok(CommandBackend::pi_cli()),
    };
    match backend {
        // Braces are no part of a pattern that anybody could want.
        Err(error) => assert!(error.contains('{'), "{error}"),
        Ok(backend) => {
            let shown: Vec<String> =
                argv.iter().map(|word| word.replace("{fetch}", "/opt/bin/fetch")).collect();
            assert_eq!(backend.command().words(), shown);
            assert_eq!(backend.program(), agent.program());
            assert_eq!(backend.name(), agent.display_name());
            assert_eq!(backend.identity(), agent.v1().identity());
        }
    }
}

#[test]
fn no_claim_stands_without_what_was_measured() {
    for agent in Agent::ALL {
        let launch = agent.v1();
        assert_eq!(launch.boundary, agent.read_only());
        assert_ne!(launch.assessment.measurement, Measurement::NotMeasured, "{agent:?}");
        assert!(!launch.assessment.version.is_empty());
        assert_eq!(agent.is_enforced(), agent.read_only() != ReadOnly::NotEnforced);
    }
    assert!(!Agent::Pi.is_enforced());
    assert!(matches!(Agent::ClaudeCode.v1().assessment.measurement, Measurement::Broken { .. }));
    assert!(matches!(Agent::Codex.v1().assessment.measurement, Measurement::Held));
}

#[rstest]
#[case("")]
#[case("a,Bash(*)")]
#[case("a b")]
#[case("a:*),Bash(rm")]
#[case("a'b")]
#[case("a\nb")]
#[case("a\u{a0}b")]
#[case("-c")]
#[case("/bin/sh")]
#[case("git")]
fn a_fetch_command_that_would_change_the_allowlist_is_refused(#[case] fetch: &str) {
    let refused: Result<_, FetchError> = CommandBackend::claude_cli(fetch);
    assert!(refused.is_err());
    assert!(CommandBackend::copilot_cli(fetch).is_err());
}

#[test]
fn an_empty_argv_is_a_typed_error() {
    assert!(CommandBackend::new(Vec::new(), LONG).is_err());
}

#[test]
fn a_completion_is_the_text_and_more_for_who_asks() {
    let backend = shell("cat; echo refused >&2; sleep 60 & exit 0");
    let completion = backend.run(b"the prompt").unwrap();
    assert_eq!(completion.text, "the prompt");
    assert_eq!(completion.stderr, "refused\n");
    assert_eq!(completion.leftovers, 1);
    assert_eq!(completion.containment, Containment::Supervised);
    assert_eq!(backend.complete("again").unwrap(), "again");
}

#[rstest]
#[case("echo bad auth >&2; exit 7", Outcome::Failed, "exited with status 7: bad auth")]
#[case("kill -SEGV $$", Outcome::Signal, "was ended by signal 11")]
#[case("echo ' '", Outcome::Empty, "exited 0 and said nothing")]
#[case("printf 'caf\\303'", Outcome::NotUtf8, "not UTF-8, at byte 3")]
fn every_ending_is_an_error_of_its_own(
    #[case] script: &str,
    #[case] outcome: Outcome,
    #[case] message: &str,
) {
    let error = shell(script).complete("hello").unwrap_err();
    assert_eq!(error.outcome(), outcome);
    assert!(error.to_string().contains(message), "{error}");
    // The whole command, as a shell would read it.
    assert!(error.to_string().contains("`sh -c "), "{error}");
}

#[test]
fn what_was_said_before_the_deadline_is_in_the_error() {
    let error =
        shell("echo so far; echo why >&2; sleep 60").with_timeout(Duration::from_millis(150)).complete("x");
    let error = error.unwrap_err();
    assert_eq!(error.partial(), b"so far\n");
    assert_eq!(error.stderr(), "why\n");
    assert!(matches!(error, LlmError::Timeout { timeout, .. } if timeout == Duration::from_millis(150)));
}

#[test]
fn a_missing_directory_is_not_a_missing_program() {
    let missing = Path::new("/no/such/directory");
    let error = shell("echo ran").with_working_dir(missing).complete("x").unwrap_err();
    assert!(matches!(error, LlmError::WorkingDir { .. }), "{error}");
    let nothing = CommandBackend::new(vec!["no-such-agent-anywhere".into()], LONG).unwrap();
    assert!(matches!(nothing.complete("x").unwrap_err(), LlmError::Spawn { .. }));
}

#[test]
fn both_ways_to_cancel_end_the_call() {
    let flag = Arc::new(AtomicBool::new(false));
    let cancel = Cancel::new().unwrap();
    for backend in [
        shell("sleep 60").with_cancel(Arc::clone(&flag)),
        shell("sleep 60").with_cancel_handle(cancel.clone()),
    ] {
        let (flag, cancel) = (Arc::clone(&flag), cancel.clone());
        let start = Instant::now();
        let canceller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::SeqCst);
            cancel.cancel();
        });
        assert_eq!(backend.complete("x").unwrap_err().outcome(), Outcome::Cancelled);
        assert!(start.elapsed() < Duration::from_secs(20));
        canceller.join().unwrap();
    }
}

#[test]
fn only_ordinary_and_declared_variables_reach_the_agent() {
    // Cargo sets these for every test, and no agent has a use for them.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let text = shell("env").with_env_from("CARGO_PKG_NAME").with_env("SAID", "aloud").complete("x").unwrap();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"PATH") && names.contains(&"CARGO_PKG_NAME") && text.contains("SAID=aloud\n"));
    assert!(!names.contains(&"CARGO_MANIFEST_DIR"), "{names:?}");
}

#[test]
fn hostile_words_are_escaped_where_a_command_is_shown() {
    let backend =
        CommandBackend::new(vec!["no-such-agent".into(), "\u{1b}]0;owned\u{7}\n".into()], LONG).unwrap();
    let shown = backend.complete("x").unwrap_err().to_string();
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
}
