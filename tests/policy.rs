//! What the flag check finds, and what it must never miss.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use argvow::agents::{Agent, Fetch, FetchError};
use argvow::model::{CompletionChannel, Finding, Launch, Placeholders, PromptChannel, Severity, Verdict};
use argvow::policy::{
    Arity, Class, Code, Dialect, Dialects, Family, FlagReport, Patterns, Separator, Takes, Word, check_flags,
    parse, settings,
};
use proptest::prelude::*;
use rstest::rstest;

static DIALECTS: LazyLock<Dialects> =
    LazyLock::new(|| Dialects::builtin().unwrap_or_else(|error| panic!("{error}")));

fn dialect(agent: Agent) -> &'static Dialect {
    DIALECTS.get(agent.id()).unwrap_or_else(|| panic!("no dialect for {agent:?}"))
}

fn check(launch: &Launch) -> FlagReport {
    check_flags(launch, &DIALECTS)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The `v1` launch with `extra` put before its word `at`.
fn v1_with(agent: Agent, at: usize, extra: &[&str]) -> Launch {
    let mut launch = agent.v1();
    launch.argv.splice(at..at, words(extra));
    launch
}

/// The launch with another argv.
fn v1_as(agent: Agent, argv: &[&str]) -> Launch {
    Launch { argv: words(argv), ..agent.v1() }
}

#[track_caller]
fn finding<'a>(report: &'a FlagReport, code: &str, arg: Option<usize>) -> &'a Finding {
    report
        .findings
        .iter()
        .find(|finding| finding.code == code && finding.arg == arg)
        .unwrap_or_else(|| panic!("no {code} at {arg:?} in {:#?}", report.findings))
}

#[track_caller]
fn codes(report: &FlagReport) -> Vec<(&str, Option<usize>)> {
    report.findings.iter().map(|finding| (finding.code.as_str(), finding.arg)).collect()
}

// The built-in launches.

#[test]
fn the_five_v1_launches_hold_and_only_notes_are_found() {
    for agent in Agent::ALL {
        let report = check(&agent.v1());
        assert_eq!(report.verdict, Verdict::Held, "{agent:?}: {:#?}", report.findings);
        assert!(report.findings.iter().all(|finding| finding.severity == Severity::Note));
        assert!(report.forbidden_checked > 0);
        assert_eq!(report.version.as_deref(), Some(dialect(agent).version()));
    }
}

#[test]
fn droids_rejected_dash_is_a_note_that_names_the_word() {
    let report = check(&Agent::Droid.v1());
    let note = finding(&report, "rejected-word", Some(4));
    assert_eq!((note.severity, note.text.as_str()), (Severity::Note, "-"));
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn every_word_of_the_v1_launches_is_read_and_has_a_reason() {
    for agent in Agent::ALL {
        let launch = agent.v1();
        let parsed = parse(dialect(agent), &launch.argv);
        assert_eq!(parsed.render(), launch.argv);
        for usage in &parsed.uses {
            let flag = dialect(agent).flag(&usage.spelling).expect("a known flag");
            assert!(flag.why().ends_with('.'), "{}", usage.spelling);
        }
        for word in &parsed.words {
            if let Word::Flag(flags) = word {
                assert!(flags.parts.iter().all(|part| part.usage.is_some()), "{word:?}");
            }
        }
    }
}

#[test]
fn each_dialect_agrees_with_the_agent_it_is_embedded_for() {
    for agent in Agent::ALL {
        let dialect = dialect(agent);
        assert_eq!((dialect.id(), dialect.program()), (agent.id(), agent.program()));
        assert_eq!(dialect.name(), agent.display_name());
        assert!(!dialect.forbidden().is_empty());
    }
    assert_eq!(DIALECTS.iter().count(), Agent::ALL.len());
}

#[test]
fn the_pattern_lists_of_the_v1_launches_split_one_pattern_a_line() {
    let lists = |agent: Agent| {
        let parsed = parse(dialect(agent), &agent.v1().argv);
        parsed
            .pattern_lists(dialect(agent))
            .into_iter()
            .map(|list| (list.word, list.patterns.patterns))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        lists(Agent::ClaudeCode),
        [(
            7,
            words(&[
                "Bash({fetch} agent:*)",
                "Bash(git diff:*)",
                "Read",
                "Grep",
                "Glob",
                "Bash(git log:*)",
                "Bash(git show:*)"
            ])
        )]
    );
    assert_eq!(
        lists(Agent::Copilot),
        [(4, words(&["write"])), (6, words(&["read", "shell(git:*)", "shell({fetch}:*)"]))]
    );
    assert_eq!(lists(Agent::Pi), [(10, words(&["read", "grep", "find", "ls", "bash"]))]);
    assert_eq!(lists(Agent::Codex), []);
}

// Forbidden flags, under the spellings that the agents accept and some that they refuse.

#[rstest]
#[case(Agent::ClaudeCode, 1, &["--dangerously-skip-permissions"])]
#[case(Agent::ClaudeCode, 8, &["--dangerously-skip-permissions"])]
#[case(Agent::ClaudeCode, 2, &["--dangerously-skip-permissions=true"])]
#[case(Agent::ClaudeCode, 2, &["--dangerously-skip-permissions=false"])]
#[case(Agent::ClaudeCode, 2, &["--no-dangerously-skip-permissions"])]
#[case(Agent::ClaudeCode, 2, &["--allow-dangerously-skip-permissions"])]
#[case(Agent::ClaudeCode, 2, &["--permission-mode", "bypassPermissions"])]
#[case(Agent::ClaudeCode, 2, &["--permission-mode=bypassPermissions"])]
#[case(Agent::ClaudeCode, 6, &["--permission-mode", "acceptEdits"])]
#[case(Agent::ClaudeCode, 6, &["--permission-mode=auto"])]
#[case(Agent::ClaudeCode, 2, &["--dangerously-load-development-channels", "x"])]
#[case(Agent::ClaudeCode, 2, &["--yolo"])]
#[case(Agent::ClaudeCode, 2, &["--auto=high"])]
#[case(Agent::ClaudeCode, 2, &["--dangerously-bypass-approvals-and-sandbox"])]
#[case(Agent::Codex, 1, &["--yolo"])]
#[case(Agent::Codex, 2, &["--yolo"])]
#[case(Agent::Codex, 10, &["--yolo"])]
#[case(Agent::Codex, 2, &["--yolo=false"])]
#[case(Agent::Codex, 1, &["--dangerously-bypass-approvals-and-sandbox"])]
#[case(Agent::Codex, 2, &["--dangerously-bypass-approvals-and-sandbox=true"])]
#[case(Agent::Codex, 2, &["--no-yolo"])]
#[case(Agent::Codex, 2, &["--approve-for-me"])]
#[case(Agent::Codex, 2, &["--not-so-yolo"])]
#[case(Agent::Codex, 2, &["--trust"])]
#[case(Agent::Codex, 2, &["--full-auto"])]
#[case(Agent::Codex, 2, &["--dangerously-bypass-hook-trust"])]
#[case(Agent::Codex, 1, &["-s", "danger-full-access"])]
#[case(Agent::Codex, 2, &["-sdanger-full-access"])]
#[case(Agent::Codex, 2, &["-s=danger-full-access"])]
#[case(Agent::Codex, 2, &["--sandbox=danger-full-access"])]
#[case(Agent::Codex, 2, &["-c", "sandbox_mode=\"danger-full-access\""])]
#[case(Agent::Codex, 2, &["-c", "sandbox_mode=danger-full-access"])]
#[case(Agent::Codex, 2, &["-csandbox_mode=danger-full-access"])]
#[case(Agent::Codex, 2, &["-c=sandbox_mode='danger-full-access'"])]
#[case(Agent::Codex, 1, &["--config=sandbox_mode=\"danger-full-access\""])]
#[case(Agent::Codex, 2, &["--config", " sandbox_mode = \"danger-\\u0066ull-access\" "])]
#[case(Agent::Codex, 2, &["-c", "\"sandbox_mode\"=\"danger-full-access\""])]
#[case(Agent::Codex, 2, &["-c", "default_permissions=\":danger-full-access\""])]
#[case(Agent::Codex, 2, &["-c", "mcp_servers.x.command=\"evil\""])]
#[case(Agent::Codex, 2, &["-c", "mcp_servers={x={command=\"evil\"}}"])]
#[case(Agent::Codex, 2, &["-c", "mcp_servers . x . command = evil"])]
#[case(Agent::Codex, 2, &["-c", "notify=[\"evil\"]"])]
#[case(Agent::Codex, 2, &["-c", "hooks.x=1"])]
#[case(Agent::Codex, 2, &["-c", "projects.\"/a.b\".trust_level=\"trusted\""])]
#[case(Agent::Codex, 2, &["-c", "projects={\"/a.b\"={trust_level=\"trusted\"}}"])]
#[case(Agent::Codex, 2, &["-c", "approvals_reviewer=\"auto_review\""])]
#[case(Agent::Codex, 2, &["-c", "profiles.x.sandbox_mode=\"danger-full-access\""])]
#[case(Agent::Codex, 2, &["--skip-permissions-unsafe"])]
#[case(Agent::Copilot, 1, &["--allow-all-tools"])]
#[case(Agent::Copilot, 7, &["--allow-all-tools"])]
#[case(Agent::Copilot, 1, &["--allow-all-tools=true"])]
#[case(Agent::Copilot, 1, &["--allow-all"])]
#[case(Agent::Copilot, 1, &["--yolo"])]
#[case(Agent::Copilot, 1, &["--allow-all-paths"])]
#[case(Agent::Copilot, 1, &["--allow-all-urls"])]
#[case(Agent::Copilot, 1, &["--no-sandbox"])]
#[case(Agent::Copilot, 1, &["--no-allow-all-tools"])]
#[case(Agent::Copilot, 1, &["--dangerously-skip-permissions"])]
#[case(Agent::Droid, 1, &["--auto", "high"])]
#[case(Agent::Droid, 2, &["--auto", "high"])]
#[case(Agent::Droid, 2, &["--auto", "low"])]
#[case(Agent::Droid, 4, &["--auto=medium"])]
#[case(Agent::Droid, 1, &["--skip-permissions-unsafe"])]
#[case(Agent::Droid, 2, &["--skip-permissions-unsafe=false"])]
#[case(Agent::Droid, 2, &["--mission"])]
#[case(Agent::Pi, 1, &["-a"])]
#[case(Agent::Pi, 11, &["--approve"])]
#[case(Agent::Pi, 2, &["--approve=false"])]
#[case(Agent::Pi, 2, &["--no-approve=true", "-a=1"])]
#[case(Agent::Pi, 2, &["--yolo"])]
fn a_forbidden_word_in_any_spelling_is_an_error_at_its_index(
    #[case] agent: Agent,
    #[case] at: usize,
    #[case] extra: &[&str],
) {
    let report = check(&v1_with(agent, at, extra));
    // The last of the words carries the forbidden spelling where there is more than one flag.
    let at = if extra.len() > 1 && extra[1].starts_with('-') { at + 1 } else { at };
    let found = finding(&report, "forbidden-flag", Some(at));
    assert_eq!(found.severity, Severity::Error);
    assert!(found.text.starts_with(&report.parsed.as_ref().unwrap().render()[at]), "{found:#?}");
    assert!(!found.message.is_empty() && !found.fix.is_empty());
    assert_eq!(report.verdict, Verdict::Broken);
}

#[rstest]
#[case(Agent::Copilot, "COPILOT_ALLOW_ALL", "true")]
#[case(Agent::Copilot, "COPILOT_ALLOW_ALL", "1")]
#[case(Agent::Copilot, "COPILOT_ALLOW_ALL", "yes")]
#[case(Agent::Copilot, "COPILOT_ALLOW_ALL", "on")]
#[case(Agent::Copilot, "COPILOT_ALLOW_ALL", "y")]
#[case(Agent::Copilot, "COPILOT_PROVIDER_API_KEY_COMMAND", "curl evil")]
#[case(Agent::Copilot, "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS", "true")]
#[case(Agent::ClaudeCode, "CLAUDE_CODE_SHELL_PREFIX", "evil")]
#[case(Agent::ClaudeCode, "CLAUDE_ENV_FILE", "/x")]
#[case(Agent::ClaudeCode, "GIT_EXTERNAL_DIFF", "evil")]
#[case(Agent::Droid, "GIT_EXTERNAL_DIFF", "evil")]
fn a_variable_that_gives_the_boundary_away_is_an_error(
    #[case] agent: Agent,
    #[case] name: &str,
    #[case] value: &str,
) {
    let mut launch = agent.v1();
    launch.env.insert(name.to_owned(), value.to_owned());
    let report = check(&launch);
    let found = finding(&report, "forbidden-env", None);
    assert_eq!(found.text, format!("{name}={value}"));
    assert_eq!(report.verdict, Verdict::Broken);

    let mut launch = agent.v1();
    launch.env_from.push(name.to_owned());
    let report = check(&launch);
    assert_eq!(finding(&report, "inherited-env", None).text, name);
    assert_eq!(report.verdict, Verdict::Inconclusive);
}

#[rstest]
#[case("GIT_CONFIG_GLOBAL", "/x", &["GIT_CONFIG_GLOBAL", "GIT_*", "GIT_CONFIG_*"])]
#[case("GIT_SSH_COMMAND", "evil", &["GIT_SSH_COMMAND"])]
#[case("LD_PRELOAD", "/x.so", &["LD_PRELOAD", "LD_*"])]
#[case("DYLD_INSERT_LIBRARIES", "/x", &["DYLD_*"])]
#[case("ENV", "/x", &["ENV", "EN*"])]
#[case("PROMPT_COMMAND", "evil", &["PROMPT_COMMAND"])]
#[case("NODE_OPTIONS", "--require /x", &["NODE_OPTIONS"])]
#[case("PYTHONSTARTUP", "/x", &["PYTHON*"])]
#[case("PYTHONPATH", "/x", &["PYTHONPATH"])]
#[case("PERL5OPT", "-Mx", &["PERL5*"])]
#[case("RUBYOPT", "-rx", &["RUBYOPT"])]
#[case("EDITOR", "evil", &["EDITOR"])]
#[case("PAGER", "evil", &["PAGER"])]
fn a_variable_that_runs_code_is_found_for_every_agent(
    #[case] name: &str,
    #[case] value: &str,
    #[case] from: &[&str],
) {
    for agent in Agent::ALL {
        let mut launch = agent.v1();
        launch.env.insert(name.to_owned(), value.to_owned());
        let found = check(&launch);
        assert_eq!(finding(&found, "widening-env", None).severity, Severity::Warning);
        for from in from {
            let mut launch = agent.v1();
            launch.env_from.push((*from).to_owned());
            let report = check(&launch);
            assert_eq!(finding(&report, "inherited-env", None).text, *from);
            assert_eq!(report.verdict, Verdict::Inconclusive);
        }
    }
}

#[test]
fn an_agents_own_row_decides_before_a_shared_pattern() {
    let mut launch = Agent::ClaudeCode.v1();
    launch.env.insert("BASH_ENV".to_owned(), "/x".to_owned());
    launch.env.insert("GIT_EXTERNAL_DIFF".to_owned(), "/x".to_owned());
    assert_eq!(codes(&check(&launch)), [("forbidden-env", None), ("forbidden-env", None)]);
    let mut launch = Agent::Copilot.v1();
    launch.env.insert("GITHUB_COPILOT_PROMPT_MODE_SKILLS".to_owned(), "true".to_owned());
    assert_eq!(codes(&check(&launch)), [("widening-env", None)]);
}

#[rstest]
#[case("/x:/usr/bin", Verdict::Inconclusive)]
#[case("", Verdict::Inconclusive)]
#[case("{tools}:/usr/bin", Verdict::Held)]
fn a_path_matters_where_the_launch_itself_spells_it(#[case] value: &str, #[case] verdict: Verdict) {
    for agent in Agent::ALL {
        let mut launch = agent.v1();
        launch.env_from.push("PATH".to_owned());
        assert_eq!(check(&launch).verdict, Verdict::Held);
        launch.env.insert("PATH".to_owned(), value.to_owned());
        assert_eq!(check(&launch).verdict, verdict);
    }
}

#[test]
fn a_variable_that_a_wrapper_sets_is_found_at_its_index() {
    let mut argv = words(&["env", "COPILOT_ALLOW_ALL=1"]);
    argv.extend(Agent::Copilot.v1().argv);
    let report = check(&Launch { argv, ..Agent::Copilot.v1() });
    assert_eq!(codes(&report), [("unknown-program", Some(0)), ("forbidden-env", Some(1))]);
}

#[rstest]
#[case("false", Verdict::Held)]
#[case("", Verdict::Held)]
#[case("TRUE", Verdict::Inconclusive)]
#[case("maybe", Verdict::Inconclusive)]
fn a_value_that_nobody_measured_is_not_held(#[case] value: &str, #[case] verdict: Verdict) {
    let mut launch = Agent::Copilot.v1();
    launch.env.insert("COPILOT_ALLOW_ALL".to_owned(), value.to_owned());
    assert_eq!(check(&launch).verdict, verdict);
}

#[test]
fn a_variable_that_was_measured_to_do_nothing_is_no_finding() {
    let mut launch = Agent::ClaudeCode.v1();
    launch.env.insert("IS_SANDBOX".to_owned(), "1".to_owned());
    assert_eq!(check(&launch).verdict, Verdict::Held);
}

#[test]
fn an_alias_is_named_with_the_flag_that_it_stands_for() {
    let report = check(&v1_with(Agent::Codex, 2, &["--yolo"]));
    let found = finding(&report, "forbidden-flag", Some(2));
    assert!(found.message.contains("`--dangerously-bypass-approvals-and-sandbox`"), "{}", found.message);
}

#[test]
fn a_spelling_of_another_agent_says_whose_it_is() {
    let report = check(&v1_with(Agent::Copilot, 1, &["--skip-permissions-unsafe"]));
    let found = finding(&report, "forbidden-flag", Some(1));
    assert!(found.message.contains("unknown to `copilot`"), "{}", found.message);
    assert!(found.message.contains("Factory Droid"), "{}", found.message);
}

#[test]
fn a_forbidden_word_inside_a_shell_command_is_found() {
    for command in
        ["claude -p --dangerously-skip-permissions", "true;claude '--dangerously-skip-permissions'"]
    {
        let report = check(&v1_as(Agent::ClaudeCode, &["sh", "-c", command]));
        finding(&report, "forbidden-flag", Some(2));
        assert_eq!(report.verdict, Verdict::Broken);
    }
    let report = check(&v1_as(
        Agent::ClaudeCode,
        &["sh -c --dangerously-skip-permissions", "claude", "-p", "--permission-mode", "default"],
    ));
    finding(&report, "forbidden-flag", Some(0));
}

#[test]
fn words_after_the_separator_are_operands() {
    let mut launch = Agent::ClaudeCode.v1();
    launch.prompt = PromptChannel::Argument;
    launch.argv.extend(words(&["--", "{prompt} --dangerously-skip-permissions"]));
    let report = check(&launch);
    assert_eq!(codes(&report), []);
    assert_eq!(report.verdict, Verdict::Held);
    launch.argv[9] = "--dangerously-skip-permissions".to_owned();
    assert_eq!(codes(&check(&launch)), [("stray-operand", Some(9)), ("prompt-channel", None)]);
}

#[test]
fn case_is_exact_and_another_case_is_an_unknown_flag() {
    let report = check(&v1_with(Agent::Codex, 2, &["--YOLO"]));
    assert_eq!(codes(&report), [("unknown-flag", Some(2))]);
    assert_eq!(report.verdict, Verdict::Inconclusive);
}

// Every code, each by a launch that produces it.

type Change = fn(&mut Launch);

const PRODUCED: &[(&str, Agent, Option<usize>, Change)] = &[
    ("forbidden-flag", Agent::Pi, Some(1), |l| l.argv.insert(1, "-a".into())),
    ("forbidden-env", Agent::Copilot, None, |l| {
        l.env.insert("COPILOT_ALLOW_ALL".into(), "1".into());
    }),
    ("inherited-env", Agent::Copilot, None, |l| l.env_from.push("COPILOT_*".into())),
    ("doubtful-env", Agent::Copilot, None, |l| {
        l.env.insert("COPILOT_ALLOW_ALL".into(), "2".into());
    }),
    ("widening-env", Agent::Pi, None, |l| {
        l.env.insert("PI_PACKAGE_DIR".into(), "/x".into());
    }),
    ("missing-pin", Agent::ClaudeCode, None, |l| {
        l.argv.drain(4..6);
    }),
    ("overridden-pin", Agent::ClaudeCode, Some(8), |l| {
        l.argv.extend(words(&["--permission-mode", "acceptEdits"]));
    }),
    ("unmeasured-place", Agent::Codex, Some(1), |l| l.argv.swap(1, 2)),
    ("not-sealed", Agent::ClaudeCode, None, |l| l.sealed = true),
    ("rejected-repeat", Agent::Codex, Some(10), |l| {
        l.argv.splice(10..10, words(&["-s", "workspace-write"]));
    }),
    ("repeated-flag", Agent::Pi, Some(11), |l| l.argv.extend(words(&["-t", "read,write"]))),
    ("swallowed-flag", Agent::Pi, Some(3), |l| {
        l.argv.remove(3);
    }),
    ("missing-value", Agent::Codex, Some(8), |l| l.argv.insert(8, "-m".into())),
    ("rejected-value", Agent::Pi, Some(4), |l| l.argv[4] = "--no-session=true".into()),
    ("unknown-value", Agent::Codex, Some(2), |l| {
        l.argv.splice(2..2, words(&["--disable", "landlock"]));
    }),
    ("unknown-key", Agent::Codex, Some(2), |l| {
        l.argv.splice(2..2, words(&["-c", "brand_new=1"]));
    }),
    ("unknown-flag", Agent::Droid, Some(2), |l| l.argv.insert(2, "--brand-new".into())),
    ("rejected-flag", Agent::Codex, Some(2), |l| {
        l.argv.splice(2..2, words(&["-a", "never"]));
    }),
    ("rejected-word", Agent::Droid, Some(4), |_| {}),
    ("widening-flag", Agent::ClaudeCode, Some(1), |l| {
        l.argv.splice(1..1, words(&["--add-dir", "/data"]));
    }),
    ("never-word", Agent::ClaudeCode, Some(1), |l| {
        l.never = words(&["--allowed-tools"]);
        l.argv.insert(1, "--allowedTools=Read".into());
    }),
    ("empty-patterns", Agent::ClaudeCode, Some(7), |l| l.argv[7] = String::new()),
    ("malformed-pattern", Agent::Copilot, Some(6), |l| l.argv[6] = "read,shell(git:*".into()),
    ("missing-subcommand", Agent::Codex, None, |l| {
        l.argv.remove(1);
    }),
    ("unknown-subcommand", Agent::Codex, Some(2), |l| l.argv.insert(2, "resume".into())),
    ("stray-operand", Agent::Copilot, Some(1), |l| l.argv.insert(1, "plugin".into())),
    ("open-word", Agent::ClaudeCode, Some(2), |l| {
        l.prompt = PromptChannel::Argument;
        l.argv.insert(2, "{prompt}".into());
    }),
    ("prompt-channel", Agent::Copilot, Some(1), |l| {
        l.argv.splice(1..1, words(&["-p", "Review"]));
    }),
    ("unknown-grant", Agent::Pi, None, |l| l.grants = words(&["exce"])),
    ("unknown-program", Agent::ClaudeCode, Some(0), |l| l.argv[0] = "happy".into()),
    ("unknown-agent", Agent::ClaudeCode, None, |l| l.agent = "nobody".into()),
];

#[test]
fn every_code_is_produced_by_a_launch_at_the_right_word() {
    for &(code, agent, arg, change) in PRODUCED {
        let mut launch = agent.v1();
        change(&mut launch);
        let report = check(&launch);
        let found = finding(&report, code, arg);
        let known = Code::from_name(code).expect("a known code");
        let expected = match found.severity {
            Severity::Error => Verdict::Broken,
            Severity::Warning => Verdict::Inconclusive,
            Severity::Note => Verdict::Held,
        };
        assert_eq!(found.severity, known.severity(), "{code}");
        if report.findings.iter().all(|other| other.severity <= found.severity) {
            assert_eq!(report.verdict, expected, "{code}: {:#?}", report.findings);
        }
        assert_eq!((found.launch.as_str(), found.agent.as_str()), (launch.name.as_str(), &*launch.agent));
    }
    let produced: BTreeSet<&str> = PRODUCED.iter().map(|&(code, ..)| code).collect();
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(produced, all);
}

#[test]
fn codes_are_unique_and_documented() {
    let mut seen = BTreeSet::new();
    for code in Code::ALL {
        assert!(seen.insert(code.as_str()), "{code} stands twice");
        assert!(code.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        assert!(!code.title().is_empty() && !code.title().ends_with('.'), "{code}");
        assert!(code.explanation().ends_with('.') && code.fix().ends_with('.'), "{code}");
        assert_eq!(Code::from_name(code.as_str()), Some(*code));
    }
    assert_eq!(Code::from_name("no-such-code"), None);
}

// Pins.

#[rstest]
#[case(Agent::ClaudeCode, 4..6)]
#[case(Agent::Codex, 2..3)]
#[case(Agent::Codex, 3..4)]
#[case(Agent::Codex, 4..6)]
#[case(Agent::Codex, 6..8)]
#[case(Agent::Copilot, 2..3)]
#[case(Agent::Copilot, 3..5)]
#[case(Agent::Pi, 9..11)]
fn taking_a_pin_out_breaks_the_launch(#[case] agent: Agent, #[case] words: std::ops::Range<usize>) {
    let mut launch = agent.v1();
    launch.argv.drain(words);
    let report = check(&launch);
    assert_eq!(codes(&report), [("missing-pin", None)]);
    assert_eq!(report.verdict, Verdict::Broken);
}

#[rstest]
#[case(Agent::ClaudeCode, &["claude", "-p", "--permission-mode", "yolo"], 2)]
#[case(Agent::Codex, &["codex", "exec", "--ignore-user-config", "--ignore-rules", "-c", "approval_policy=never", "-s", "workspace-write", "-"], 6)]
#[case(Agent::Codex, &["codex", "exec", "--ignore-user-config", "--ignore-rules", "-c", "approval_policy=\"on-request\"", "-s", "read-only", "-"], 4)]
#[case(Agent::Codex, &["codex", "exec", "--ignore-user-config", "--ignore-rules", "-c", "\"approval_policy\"=\"never\"", "-s", "read-only", "-"], 4)]
#[case(Agent::Codex, &["codex", "exec", "--ignore-user-config=false", "--ignore-rules", "-c", "approval_policy=never", "-s", "read-only", "-"], 2)]
#[case(Agent::Copilot, &["copilot", "-s", "--no-ask-user", "--deny-tool", "shell(write)"], 3)]
#[case(Agent::Pi, &["pi", "-p", "-t", ""], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", " "], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", ","], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "*"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "+ls"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "-bash"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "read,*"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "read,"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "read, ls"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "Read"], 2)]
#[case(Agent::Pi, &["pi", "-p", "-t", "read,rm"], 2)]
fn a_word_that_does_not_pin_is_found_where_it_stands(
    #[case] agent: Agent,
    #[case] argv: &[&str],
    #[case] at: usize,
) {
    let report = check(&v1_as(agent, argv));
    finding(&report, "missing-pin", Some(at));
    assert_eq!(report.verdict, Verdict::Broken);
}

#[rstest]
#[case(Agent::ClaudeCode, &["claude", "-p", "--permission-mode=plan"])]
#[case(Agent::Codex, &["codex", "-sread-only", "exec", "--ignore-user-config", "--ignore-rules", "-capproval_policy=never", "-"])]
#[case(Agent::Codex, &["codex", "--sandbox=read-only", "-c=approval_policy='never'", "--ignore-rules", "exec", "--ignore-user-config"])]
#[case(Agent::Copilot, &["copilot", "--deny-tool=shell,write", "--no-ask-user"])]
#[case(Agent::Copilot, &["copilot", "--deny-tool", "shell", "write", "--no-ask-user"])]
#[case(Agent::Pi, &["pi", "--tools", "read"])]
#[case(Agent::Pi, &["pi", "-nt"])]
#[case(Agent::Droid, &["/opt/bin/droid", "exec"])]
fn another_spelling_of_the_pins_holds(#[case] agent: Agent, #[case] argv: &[&str]) {
    let report = check(&v1_as(agent, argv));
    let found = codes(&report).into_iter().filter(|(code, _)| *code != "unmeasured-place");
    assert_eq!(found.count(), 0, "{:#?}", report.findings);
    assert_eq!(report.verdict, Verdict::Held);
}

#[rstest]
#[case(&["codex", "-s", "read-only", "exec", "--ignore-user-config", "--ignore-rules", "-c", "approval_policy=never"], &[1])]
#[case(&["codex", "--ignore-rules", "-c", "approval_policy=never", "exec", "-s", "read-only", "--ignore-user-config"], &[1, 2])]
#[case(&["codex", "exec", "-s", "read-only", "--ignore-user-config", "--ignore-rules", "-c", "approval_policy=never"], &[])]
fn a_pin_before_the_subcommand_is_a_note(#[case] argv: &[&str], #[case] at: &[usize]) {
    let report = check(&v1_as(Agent::Codex, argv));
    let expected: Vec<_> = at.iter().map(|&at| ("unmeasured-place", Some(at))).collect();
    assert_eq!(codes(&report), expected);
    assert_eq!(report.verdict, Verdict::Held);
}

#[test]
fn a_later_key_overrides_the_pinned_one() {
    let report = check(&v1_with(Agent::Codex, 10, &["-c", "approval_policy=\"on-request\""]));
    finding(&report, "overridden-pin", Some(10));
    assert_eq!(report.verdict, Verdict::Broken);
}

#[test]
fn a_sealed_launch_of_pi_needs_every_sealing_word() {
    let sealed = Launch { sealed: true, ..Agent::Pi.v1() };
    assert_eq!(check(&sealed).verdict, Verdict::Held);
    for at in 5..9 {
        let mut open = sealed.clone();
        open.argv.remove(at);
        assert_eq!(codes(&check(&open)), [("not-sealed", None)]);
    }
}

// Words that are eaten.

#[test]
fn a_flag_eaten_by_a_value_or_a_variadic_is_an_error_where_the_parser_takes_any_word() {
    let report = check(&v1_with(Agent::ClaudeCode, 1, &["--model", "--restricted"]));
    finding(&report, "swallowed-flag", Some(2));
    let report = check(&v1_with(Agent::ClaudeCode, 1, &["--tools", "--strict-mcp-config", "Read"]));
    finding(&report, "swallowed-flag", Some(2));
    let report = check(&v1_with(Agent::ClaudeCode, 1, &["--model", "--"]));
    finding(&report, "swallowed-flag", Some(2));
}

#[test]
fn the_word_for_standard_input_eaten_as_a_value_is_an_error() {
    let report = check(&v1_with(Agent::Codex, 10, &["-m"]));
    finding(&report, "swallowed-flag", Some(11));
}

#[test]
fn clap_reads_the_flag_and_misses_the_value() {
    let report = check(&v1_with(Agent::Codex, 2, &["-m", "--yolo"]));
    finding(&report, "missing-value", Some(2));
    finding(&report, "forbidden-flag", Some(3));
}

#[test]
fn a_prompt_eaten_by_the_allowlist_is_an_error() {
    let mut launch = Agent::ClaudeCode.v1();
    launch.prompt = PromptChannel::Argument;
    launch.argv.push("Review the change".to_owned());
    finding(&check(&launch), "swallowed-flag", Some(8));
    launch.argv[8] = "{prompt}".to_owned();
    finding(&check(&launch), "swallowed-flag", Some(8));
    launch.argv.insert(8, "--".to_owned());
    assert_eq!(check(&launch).verdict, Verdict::Held);
}

#[rstest]
#[case(&["--prompt={prompt}"], &[])]
#[case(&["-p={prompt}"], &[])]
#[case(&["-p", "{prompt}"], &[("open-word", Some(2))])]
fn a_flag_that_takes_the_prompt_may_have_it(
    #[case] extra: &[&str],
    #[case] expected: &[(&str, Option<usize>)],
) {
    let mut launch = v1_with(Agent::Copilot, 1, extra);
    launch.prompt = PromptChannel::Argument;
    assert_eq!(codes(&check(&launch)), expected);
}

#[rstest]
#[case(Agent::ClaudeCode, &["--disallowed-tools", "Write", "{more}"], Some(3))]
#[case(Agent::ClaudeCode, &["--disallowed-tools", "{more}"], None)]
#[case(Agent::ClaudeCode, &["--disallowed-tools={more}"], None)]
#[case(Agent::ClaudeCode, &["--resume", "{id}x"], Some(2))]
#[case(Agent::ClaudeCode, &["--model", "{model}"], None)]
#[case(Agent::Codex, &["-m", "{model}"], Some(2))]
#[case(Agent::Codex, &["-m{model}"], None)]
#[case(Agent::Codex, &["-m", "x{model}"], None)]
#[case(Agent::Codex, &["-i", "a.png", "{more}"], Some(3))]
#[case(Agent::Copilot, &["--deny-tool", "write", "{more}"], Some(3))]
#[case(Agent::Copilot, &["--share", "{file}"], Some(2))]
#[case(Agent::Copilot, &["--additional-mcp-config", "{\"a\":{}}"], None)]
#[case(Agent::Pi, &["--model", "{model}"], None)]
fn a_placeholder_where_the_parser_would_read_a_flag_is_open(
    #[case] agent: Agent,
    #[case] extra: &[&str],
    #[case] at: Option<usize>,
) {
    let report = check(&v1_with(agent, 1, extra));
    let open: Vec<Option<usize>> = report
        .findings
        .iter()
        .filter(|finding| finding.code == "open-word")
        .map(|finding| finding.arg)
        .collect();
    assert_eq!(open, at.map(Some).into_iter().collect::<Vec<_>>());
}

#[test]
fn a_feature_that_is_switched_off_by_key_is_judged_like_disable() {
    let codex = dialect(Agent::Codex);
    let known = codex.flag("--disable").expect("a known flag").values.keys().map(String::as_str);
    for name in known.chain(["landlock", "brand_new"]) {
        let flag = check(&v1_with(Agent::Codex, 2, &["--disable", name]));
        let key = format!("features.{name}=false");
        let table = format!("features={{{name}=false}}");
        for word in [key, table] {
            assert_eq!(codes(&check(&v1_with(Agent::Codex, 2, &["-c", &word]))), codes(&flag), "{word}");
        }
        let on = check(&v1_with(Agent::Codex, 2, &["-c", &format!("features.{name}=true")]));
        assert_eq!(codes(&on), [("widening-flag", Some(2))]);
    }
}

#[rstest]
#[case("mcp_servers.x.command=\"evil\"")]
#[case("notify=[\"evil\"]")]
#[case("approvals_reviewer=\"auto_review\"")]
#[case("default_permissions=\":danger-full-access\"")]
#[case("sandbox_mode=\"workspace-write\"")]
#[case("sandbox_mode=\"read-only\"")]
#[case("features.landlock=false")]
#[case("features.x=true")]
#[case("brand_new=1")]
#[case("model_providers.x.base_url=\"http://x\"")]
#[case("model=\"x\"")]
fn a_key_of_a_profile_is_judged_like_one_at_the_top(#[case] setting: &str) {
    let top = check(&v1_with(Agent::Codex, 2, &["-c", setting]));
    for word in [format!("profiles.p.{setting}"), format!("profiles.\"a.b\".profiles.q.{setting}")] {
        let below = check(&v1_with(Agent::Codex, 2, &["-c", &word]));
        for code in codes(&top) {
            assert!(codes(&below).contains(&code), "{word}: {:#?}", below.findings);
        }
    }
    let whole = check(&v1_with(Agent::Codex, 2, &["-c", "profiles.p=1"]));
    assert_eq!(codes(&whole), [("widening-flag", Some(2))]);
}

#[test]
fn an_attached_value_keeps_a_variadic_from_eating_the_prompt() {
    let argv =
        words(&["claude", "-p", "--permission-mode", "default", "--allowedTools=Read", "Review {prompt}"]);
    let launch = Launch { argv, prompt: PromptChannel::Argument, ..Agent::ClaudeCode.v1() };
    assert_eq!(check(&launch).verdict, Verdict::Held);
}

// Where the prompt is.

#[rstest]
#[case(Agent::ClaudeCode, PromptChannel::Stdin, &[], &[])]
#[case(Agent::ClaudeCode, PromptChannel::Stdin, &["--", "Review"], &[("stray-operand", Some(9))])]
#[case(Agent::ClaudeCode, PromptChannel::Argument, &[], &[("prompt-channel", None)])]
#[case(Agent::ClaudeCode, PromptChannel::Argument, &["--", "{prompt}"], &[])]
#[case(Agent::ClaudeCode, PromptChannel::Argument, &["--", "{prompt}", "more"], &[("stray-operand", Some(10))])]
#[case(Agent::ClaudeCode, PromptChannel::Argument, &["--", "{prompt}", "{prompt}"], &[("prompt-channel", Some(10))])]
#[case(Agent::ClaudeCode, PromptChannel::Argument, &["--model={prompt}"], &[("prompt-channel", None)])]
#[case(Agent::ClaudeCode, PromptChannel::File, &[], &[("prompt-channel", None)])]
#[case(Agent::ClaudeCode, PromptChannel::File, &["--", "@{file}"], &[])]
#[case(Agent::ClaudeCode, PromptChannel::File, &["--append-system-prompt-file={file}"], &[])]
#[case(Agent::Codex, PromptChannel::Stdin, &["--", "-"], &[])]
#[case(Agent::Codex, PromptChannel::Argument, &["--", "{prompt}"], &[("stray-operand", Some(10))])]
#[case(Agent::Codex, PromptChannel::File, &[], &[("prompt-channel", None)])]
#[case(Agent::Copilot, PromptChannel::Stdin, &["-p", "Review"], &[("prompt-channel", Some(7))])]
#[case(Agent::Copilot, PromptChannel::Stdin, &["--prompt={prompt}"], &[("prompt-channel", Some(7))])]
#[case(Agent::Copilot, PromptChannel::Argument, &["--prompt=Review"], &[("prompt-channel", None)])]
#[case(Agent::Copilot, PromptChannel::Argument, &["--prompt={prompt}"], &[])]
#[case(Agent::Copilot, PromptChannel::Argument, &["--prompt={prompt}", "more"], &[("stray-operand", Some(8))])]
#[case(Agent::Droid, PromptChannel::File, &["-f", "{task}"], &[("rejected-word", Some(4))])]
#[case(Agent::Droid, PromptChannel::Stdin, &["-f", "a.md"], &[("rejected-word", Some(4)), ("prompt-channel", Some(5))])]
fn the_prompt_comes_the_way_that_the_launch_says(
    #[case] agent: Agent,
    #[case] prompt: PromptChannel,
    #[case] extra: &[&str],
    #[case] expected: &[(&str, Option<usize>)],
) {
    let mut launch = Launch { prompt, ..agent.v1() };
    launch.argv.extend(words(extra));
    let report = check(&launch);
    assert_eq!(codes(&report), expected);
    let open = expected.iter().any(|(code, _)| *code != "rejected-word");
    assert_eq!(report.verdict, if open { Verdict::Inconclusive } else { Verdict::Held });
}

// Other rules.

#[rstest]
#[case(Agent::Codex, "-c sandbox_mode", &["-c", "sandbox_mode=\"read-only\""], true)]
#[case(Agent::Codex, "-c sandbox_mode", &["--config= \"sandbox_mode\" = 'read-only'"], true)]
#[case(Agent::Codex, "--config=sandbox_mode", &["-csandbox_mode=read-only"], true)]
#[case(Agent::Codex, "-c sandbox_mode", &["-c", "profiles.p.sandbox_mode=\"read-only\""], true)]
#[case(Agent::Codex, "-c shell_environment_policy", &["-c", "shell_environment_policy.inherit=\"core\""], true)]
#[case(Agent::Codex, "-c shell_environment_policy.inherit", &["-c", "shell_environment_policy={inherit=\"core\"}"], true)]
#[case(Agent::Codex, "-c model=a", &["-c", "model=\"a\""], true)]
#[case(Agent::Codex, "-c model=a", &["-c", "model=\"b\""], false)]
#[case(Agent::Codex, "-c sandbox_mod", &["-c", "sandbox_mode=\"read-only\""], false)]
#[case(Agent::ClaudeCode, "--allowed-tools Write", &["--allowedTools", "Read,Write"], true)]
#[case(Agent::ClaudeCode, "--allowed-tools Write", &["--allowed-tools=Read Write"], true)]
#[case(Agent::ClaudeCode, "--allowed-tools Write", &["--allowed-tools", "Read", " Write "], true)]
#[case(Agent::ClaudeCode, "--allowed-tools Write,Edit", &["--allowed-tools", "Edit"], true)]
#[case(Agent::ClaudeCode, "--allowed-tools Write", &["--disallowed-tools", "Write"], false)]
#[case(Agent::ClaudeCode, "--allowed-tools Write", &["--allowed-tools", "WriteX"], false)]
fn a_forbidden_value_is_found_by_key_and_by_entry(
    #[case] agent: Agent,
    #[case] never: &str,
    #[case] extra: &[&str],
    #[case] is_found: bool,
) {
    let at = if agent == Agent::Codex { 2 } else { 1 };
    let mut launch = v1_with(agent, at, extra);
    launch.never = words(&[never]);
    assert_eq!(codes(&check(&launch)).contains(&("never-word", Some(at))), is_found);
}

#[rstest]
#[case("")]
#[case(" \t")]
fn a_blank_word_under_never_is_a_warning(#[case] never: &str) {
    for agent in ["pi", "nobody"] {
        let launch = Launch { never: words(&[never]), agent: agent.to_owned(), ..Agent::Pi.v1() };
        assert_eq!(finding(&check(&launch), "never-word", None).severity, Severity::Warning);
    }
}

#[rstest]
#[case("{fresh}/copilot", true)]
#[case("/tmp/x", true)]
#[case("", false)]
#[case(" ", false)]
#[case("~", false)]
#[case("~/.copilot", false)]
#[case("{home}/.copilot", false)]
#[case("$HOME/.copilot", false)]
#[case("${HOME}/.copilot", false)]
fn a_variable_seals_with_a_fresh_place_only(#[case] value: &str, #[case] seals: bool) {
    let mut launch = Launch { sealed: true, ..Agent::Copilot.v1() };
    launch.env.insert("COPILOT_HOME".to_owned(), value.to_owned());
    let expected: &[(&str, Option<usize>)] = if seals { &[] } else { &[("not-sealed", None)] };
    assert_eq!(codes(&check(&launch)), expected);
}

#[test]
fn a_switch_of_copilot_may_stand_twice() {
    let copilot = dialect(Agent::Copilot);
    let quiet = |class| matches!(class, Class::Neutral | Class::Narrows | Class::Seals);
    for flag in copilot.flags().iter().filter(|flag| flag.arity == Arity::Switch && quiet(flag.class())) {
        let report = check(&v1_with(Agent::Copilot, 1, &[flag.canonical(), flag.canonical()]));
        assert_eq!(report.verdict, Verdict::Held, "{:#?}", report.findings);
    }
    let report = check(&v1_with(Agent::Copilot, 1, &["--model", "a", "--model", "b"]));
    finding(&report, "rejected-repeat", Some(3));
}

#[rstest]
#[case(&["-c", "sandbox_mode=\"read-only\""], &[])]
#[case(&["-c", "sandbox_mode=read-only"], &[])]
#[case(&["-c", "sandbox_mode=workspace-write", "-c", "sandbox_mode=read-only"], &["widening-flag"])]
#[case(&["-c", "sandbox_mode=read-only", "-c", "sandbox_mode=workspace-write"], &["overridden-pin", "widening-flag"])]
#[case(&["-c", "sandbox_mode=read-only", "-s", "workspace-write"], &["missing-pin", "widening-flag"])]
#[case(&["-s", "workspace-write", "-c", "sandbox_mode=read-only"], &["missing-pin", "widening-flag"])]
#[case(&["-c", "sandbox_mode=workspace-write"], &["missing-pin", "widening-flag"])]
#[case(&["-c", "\"sandbox_mode\"=\"read-only\""], &["missing-pin"])]
#[case(&["-c", "profiles.p.sandbox_mode=\"read-only\""], &["missing-pin"])]
fn the_sandbox_is_pinned_by_flag_or_by_key_and_the_flag_wins(
    #[case] instead: &[&str],
    #[case] expected: &[&str],
) {
    let mut launch = Agent::Codex.v1();
    launch.argv.splice(6..8, words(instead));
    let report = check(&launch);
    let found: BTreeSet<&str> = codes(&report).into_iter().map(|(code, _)| code).collect();
    assert_eq!(found, expected.iter().copied().collect());
}

#[rstest]
#[case("text", &[])]
#[case("stream-jsonrpc", &["widening-flag"])]
#[case("brand-new", &["unknown-value", "widening-flag"])]
fn droid_reads_plain_text_as_ever(#[case] value: &str, #[case] expected: &[&str]) {
    let report = check(&v1_with(Agent::Droid, 2, &["--input-format", value]));
    let found: Vec<&str> =
        codes(&report).into_iter().map(|(code, _)| code).filter(|code| *code != "rejected-word").collect();
    assert_eq!(found, expected);
}

#[rstest]
#[case("exce", true)]
#[case("", true)]
#[case("Exec", true)]
#[case("exce:git", true)]
#[case("exec", false)]
#[case("exec:{fetch} agent", false)]
#[case("vcs-mutate", false)]
fn a_capability_that_does_not_exist_is_a_warning(#[case] grant: &str, #[case] is_found: bool) {
    for agent in ["pi", "nobody"] {
        let launch = Launch { grants: words(&[grant]), agent: agent.to_owned(), ..Agent::Pi.v1() };
        assert_eq!(codes(&check(&launch)).contains(&("unknown-grant", None)), is_found);
    }
}

#[rstest]
#[case("--add-dir", &["--add-dir", "/x"])]
#[case("--allowedTools", &["--allowed-tools", "Read"])]
#[case("-p", &["--print"])]
#[case("--model opus", &["--model=opus"])]
#[case("--brand-new", &["--brand-new=1"])]
fn a_word_that_the_launch_forbids_is_found_under_every_spelling(#[case] never: &str, #[case] extra: &[&str]) {
    let mut launch = v1_with(Agent::ClaudeCode, 1, extra);
    launch.never = words(&[never]);
    finding(&check(&launch), "never-word", Some(1));
}

#[test]
fn a_value_that_is_not_the_forbidden_one_is_no_finding() {
    let mut launch = v1_with(Agent::ClaudeCode, 1, &["--model=haiku"]);
    launch.never = words(&["--model=opus"]);
    assert_eq!(codes(&check(&launch)), []);
}

#[test]
fn a_widening_flag_that_the_launch_means_is_a_note() {
    let mut launch = v1_with(Agent::ClaudeCode, 1, &["--add-dir", "/data"]);
    assert_eq!(check(&launch).verdict, Verdict::Inconclusive);
    launch.grants = words(&["read-anywhere"]);
    let report = check(&launch);
    assert_eq!(finding(&report, "widening-flag", Some(1)).severity, Severity::Note);
    assert_eq!(report.verdict, Verdict::Held);
}

#[rstest]
#[case("exec", Severity::Note)]
#[case("exec:{fetch} agent", Severity::Warning)]
#[case("exec:", Severity::Warning)]
#[case("write", Severity::Warning)]
#[case(" exec", Severity::Warning)]
fn only_a_bare_capability_waives_and_leaves_a_note(#[case] grant: &str, #[case] severity: Severity) {
    let mut launch = v1_with(Agent::Codex, 2, &["--enable", "x", "-c", "features.y=true"]);
    launch.grants = words(&[grant]);
    let report = check(&launch);
    for at in [2, 4] {
        assert_eq!(finding(&report, "widening-flag", Some(at)).severity, severity);
    }
    let mut launch = Agent::Pi.v1();
    launch.env.insert("PI_PACKAGE_DIR".to_owned(), "/x".to_owned());
    launch.grants = words(&[grant]);
    assert_eq!(finding(&check(&launch), "widening-env", None).severity, severity);
}

#[test]
fn the_file_that_the_completion_goes_to_is_meant() {
    let mut launch = v1_with(Agent::Codex, 2, &["-o", "{file}"]);
    assert_eq!(check(&launch).verdict, Verdict::Inconclusive);
    launch.completion = CompletionChannel::File("{file}".to_owned());
    assert_eq!(check(&launch).verdict, Verdict::Held);
}

#[test]
fn an_abbreviated_name_is_an_unknown_flag_with_a_hint() {
    let report = check(&v1_with(Agent::Codex, 2, &["--dangerously-bypass-appr"]));
    let found = finding(&report, "unknown-flag", Some(2));
    assert!(found.message.contains("takes no abbreviations"), "{}", found.message);
    assert_eq!(report.verdict, Verdict::Inconclusive);
}

#[test]
fn short_names_cluster_where_the_parser_does_that_and_nowhere_else() {
    let claude = parse(dialect(Agent::ClaudeCode), &words(&["claude", "-pc", "-pnname"]));
    let spellings: Vec<&str> = claude.uses.iter().map(|usage| usage.spelling.as_str()).collect();
    assert_eq!(spellings, ["-p", "-c", "-p", "-n"]);
    assert_eq!(claude.uses[3].values[0].text, "name");
    let pi = parse(dialect(Agent::Pi), &words(&["pi", "-nc", "-pa"]));
    assert_eq!(pi.uses.len(), 1);
    assert_eq!(pi.uses[0].spelling, "-nc");
}

#[test]
fn a_forbidden_letter_in_a_cluster_is_found() {
    let report = check(&v1_with(Agent::ClaudeCode, 1, &["-pa"]));
    finding(&report, "forbidden-flag", Some(1));
}

#[test]
fn hostile_words_are_escaped_and_cut_in_messages() {
    let word = format!("--x\u{1b}[31m\n{}", "y".repeat(1_000_000));
    let report = check(&v1_with(Agent::ClaudeCode, 1, &[&word]));
    let found = finding(&report, "unknown-flag", Some(1));
    assert_eq!(found.text, word);
    assert!(found.message.len() < 1_000, "{}", found.message.len());
    assert!(!found.message.chars().any(char::is_control));
    assert!(found.message.contains("\\u{1b}"));
}

#[test]
fn an_empty_argv_is_not_held() {
    for agent in Agent::ALL {
        assert_ne!(check(&Launch { argv: Vec::new(), ..agent.v1() }).verdict, Verdict::Held);
    }
}

#[test]
fn an_unknown_agent_is_not_held_and_a_known_bypass_still_found() {
    let mut launch = Agent::ClaudeCode.v1();
    launch.agent = "nobody".to_owned();
    assert_eq!(check(&launch).verdict, Verdict::Inconclusive);
    launch.argv.push("--yolo".to_owned());
    finding(&check(&launch), "forbidden-flag", Some(8));
}

#[rstest]
#[case("", Separator::Comma, ',', &[""], true)]
#[case("a,b", Separator::Comma, ',', &["a", "b"], true)]
#[case("Bash(a,b),Read", Separator::CommaOrSpace, ',', &["Bash(a,b)", "Read"], true)]
#[case("Bash(a b) Read", Separator::CommaOrSpace, ' ', &["Bash(a b)", "Read"], true)]
#[case("Bash(a,b) Read", Separator::CommaOrSpace, ' ', &["Bash(a,b)", "Read"], true)]
#[case("a b", Separator::Comma, ',', &["a b"], true)]
#[case("a, b", Separator::CommaOrSpace, ',', &["a", " b"], true)]
#[case("a,b c", Separator::CommaOrSpace, ',', &["a", "b c"], false)]
#[case("Bash(a,b", Separator::Comma, ',', &["Bash(a,b"], false)]
#[case("a),b", Separator::Comma, ',', &["a)", "b"], false)]
fn pattern_lists_are_cut_outside_parentheses(
    #[case] word: &str,
    #[case] separator: Separator,
    #[case] at: char,
    #[case] patterns: &[&str],
    #[case] certain: bool,
) {
    let cut = Patterns::split(word, separator);
    assert_eq!(cut, Patterns { separator: at, patterns: words(patterns), certain });
}

#[test]
fn a_key_is_seen_through_quotes_white_space_and_tables() {
    let paths =
        |word: &str| settings(word).into_iter().map(|s| (s.path.join("/"), s.value)).collect::<Vec<_>>();
    let one = |path: &str, value: &str| vec![(path.to_owned(), value.to_owned())];
    assert_eq!(paths("a.b=1"), one("a/b", "1"));
    assert_eq!(paths(" a . \"b\" = 'x' "), one("a/b", "x"));
    assert_eq!(paths("\"\\u0061\"=true"), one("a", "true"));
    assert_eq!(paths("a={b={c=\"d\"}}"), one("a/b/c", "d"));
    assert_eq!(paths("a=not toml at all"), one("a", "not toml at all"));
    assert_eq!(paths("a=1\nb=2"), one("a", "1\nb=2"));
    assert_eq!(paths("none"), []);
}

// Properties.

/// Where a flag may be put into the argv: before any word that is no value of a flag, and at the end.
fn flag_positions(agent: Agent) -> Vec<usize> {
    let parsed = parse(dialect(agent), &agent.v1().argv);
    let mut at: Vec<usize> =
        (1..parsed.words.len()).filter(|&i| !matches!(parsed.words[i], Word::Value { .. })).collect();
    at.push(parsed.words.len());
    at
}

/// Every way to write every flag that a dialect forbids, one word or two.
fn forbidden_spellings(dialect: &Dialect) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for flag in dialect.flags() {
        for name in flag.names() {
            let short = !name.starts_with("--") && dialect.family() != Family::Pi;
            let mut values: Vec<String> = Vec::new();
            if flag.class() == Class::Forbidden {
                if flag.arity == Arity::Switch {
                    all.push(vec![name.to_owned()]);
                    all.extend(["true", "false", "0", ""].map(|value| vec![format!("{name}={value}")]));
                    // Pi's `--no-approve` is a flag of its own.
                    let negated = name.strip_prefix("--").map(|long| format!("--no-{long}"));
                    all.extend(negated.filter(|name| dialect.flag(name).is_none()).map(|name| vec![name]));
                } else {
                    values.push("value".to_owned());
                }
            }
            let bad = |(value, class): (&String, &Class)| (*class == Class::Forbidden).then(|| value.clone());
            values.extend(flag.values.iter().filter_map(bad));
            if flag.takes() == Some(Takes::KeyValues) {
                for (pattern, key) in &flag.keys {
                    let path = pattern.replace('*', "\"a.b\"");
                    let mut bad_values: Vec<String> = key.values.iter().filter_map(bad).collect();
                    if key.class() == Class::Forbidden {
                        bad_values.push("anything".to_owned());
                    }
                    for value in bad_values {
                        values.push(format!("{path}={value}"));
                        values.push(format!("{path}={value:?}"));
                        values.push(
                            format!(" {} = '{value}'", path.replace('.', " . ")).replace("a . b", "a.b"),
                        );
                    }
                }
            }
            for value in values {
                all.push(vec![name.to_owned(), value.clone()]);
                if short {
                    all.push(vec![format!("{name}{value}")]);
                    all.push(vec![format!("{name}={value}")]);
                } else if dialect.family() != Family::Pi {
                    all.push(vec![format!("{name}={value}")]);
                }
            }
        }
    }
    all
}

#[test]
fn every_forbidden_row_of_every_table_is_found_at_every_position() {
    for agent in Agent::ALL {
        for spelling in forbidden_spellings(dialect(agent)) {
            for at in flag_positions(agent) {
                let spelling: Vec<&str> = spelling.iter().map(String::as_str).collect();
                let report = check(&v1_with(agent, at, &spelling));
                finding(&report, "forbidden-flag", Some(at));
                assert_eq!(report.verdict, Verdict::Broken);
            }
        }
    }
}

#[test]
fn every_forbidden_flag_of_every_agent_is_found_in_every_other_agents_launch() {
    for agent in Agent::ALL {
        for other in DIALECTS.iter().filter(|other| other.id() != agent.id()) {
            for flag in other.flags().iter().filter(|flag| flag.class() == Class::Forbidden) {
                for name in flag.names().filter(|name| dialect(agent).flag(name).is_none()) {
                    let report = check(&v1_with(agent, 1, &[name]));
                    finding(&report, "forbidden-flag", Some(1));
                }
            }
        }
    }
}

fn any_agent() -> impl Strategy<Value = Agent> {
    prop::sample::select(Agent::ALL.to_vec())
}

/// Words that look like what parsers trip over.
fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "-{0,3}[a-z]{0,4}=?[-=,(). \"'a-z\\n\\x1b]{0,8}",
        prop::sample::select(
            DIALECTS
                .iter()
                .flat_map(|dialect| dialect.flags().iter().flat_map(|flag| flag.names().map(str::to_owned)))
                .chain(words(&[
                    "--",
                    "-",
                    "",
                    "exec",
                    "claude",
                    "codex",
                    "pi",
                    "sandbox_mode=x",
                    "a={b=[",
                    "-pc"
                ]))
                .collect::<Vec<_>>()
        ),
        (
            prop::sample::select(
                DIALECTS
                    .iter()
                    .flat_map(|dialect| dialect
                        .flags()
                        .iter()
                        .flat_map(|flag| flag.names().map(str::to_owned)))
                    .collect::<Vec<_>>()
            ),
            "[=]?\\PC{0,6}"
        )
            .prop_map(|(name, rest)| name + &rest),
    ]
}

fn any_argv() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_word(), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rendering_what_was_parsed_gives_the_argv_back(agent in any_agent(), argv in any_argv()) {
        let parsed = parse(dialect(agent), &argv);
        prop_assert_eq!(parsed.words.len(), argv.len());
        prop_assert_eq!(parsed.render(), argv.clone());
        for list in parsed.pattern_lists(dialect(agent)) {
            prop_assert_eq!(&list.render(), &argv[list.word]);
        }
    }

    #[test]
    fn no_argv_makes_the_check_panic_and_every_finding_points_at_its_word(
        agent in any_agent(), argv in any_argv(), program in any::<bool>(), sealed in any::<bool>(), never in any_word(),
    ) {
        let mut launch = Launch { argv, sealed, never: vec![never], ..agent.v1() };
        if program {
            launch.argv.insert(0, agent.program().to_owned());
        }
        let report = check(&launch);
        for found in &report.findings {
            prop_assert!(Code::from_name(&found.code).is_some());
            prop_assert!(!found.message.chars().any(char::is_control), "{:?}", found.message);
            if let Some(arg) = found.arg {
                prop_assert!(arg < launch.argv.len());
            }
        }
        let errors = report.findings.iter().any(|found| found.severity == Severity::Error);
        prop_assert_eq!(errors, report.verdict == Verdict::Broken);
    }

    #[test]
    fn a_forbidden_spelling_among_other_flags_is_found(
        agent in any_agent(),
        spelling in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        more in prop::sample::subsequence(vec![0_usize, 1, 2], 0..3),
    ) {
        let spellings = forbidden_spellings(dialect(agent));
        let spelling: Vec<&str> = spelling.get(&spellings).iter().map(String::as_str).collect();
        let at = *at.get(&flag_positions(agent));
        let mut launch = v1_with(agent, at, &spelling);
        // Further switches behind the program move the index and change nothing else.
        let switches: Vec<String> = dialect(agent)
            .flags()
            .iter()
            .filter(|flag| flag.arity == Arity::Switch && flag.class() != Class::Forbidden)
            .map(|flag| flag.canonical().to_owned())
            .collect();
        for pick in &more {
            launch.argv.insert(1, switches[pick % switches.len()].clone());
        }
        finding(&check(&launch), "forbidden-flag", Some(at + more.len()));
    }

    #[test]
    fn joining_the_patterns_gives_the_word_back(word in any::<String>(), other in "[ ,()a-c]{0,20}") {
        for word in [word, other] {
            for separator in [Separator::Comma, Separator::CommaOrSpace] {
                prop_assert_eq!(Patterns::split(&word, separator).join(), word.clone());
            }
        }
    }

    #[test]
    fn settings_never_panic(word in any::<String>(), other in "[a-c.\"'= {}\\[\\],\\\\]{0,24}") {
        prop_assert!(settings(&word).is_empty() || word.contains('='));
        prop_assert!(settings(&other).is_empty() || other.contains('='));
    }

    #[test]
    fn no_fetch_command_changes_another_pattern(
        command in prop_oneof![
            any::<String>(),
            "[a-z/._@%+-]{1,12}",
            "[a-z/]{0,4}[ ,()*:'\"\\n{}\\\\]{1,2}[a-z]{0,4}",
        ],
        agent in prop::sample::select(vec![Agent::ClaudeCode, Agent::Copilot]),
    ) {
        match Fetch::new(&command) {
            Err(FetchError::Empty) => prop_assert!(command.is_empty()),
            Err(FetchError::Character { character, at, .. }) => {
                prop_assert_eq!(command[at..].chars().next(), Some(character));
            }
            Err(FetchError::Option { .. }) => prop_assert!(command.starts_with('-')),
            Err(FetchError::Interpreter { .. }) => {}
            Ok(fetch) => {
                let launch = agent.v1();
                let resolved = launch.resolve(&Placeholders::new().with("fetch", fetch.as_str()));
                let lists = |argv: &[String]| parse(dialect(agent), argv).pattern_lists(dialect(agent));
                let (before, after) = (lists(&launch.argv), lists(&resolved));
                prop_assert_eq!(before.len(), after.len());
                for (before, after) in before.iter().zip(&after) {
                    prop_assert!(after.patterns.certain);
                    let expected: Vec<String> =
                        before.patterns.patterns.iter().map(|p| p.replace("{fetch}", fetch.as_str())).collect();
                    prop_assert_eq!(&expected, &after.patterns.patterns);
                }
                prop_assert_eq!(check(&Launch { argv: resolved, ..launch.clone() }).verdict, Verdict::Held);
                prop_assert_eq!(launch.identity(), agent.v1().identity());
                prop_assert!(!launch.identity().contains(fetch.as_str()) || agent.v1().identity().contains(fetch.as_str()));
            }
        }
    }

    #[test]
    fn a_fetch_command_with_a_hostile_character_is_refused(
        start in "[a-z/]{0,6}", hostile in prop::sample::select(vec![',', '(', ')', ' ', '\'', '"', ':', '*', '\n', '\r', '\t', '\0', '{', '}', '\\', '$', '`', ';', '|', '&', '<', '>']), end in "[a-z]{0,6}",
    ) {
        let refused = matches!(Fetch::new(&format!("{start}{hostile}{end}")), Err(FetchError::Character { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn every_change_of_the_argv_changes_the_identity(
        agent in any_agent(), at in any::<prop::sample::Index>(), word in any_word(), kind in 0..3,
    ) {
        let mut launch = agent.v1();
        let at = at.index(launch.argv.len());
        match kind {
            0 => launch.argv.insert(at, word),
            1 => { launch.argv.remove(at); }
            _ => launch.argv[at] = word,
        }
        prop_assert_eq!(launch.argv == agent.v1().argv, launch.identity() == agent.v1().identity());
    }

    #[test]
    fn no_dialect_text_makes_the_reader_panic(text in any::<String>(), cut in any::<prop::sample::Index>(), agent in any_agent()) {
        let _ = Dialect::parse(Path::new("d.toml"), &text);
        let source = agent.dialect_source();
        let mut end = cut.index(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        let _ = Dialect::parse(Path::new("d.toml"), &source[..end]);
    }
}

#[test]
fn huge_words_do_no_harm() {
    let bombs = [
        "[".repeat(200_000),
        "(".repeat(200_000),
        ",".repeat(200_000),
        "-".repeat(200_000),
        format!("-{}", "p".repeat(5_000)),
        format!("a={}", "[".repeat(200_000)),
        format!("a={}", "{a=".repeat(60_000)),
        format!("{}=1", "a.".repeat(60_000)),
    ];
    for agent in Agent::ALL {
        for bomb in &bombs {
            for flag in ["-c", "--allowed-tools", "--deny-tool", "-t"] {
                let launch = v1_with(agent, 1, &[flag, bomb]);
                let report = check(&launch);
                assert_eq!(report.parsed.expect("a dialect").render(), launch.argv);
            }
        }
    }
}

// Dialect files of a user's own.

const OWN: &str = r#"schema = 1
id = "mine"
name = "Mine"
program = "mine"
version = "1"
parser = "clap"
repeat = "last-wins"

[[flag]]
names = ["-x", "--danger"]
arity = "switch"
class = "forbidden"
evidence = "D"
why = "It opens everything."

[[flag]]
names = ["-q", "--quiet"]
arity = "switch"
class = "neutral"
evidence = "D"
why = "Less output."
"#;

#[test]
fn a_dialect_of_a_users_own_is_checked_like_the_built_in_ones() {
    let mut dialects = DIALECTS.clone();
    dialects.add(Path::new("mine.toml"), OWN).expect("a right dialect");
    let launch = Launch { agent: "mine".into(), argv: words(&["mine", "-qx"]), ..Agent::ClaudeCode.v1() };
    let report = check_flags(&launch, &dialects);
    finding(&report, "forbidden-flag", Some(1));
    let other = v1_with(Agent::ClaudeCode, 1, &["--danger"]);
    finding(&check_flags(&other, &dialects), "forbidden-flag", Some(1));
    assert_eq!(check(&other).verdict, Verdict::Inconclusive);
    let quiet = Launch { argv: words(&["mine", "-q"]), ..launch };
    assert_eq!(check_flags(&quiet, &dialects).verdict, Verdict::Held);
}

#[rstest]
#[case("schema = 1", "schema = 2", 1, 10, "schema")]
#[case("version = \"1\"", "version = 1", 5, 11, "string")]
#[case("version = \"1\"", "version = \"\"", 5, 11, "empty")]
#[case("repeat = \"last-wins\"", "repeat = \"first-wins\"", 7, 10, "first-wins")]
#[case("why = \"Less output.\"", "whi = \"Less output.\"", 21, 1, "whi")]
#[case("arity = \"switch\"\nclass = \"neutral\"", "arity = \"two\"\nclass = \"neutral\"", 18, 9, "two")]
#[case("class = \"neutral\"", "class = \"widens\"", 19, 9, "grants")]
#[case("\"--quiet\"", "\"--danger\"", 17, 16, "twice")]
#[case("\"--quiet\"", "\"quiet\"", 17, 16, "no flag")]
#[case("\"-q\"", "\"-qq\"", 17, 10, "one letter")]
#[case("evidence = \"D\"\nwhy = \"L", "evidence = \"Z\"\nwhy = \"L", 20, 12, "evidence")]
#[case("id = \"mine\"", "id = \"mine\"\nid = \"yours\"", 3, 1, "duplicate")]
#[case("id = \"mine\"", "id = \"codex\"", 2, 6, "exists already")]
#[case("id = \"mine\"", "id = \"Mine!\"", 2, 6, "lower-case")]
#[case("class = \"neutral\"", "class = \"neutral\"\ntakes = \"patterns\"", 20, 9, "switch")]
#[case(
    "why = \"Less output.\"\n",
    "why = \"Less output.\"\n[[env]]\nname = \"A*B\"\nclass = \"neutral\"\nevidence = \"D\"\nwhy = \"x\"\n",
    23,
    8,
    "no variable"
)]
#[case(
    "why = \"Less output.\"\n",
    "why = \"Less output.\"\n[[pin]]\nid = \"p\"\nseverity = \"error\"\nby = [{ flag = \"--gone\" }]\nwhy = \"x\"\nfix = \"x\"\n",
    25,
    7,
    "--gone"
)]
fn a_wrong_dialect_is_an_error_at_the_right_place(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] line: usize,
    #[case] column: usize,
    #[case] says: &str,
) {
    assert!(OWN.contains(right), "{right}");
    let text = OWN.replacen(right, wrong, 1);
    let mut dialects = DIALECTS.clone();
    let error = dialects.add(Path::new("mine.toml"), &text).expect_err("a wrong dialect");
    assert_eq!((error.line(), error.column()), (line, column), "{error}");
    assert!(error.to_string().contains(says), "{error}");
}
