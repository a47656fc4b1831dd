//! The house itself: who may import whom, where unsafe code stands, what a file begins with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Who may import whom. A room that is not here may import nothing of ours.
const RULES: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("process", &[]),
    ("agents", &["model"]),
    ("policy", &["model", "agents"]),
    ("snapshot", &["model", "policy"]),
    ("backend", &["process", "agents", "model"]),
    ("fake", &["model", "policy", "process"]),
    ("subject", &["backend", "process", "model"]),
    ("suite", &["model", "fake", "subject", "process"]),
    ("report", &["model"]),
    (
        "cli",
        &[
            "model", "agents", "policy", "snapshot", "backend", "fake", "subject", "suite", "process",
            "report",
        ],
    ),
];

/// The files that may hold unsafe code.
const UNSAFE: &[&str] =
    &["src/process/kernel.rs", "src/process/own.rs", "src/process/spawn.rs", "src/process/supervisor.rs"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().into_owned()
}

/// The rooms that `text` names after `crate::`.
fn imports(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
        .filter(|room| !room.is_empty())
        .collect()
}

#[test]
fn no_room_imports_one_that_it_may_not() {
    let rules: BTreeMap<&str, &[&str]> = RULES.iter().copied().collect();
    for path in sources(&root().join("src")) {
        let name = relative(&path);
        let Some(room) = name.split('/').nth(1).filter(|_| name.matches('/').count() > 1) else { continue };
        let allowed = rules.get(room).unwrap_or_else(|| panic!("{name}: the room `{room}` has no rule"));
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            assert!(
                import == room || allowed.contains(&import.as_str()),
                "{name} imports `{import}`, which `{room}` may not"
            );
        }
    }
}

#[test]
fn unsafe_code_stands_in_the_files_that_are_listed_and_nowhere_else() {
    let found: Vec<String> = sources(&root().join("src"))
        .iter()
        .filter(|path| fs::read_to_string(path).unwrap().contains("unsafe {"))
        .map(|path| relative(path))
        .collect();
    assert_eq!(found, UNSAFE);
}

#[test]
fn every_source_file_says_first_what_it_owns() {
    for dir in ["src", "tests", "fixtures"] {
        for path in sources(&root().join(dir)) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//! "), "{} does not begin with `//! `", relative(&path));
        }
    }
}

#[test]
fn a_mod_file_holds_no_logic() {
    for path in sources(&root().join("src")).iter().filter(|path| path.ends_with("mod.rs")) {
        let text = fs::read_to_string(path).unwrap();
        for word in ["fn ", "struct ", "enum ", "impl ", "trait ", "const ", "static "] {
            let found = text.lines().find(|line| !line.starts_with("//") && line.contains(word));
            assert_eq!(found, None, "{}", relative(path));
        }
    }
}

#[test]
fn every_kind_of_case_area_has_at_least_two_cases() {
    let areas = [
        "timeout",
        "cancel",
        "working-dir",
        "large-pipe",
        "permission",
        "output",
        "exit",
        "prompt",
        "spawn",
        "cleanup",
        "environment",
        "concurrency",
    ];
    let catalogue = argvow::suite::Catalogue::embedded().unwrap();
    for area in areas {
        let count = catalogue.cases().filter(|case| case.id.starts_with(&format!("{area}/"))).count();
        assert!(count >= 2, "{area} has {count}");
    }
}
