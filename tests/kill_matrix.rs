//! Every case can fail: each is run against the runners with known faults that it must flag, and flags them for
//! what is wrong with them; runners without a fault pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use argvow::model::case::Case;
use argvow::model::{Event, Verdict, VerdictEvent};
use argvow::suite::{Catalogue, Options, Runner, Stop, run_pairs};

/// The runner that most broken ones are made from.
const SOUND: &str = "naive";

/// What it fails, because no runner that has nothing but its own process can do it: nobody cleans up when it is killed,
/// and nothing tells whose an orphan is.
const BEYOND_ONE_PROCESS: &[&str] = &[
    "cleanup/runner-killed",
    "cleanup/runner-killed-daemon",
    "cleanup/runner-killed-ignores-term",
    "concurrency/bystander-lives",
    "concurrency/bystander-lives-through-a-deadline",
    "concurrency/half-cancelled",
];

/// What it may hold or fail: the first of several calls to end takes what is alive of the others, and what that is, is
/// a race.
const A_RACE_FOR_ONE_PROCESS: &[&str] = &[
    "concurrency/answers-apart",
    "concurrency/deadlines-at-once",
    "concurrency/large-answers",
    "concurrency/orphans-at-once",
];

/// Between these the README holds the matrix.
const BEGIN: &str = "<!-- matrix: begin -->\n";
const END: &str = "<!-- matrix: end -->\n";

fn subjects() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/subjects")
}

/// The program that is all broken runners. `cargo test` builds it; `cargo test NAME` does not, and then it is missing
/// or stale.
fn broken() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples/broken");
    let built = fs::metadata(&path).and_then(|data| data.modified()).ok();
    let mut todo = vec![subjects(), PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(dir) = todo.pop() {
        for source in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if source.is_dir() {
                todo.push(source);
            } else if source.extension().is_some_and(|ext| ext == "rs") {
                let fresh = built >= fs::metadata(source).unwrap().modified().ok();
                assert!(fresh, "{} is missing or stale: run `cargo build --example broken`", path.display());
            }
        }
    }
    path
}

fn names() -> Vec<String> {
    let output = Command::new(broken()).arg("list").output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn host(name: &str) -> Runner {
    let command = [broken().into(), name.into(), "argvow-host".into()].into();
    Runner::Host { name: name.to_owned(), command }
}

fn verdicts(pairs: &[(&Case, &Runner)]) -> Vec<VerdictEvent> {
    let options = Options { executable: Some(env!("CARGO_BIN_EXE_argvow").into()), ..Options::default() };
    let mut all = Vec::new();
    run_pairs(pairs, &options, &Stop::default(), &mut |event| {
        if let Event::Verdict(verdict) = event {
            all.push(verdict);
        }
    })
    .unwrap();
    assert_eq!(all.len(), pairs.len());
    all
}

fn source(name: &str) -> String {
    fs::read_to_string(subjects().join(format!("{}.rs", name.replace('-', "_")))).unwrap()
}

/// What a case may say of a runner, as the runner's own file has it: the quoted words after `Seen as:`.
fn seen_as(name: &str) -> Vec<String> {
    let text = source(name);
    let line = text.lines().find_map(|line| line.strip_prefix("//! Seen as: "));
    let line = line.unwrap_or_else(|| panic!("{name} does not say what it is `Seen as:`"));
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_case_flags_the_runners_that_it_names_for_their_fault() {
    let start = Instant::now();
    let catalogue = Catalogue::embedded().unwrap();
    let names = names();
    let runners: BTreeMap<&str, Runner> = names.iter().map(|name| (name.as_str(), host(name))).collect();
    let mut pairs = Vec::new();
    for case in catalogue.cases() {
        assert!(!case.kills.is_empty(), "{} kills nobody", case.id);
        for name in &case.kills {
            let runner = runners.get(name.as_str());
            pairs.push((
                case,
                runner.unwrap_or_else(|| panic!("{} names `{name}`, which is nobody", case.id)),
            ));
        }
    }
    let named: BTreeSet<&str> = pairs.iter().map(|(_, runner)| runner.name()).collect();
    let idle: Vec<&&str> = runners.keys().filter(|name| !named.contains(*name)).collect();
    assert!(idle.is_empty(), "no case names {idle:?}");

    let (mut caught, mut wrong) = (BTreeMap::<String, Vec<(String, bool)>>::new(), String::new());
    let mut slowest = Vec::new();
    for verdict in verdicts(&pairs) {
        let VerdictEvent { subject, id, detail, .. } = &verdict;
        let broken = verdict.verdict == Verdict::Broken;
        if !broken || !seen_as(subject).iter().any(|words| detail.contains(words.as_str())) {
            writeln!(wrong, "{id} on {subject}: {:?}, {detail}, {}", verdict.verdict, verdict.evidence)
                .unwrap();
        }
        slowest.push((verdict.elapsed_ms, format!("{id} on {subject}")));
        caught.entry(subject.clone()).or_default().push((id.clone(), broken));
    }
    slowest.sort_unstable();
    println!(
        "{} pairs in {:.1?}; slowest: {:?}",
        pairs.len(),
        start.elapsed(),
        &slowest[slowest.len() - 5..]
    );
    assert!(wrong.is_empty(), "not caught, or not for its fault:\n{wrong}");
    compare_matrix(&matrix(&caught));
}

fn matrix(caught: &BTreeMap<String, Vec<(String, bool)>>) -> String {
    let mut text = String::from("| runner | fault | caught | by |\n|---|---|---|---|\n");
    for (name, cases) in caught {
        let by: Vec<String> =
            cases.iter().filter(|(_, broken)| *broken).map(|(id, _)| format!("`{id}`")).collect();
        let source = source(name);
        let fault = source.lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap();
        writeln!(text, "| `{name}` | {fault} | {} of {} | {} |", by.len(), cases.len(), by.join(", "))
            .unwrap();
    }
    text
}

/// Holds the README's matrix against what was seen; `ARGVOW_WRITE_MATRIX=1` writes it.
fn compare_matrix(seen: &str) {
    let path = subjects().join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var_os("ARGVOW_WRITE_MATRIX").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{seen}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written, seen, "{} is stale: ARGVOW_WRITE_MATRIX=1 cargo test -- kill_matrix", path.display());
}

/// What was run, in a sentence.
fn assert_sound(runner: &Runner, but: &[&str], either: &[&str]) -> String {
    let start = Instant::now();
    let catalogue = Catalogue::embedded().unwrap();
    let cases = catalogue.cases().filter(|case| !either.contains(&case.id.as_str()));
    let pairs: Vec<_> = cases.map(|case| (case, runner)).collect();
    let mut wrong = String::new();
    for verdict in verdicts(&pairs) {
        let expected = if but.contains(&verdict.id.as_str()) { Verdict::Broken } else { Verdict::Held };
        if verdict.verdict != expected {
            let VerdictEvent { id, detail, evidence, .. } = &verdict;
            writeln!(wrong, "{id}: {:?}, {detail}, {evidence}", verdict.verdict).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}:\n{wrong}", runner.name());
    format!("{} cases on {} in {:.1?}", pairs.len(), runner.name(), start.elapsed())
}

#[test]
fn no_case_flags_the_reference_runner() {
    println!("{}", assert_sound(&Runner::Builtin, &[], &[]));
}

#[test]
fn no_case_flags_a_careful_runner_on_std_but_those_that_it_cannot_pass() {
    println!("{}", assert_sound(&host(SOUND), BEYOND_ONE_PROCESS, A_RACE_FOR_ONE_PROCESS));
}

#[test]
fn what_the_careful_runner_on_std_may_fail_is_what_is_said_of_it_and_all_that_is() {
    let catalogue = Catalogue::embedded().unwrap();
    for case in catalogue.cases() {
        let named = case.kills.iter().any(|name| name == "dies-alone" || name == "in-process-subreaper");
        assert_eq!(BEYOND_ONE_PROCESS.contains(&case.id.as_str()), named, "{}", case.id);
        let race = case.call.at_once > 1 && !named;
        assert_eq!(A_RACE_FOR_ONE_PROCESS.contains(&case.id.as_str()), race, "{}", case.id);
    }
}

#[test]
fn broken_knows_no_other_name() {
    for args in [&["nobody", "argvow-host"][..], &["no-cap"], &[]] {
        assert_eq!(Command::new(broken()).args(args).output().unwrap().status.code(), Some(2), "{args:?}");
    }
}

#[test]
#[ignore = "minutes: `ci/kill-matrix` runs it and prints the table"]
fn every_case_on_every_runner() {
    let catalogue = Catalogue::embedded().unwrap();
    let only = std::env::var("ARGVOW_RUNNERS").unwrap_or_default();
    let names: Vec<String> = names()
        .into_iter()
        .filter(|name| only.is_empty() || only.split(' ').any(|one| one == name))
        .collect();
    for name in &names {
        let runner = host(name);
        let pairs: Vec<_> = catalogue.cases().map(|case| (case, &runner)).collect();
        for (verdict, (case, _)) in verdicts(&pairs).iter().zip(&pairs) {
            let named = case.kills.contains(name);
            if verdict.verdict != Verdict::Held || named {
                let mark = if named { "named" } else { "beyond" };
                println!("{name}\t{}\t{:?}\t{mark}\t{}", verdict.id, verdict.verdict, verdict.detail);
            }
        }
    }
}
