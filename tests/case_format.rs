//! The format of cases: its README names all of it, and what would make a case vacuous is refused.

use std::fs;
use std::path::Path;

use argvow::model::case::Case;
use argvow::subject::{Answer, Call};
use proptest::prelude::*;

/// Where a key or value that nobody knows is put, and the section of the README that has to name all that are known.
const PLACES: &[(&str, &str)] = &[
    ("nope = 1", "## The file"),
    ("level = 'nope'", "## The file"),
    ("[agent]\nnope = 1", "## The agent"),
    ("[[agent.step]]\nnope = 1", "## Steps"),
    ("[[agent.step]]\nread = 'nope'", "## Steps"),
    ("[[agent.step]]\nclose = ['nope']", "## Steps"),
    ("[[agent.step]]\nraise = 'nope'", "## Steps"),
    ("[[agent.step]]\nwait_for = 'nope'", "## Steps"),
    ("[[agent.step]]\nwrite = { nope = 1 }", "### `write`"),
    ("[[agent.step]]\nspawn = { nope = 1 }", "### `spawn`"),
    ("[[agent.step]]\nspawn = { via = 'nope' }", "### `spawn`"),
    ("[[agent.step]]\nspawn = { as = 'nope' }", "### `spawn`"),
    ("[[agent.step]]\non_signal = { nope = 1 }", "### `on_signal`"),
    ("[[agent.step]]\ntty = { nope = 1 }", "### `tty`"),
    ("[[agent.step]]\nask = { nope = 1 }", "### `ask`"),
    ("[host]\nnope = 1", "## The host"),
    ("[call]\nnope = 1", "## The call"),
    ("[call]\nprogram = 'nope'", "## The call"),
    ("[call]\nworking_dir = 'nope'", "## The call"),
    ("[expect]\nnope = 1", "## What must come of it"),
    ("[expect]\noutcome = 'nope'", "## What must come of it"),
    ("[expect.agent]\nnope = 1", "### What the agent saw"),
    ("[expect.agent]\nprompt = 'nope'", "### What the agent saw"),
    ("[expect.agent]\ntty = 'nope'", "### What the agent saw"),
    ("[expect.agent]\nanswer = 'nope'", "### What the agent saw"),
];

#[test]
fn the_readme_of_cases_names_every_key_step_and_value() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/README.md");
    let readme = fs::read_to_string(path).unwrap();
    for (text, heading) in PLACES {
        let error = toml::from_str::<Case>(text).unwrap_err().message().to_owned();
        let known = error.split_once("expected").unwrap_or_else(|| panic!("{text:?}: {error}")).1;
        let section =
            readme.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}")).1;
        let section = section.split("\n#").next().unwrap();
        for name in known.split('`').skip(1).step_by(2) {
            let there = section.contains(&format!("`{name}`")) || section.contains(&format!("`\"{name}\"`"));
            assert!(there, "{heading} does not name `{name}`: {error}");
        }
    }
}

#[test]
fn the_readme_of_runners_names_every_field_of_a_call_and_an_answer() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/subjects/README.md");
    let readme = fs::read_to_string(path).unwrap();
    let unknown = r#"{"nope":1}"#;
    for (heading, error) in [
        ("### Call", serde_json::from_str::<Call>(unknown).unwrap_err().to_string()),
        ("### Answer", serde_json::from_str::<Answer>(unknown).unwrap_err().to_string()),
    ] {
        let section = readme.split_once(&format!("\n{heading}\n")).unwrap().1.split("\n#").next().unwrap();
        for field in error.split_once("expected").unwrap().1.split('`').skip(1).step_by(2) {
            assert!(section.contains(&format!("| `{field}` |")), "{heading} does not name `{field}`");
        }
    }
}

#[test]
fn the_worked_example_of_the_readme_is_a_case() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/README.md");
    let readme = fs::read_to_string(path).unwrap();
    let example = readme.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    toml::from_str::<Case>(example).unwrap().validate().unwrap();
}

fn refusal(body: &str) -> String {
    let head = "title = 't'\nsince = '2026-12'\nlevel = 'must'\nwhy = 'w'\nkills = ['no-cap']\n";
    let agent = if body.contains("agent]") { "" } else { "[agent]\n" };
    toml::from_str::<Case>(&format!("{head}{agent}{body}")).unwrap().validate().unwrap_err()
}

#[test]
fn a_case_that_could_not_be_judged_is_refused() {
    for (body, part) in [
        ("[call]\n[expect]\noutcome = 'ok'\nagent.prompt = 'whole'", "`expect.agent.prompt` needs a step"),
        ("[call]\n[expect]\noutcome = 'ok'\nagent.tty = 'none'", "`expect.agent.tty` needs a step"),
        ("[call]\n[expect]\noutcome = 'ok'\nagent.answer = 'eof'", "`expect.agent.answer` needs a step"),
        ("[call]\nkill_runner_at = 'before-start'\n[expect]", "`kill_runner_at` takes a mark"),
        ("[call]\n[expect]\n", "`expect.outcome` is missing"),
        ("[agent]\nreaches = 'x'\n[call]\n[expect]\noutcome = 'ok'", "no step marks `x`"),
        ("[[agent.step]]\nwrite = {}\n[call]\n[expect]\noutcome = 'ok'", "exactly one of `text` and `hex`"),
        (
            "[call]\n[expect]\noutcome = 'ok'\nagent.started = true",
            "`expect.agent.started` can only be false",
        ),
        ("[call]\nat_once = 0\n[expect]\noutcome = 'ok'", "`call.at_once` is 0"),
        ("[call]\ncancels_half = true\n[expect]\noutcome = 'ok'", "`call.cancels_half` needs `at_once`"),
        (
            "[call]\n[expect]\noutcome = 'ok'\nagent.first_signal = 'TERM'",
            "`expect.agent.first_signal` needs a step",
        ),
        (
            "[[agent.step]]\nwait_for = 'release'\n[call]\n[expect]\noutcome = 'ok'",
            "`wait_for = \"release\"` needs a mark",
        ),
    ] {
        let said = refusal(body);
        assert!(said.contains(part), "{body}: {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Real cases with a piece cut out, doubled or put elsewhere: what a person's slip makes of them.
    #[test]
    fn the_parser_of_cases_never_panics(at in 0usize..4000, length in 0usize..80, to in 0usize..4000, noise in "\\PC{0,12}") {
        let mut text: Vec<char> = EXAMPLE.chars().collect();
        let at = at.min(text.len());
        let piece: Vec<char> = text.drain(at..(at + length).min(text.len())).collect();
        let to = to.min(text.len());
        text.splice(to..to, piece.into_iter().chain(noise.chars()));
        if let Ok(case) = toml::from_str::<Case>(&text.into_iter().collect::<String>()) {
            let _ = case.validate();
        }
    }

    #[test]
    fn the_parser_of_cases_never_panics_on_any_text(text in "\\PC{0,200}") {
        let _ = toml::from_str::<Case>(&text);
    }

    #[test]
    fn a_duration_is_read_or_refused(text in "[0-9]{0,12}(ms|s|m|h|)|\\PC{0,8}") {
        let _ = argvow::model::case::parse_duration(&text);
    }
}

const EXAMPLE: &str = include_str!("../fixtures/cases/permission/asks-on-stdin.toml");
