//! The README tells what is so: its transcript is what the command prints, its table is what the code says.

use std::fs;
use std::path::{Path, PathBuf};

use argvow::agents::Agent;
use assert_cmd::Command;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

fn readme() -> String {
    fs::read_to_string(path()).unwrap()
}

#[test]
fn the_transcript_is_what_check_prints() {
    let done = Command::new(env!("CARGO_BIN_EXE_argvow"))
        .arg("check")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(done.stdout).unwrap();
    let begin = "$ cargo run --release -- check\nargvow ";
    let block = format!("$ cargo run --release -- check\n{}```\n", printed);
    if std::env::var_os("ARGVOW_WRITE_README").is_some() {
        let text = readme();
        let from = text.find(begin).unwrap();
        let to = from + text[from..].find("```\n").unwrap() + "```\n".len();
        fs::write(path(), format!("{}{block}{}", &text[..from], &text[to..])).unwrap();
    }
    assert!(
        readme().contains(&block),
        "the README's transcript is out of date (ARGVOW_WRITE_README=1 writes it); check printed:\n{printed}"
    );
}

#[test]
fn the_table_of_agents_says_what_the_code_says() {
    let readme = readme();
    for agent in Agent::ALL {
        let launch = agent.v1();
        let claim = format!("| {} |", launch.boundary.as_str());
        let row = readme.lines().find(|line| line.starts_with(&format!("| {} |", agent.display_name())));
        let row = row.unwrap_or_else(|| panic!("{} has no row", agent.display_name()));
        assert!(row.contains(&claim) && row.contains(&launch.assessment.in_words()), "{row}");
        for note in &launch.assessment.notes {
            assert!(row.contains(note.as_str()), "{row}: {note}");
        }
    }
}

#[test]
fn every_verb_and_exit_code_of_the_readme_exists() {
    let help = Command::new(env!("CARGO_BIN_EXE_argvow")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for verb in ["check", "accept", "list", "explain", "suite"] {
        assert!(help.contains(&format!("  {verb} ")), "{verb}");
    }
}
