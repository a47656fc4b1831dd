//! Whatever ends a run of argvow, nothing of it is left: no process, no directory.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(20);

#[track_caller]
fn wait_until(what: &str, done: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn start(tmp: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_argvow"))
        .args(["suite", "--format", "jsonl"])
        .current_dir(tmp)
        .env("TMPDIR", tmp)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn entries(tmp: &Path) -> usize {
    fs::read_dir(tmp).unwrap().count()
}

/// Processes whose command line names the directory.
fn processes(tmp: &Path) -> Vec<String> {
    let tmp = tmp.to_string_lossy().into_owned();
    let command_line = |entry: &fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| command_line(&entry))
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&tmp))
        .collect()
}

fn runs_a_case(tmp: &Path) -> bool {
    fs::read_dir(tmp).unwrap().flatten().any(|run| {
        fs::read_dir(run.path()).is_ok_and(|mut dir| {
            dir.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("case-")))
        })
    })
}

#[rstest]
#[case(Signal::INT)]
#[case(Signal::TERM)]
#[case(Signal::HUP)]
#[case(Signal::KILL)]
fn a_run_that_a_signal_ends_leaves_nothing(#[case] signal: Signal) {
    let tmp = tempfile::tempdir().unwrap();
    let mut run = start(tmp.path());
    wait_until("a case runs", || runs_a_case(tmp.path()));
    kill_process(Pid::from_child(&run), signal).unwrap();
    run.wait().unwrap();
    wait_until("processes are gone", || processes(tmp.path()).is_empty());
    wait_until("the directory is empty", || entries(tmp.path()) == 0);
}

#[test]
fn a_directory_that_no_run_holds_is_swept_by_the_next_run_and_one_that_is_held_is_not() {
    let tmp = tempfile::tempdir().unwrap();
    for name in ["argvow-run-stale", "argvow-run-held", "argvow-run-young", "somebody-elses"] {
        fs::create_dir(tmp.path().join(name)).unwrap();
    }
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    let lock = |name: &str| {
        let lock = fs::File::create(tmp.path().join(name).join("lock")).unwrap();
        lock.set_modified(long_ago).unwrap();
        lock
    };
    drop(lock("argvow-run-stale"));
    let held = lock("argvow-run-held");
    fs::create_dir(tmp.path().join("argvow-run-hostile")).unwrap();
    argvow::process::make_fifo(&tmp.path().join("argvow-run-hostile/lock")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert!(start(tmp.path()).wait().unwrap().success());
    let mut left: Vec<String> = fs::read_dir(tmp.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["argvow-run-held", "argvow-run-hostile", "argvow-run-young", "somebody-elses"]);
}
