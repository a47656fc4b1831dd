//! The process room against real processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use argvow::process::{
    Cancel, Command, Containment, Ending, JobSet, Limits, Report, SpawnError, descendants, run,
};

/// Far above what any of these needs, far below what a hang would take.
const SOON: Duration = Duration::from_secs(8);

fn command(argv: &[&str]) -> Command {
    Command {
        argv: argv.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        cwd: None,
    }
}

fn limits(timeout: Duration) -> Limits {
    Limits { timeout, ..Limits::default() }
}

#[track_caller]
fn shell(script: &str, input: &[u8], timeout: Duration) -> Report {
    let start = Instant::now();
    let report = run(&command(&["sh", "-c", script]), input, &limits(timeout), None, None).unwrap();
    assert!(start.elapsed() < timeout + SOON, "took {:?}", start.elapsed());
    report
}

fn alive(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap();
    let stat = fs::read_to_string(PathBuf::from("/proc").join(pid.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z"))
}

#[test]
fn a_prompt_goes_in_while_output_comes_out() {
    let input: Vec<u8> = (0..10_000_000u32).map(|i| i as u8).collect();
    let report = run(&command(&["cat"]), &input, &limits(Duration::from_secs(60)), None, None).unwrap();
    assert_eq!(report.ending, Ending::Exited(0));
    assert!(report.stdout == input);
    assert!(report.drained);
    assert_eq!(report.containment, Containment::Supervised);
}

#[test]
fn a_prompt_that_nobody_reads_is_no_error() {
    let input = vec![b'x'; 1 << 20];
    let report = shell("exec <&-; echo bad auth >&2; exit 7", &input, SOON);
    assert_eq!(report.ending, Ending::Exited(7));
    assert_eq!(report.stderr, "bad auth\n");
}

#[test]
fn the_deadline_holds_although_a_descendant_keeps_the_pipes() {
    let report = shell("echo partial; sleep 60 & wait", b"", Duration::from_millis(200));
    assert_eq!(report.ending, Ending::TimedOut);
    assert_eq!(report.stdout, b"partial\n");
}

#[test]
fn the_exit_status_decides_although_a_descendant_keeps_the_pipes() {
    let report = shell("sleep 60 & echo done; exit 3", b"", SOON);
    assert_eq!(report.ending, Ending::Exited(3));
    assert_eq!(report.stdout, b"done\n");
    assert_eq!(report.leftovers, 1);
}

#[test]
fn a_signal_is_reported_as_one() {
    assert_eq!(shell("kill -9 $$", b"", SOON).ending, Ending::Signaled(9));
    assert_eq!(shell("kill -ABRT $$", b"", SOON).ending, Ending::Signaled(6));
}

#[test]
fn a_daemon_in_a_session_of_its_own_does_not_outlive_the_call() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let script = format!(
        "setsid sh -c 'setsid sh -c \"echo \\$\\$ > {0}.tmp; mv {0}.tmp {0}; exec sleep 60\" >/dev/null 2>&1 &' \
         >/dev/null 2>&1; while [ ! -e {0} ]; do :; done; echo done",
        file.display()
    );
    let report = shell(&script, b"", SOON);
    assert_eq!(report.ending, Ending::Exited(0));
    assert!(!alive(&file));
    assert_eq!(report.leftovers, 1);
}

#[test]
fn an_agent_that_ignores_term_is_killed_after_the_grace() {
    let report = shell("trap '' TERM; sleep 60 & sleep 60", b"", Duration::from_millis(100));
    assert_eq!(report.ending, Ending::TimedOut);
}

#[test]
fn an_agent_that_is_stopped_is_ended_all_the_same() {
    let report = shell("kill -STOP $$", b"", Duration::from_millis(100));
    assert_eq!(report.ending, Ending::TimedOut);
}

#[test]
fn an_agent_that_kills_its_supervisor_is_reported_as_containment_lost() {
    let report = shell("kill -9 $PPID; sleep 60", b"", SOON);
    assert_eq!(report.containment, Containment::Lost);
}

#[test]
fn an_agent_that_stops_its_supervisor_gains_nothing() {
    let report = shell("kill -STOP $PPID; sleep 60", b"", Duration::from_millis(200));
    assert_eq!(report.ending, Ending::TimedOut);
    assert_eq!(report.containment, Containment::Supervised);
}

#[test]
fn what_cannot_be_started_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("plain");
    fs::write(&plain, "echo I ran\n").unwrap();
    let start = |argv0: &Path, cwd: Option<&Path>| {
        let mut command = command(&[argv0.to_str().unwrap()]);
        command.cwd = cwd.map(Path::to_owned);
        run(&command, b"", &limits(SOON), None, None).unwrap_err()
    };
    let kind = |error| match error {
        SpawnError::Program { source, .. } => source.raw_os_error().unwrap_or(0),
        SpawnError::WorkingDir { source, .. } => -source.raw_os_error().unwrap_or(0),
        SpawnError::Containment { .. } | SpawnError::Resources(_) => 0,
    };
    assert_eq!(kind(start(&dir.path().join("nothing"), None)), libc_errno("ENOENT"));
    assert_eq!(kind(start(&plain, None)), libc_errno("EACCES"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&plain, mode).unwrap();
    assert_eq!(kind(start(&plain, None)), libc_errno("ENOEXEC"));
    assert_eq!(kind(start(Path::new("/bin/true"), Some(&dir.path().join("gone")))), -libc_errno("ENOENT"));
    assert_eq!(kind(start(Path::new("/bin/true"), Some(&plain))), -libc_errno("ENOTDIR"));
}

fn libc_errno(name: &str) -> i32 {
    match name {
        "ENOENT" => 2,
        "ENOEXEC" => 8,
        "EACCES" => 13,
        _ => 20,
    }
}

#[test]
fn a_zero_deadline_and_a_cancelled_call_start_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("started");
    let command = command(&["touch", file.to_str().unwrap()]);
    let report = run(&command, b"", &limits(Duration::ZERO), None, None).unwrap();
    assert_eq!(report.ending, Ending::TimedOut);
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    let report = run(&command, b"", &limits(SOON), Some(&cancel), None).unwrap();
    assert_eq!(report.ending, Ending::Cancelled);
    assert!(!file.exists());
}

#[test]
fn an_agent_gets_default_signals_no_terminal_and_three_descriptors() {
    // Without close-on-exec, as a careless caller would have it open.
    let leak = fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let report = shell(
        "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd | wc -l; (: > /dev/tty) 2>/dev/null || echo no tty",
        b"",
        SOON,
    );
    let out = String::from_utf8(report.stdout).unwrap();
    assert!(out.contains("SigBlk:\t0000000000000000"), "{out}");
    assert!(out.contains("SigIgn:\t0000000000000000"), "{out}");
    // 0, 1, 2 and the directory that `ls` reads.
    assert!(out.contains("\n4\n"), "{out}");
    assert!(out.contains("no tty"), "{out}");
}

#[test]
fn output_beyond_the_cap_ends_the_job() {
    let small = Limits { stdout_cap: 1000, ..limits(SOON) };
    let report = run(&command(&["yes"]), b"", &small, None, None).unwrap();
    assert_eq!(report.ending, Ending::TooLarge);
    assert_eq!(report.stdout.len(), 1000);
}

#[test]
fn two_hundred_jobs_at_once_do_not_touch_each_other() {
    let jobs: Vec<_> = (0..200)
        .map(|i| {
            thread::spawn(move || {
                let cancel = Cancel::new().unwrap();
                if i % 2 == 0 {
                    let later = cancel.clone();
                    let canceller = thread::spawn(move || {
                        thread::sleep(Duration::from_millis(50));
                        later.cancel();
                    });
                    let report =
                        run(&command(&["sleep", "60.25"]), b"", &limits(SOON * 4), Some(&cancel), None)
                            .unwrap();
                    canceller.join().unwrap();
                    assert_eq!(report.ending, Ending::Cancelled);
                } else {
                    let script = format!("sleep 0.1; echo {i}");
                    let report =
                        run(&command(&["sh", "-c", &script]), b"", &limits(SOON * 4), Some(&cancel), None)
                            .unwrap();
                    assert_eq!(report.ending, Ending::Exited(0));
                    assert_eq!(report.stdout, format!("{i}\n").as_bytes());
                }
            })
        })
        .collect();
    for job in jobs {
        job.join().unwrap();
    }
    // Other tests of this process have children too; these alone sleep for 60.25 seconds.
    let ours = |id: i32| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| line.ends_with(b"60.25\0"));
    let left: Vec<_> = descendants(std::process::id() as i32).into_iter().filter(|p| ours(p.id)).collect();
    assert_eq!(left, []);
}

#[test]
fn a_set_drives_two_hundred_jobs_on_one_thread_and_half_of_them_cancelled() {
    let mut set = JobSet::new().unwrap();
    let mut expected = BTreeMap::new();
    let mut cancels = Vec::new();
    for i in 0..200 {
        if i % 2 == 0 {
            let id = set.start(&command(&["sleep", "60.75"]), Vec::new(), &limits(SOON * 4)).unwrap();
            cancels.push(set.canceller(id));
            expected.insert(id, None);
        } else {
            let text = format!("{i}").repeat(1 + 500 * i);
            let id = set.start(&command(&["cat"]), text.clone().into_bytes(), &limits(SOON * 4)).unwrap();
            expected.insert(id, Some(text));
        }
    }
    let canceller = thread::spawn(move || cancels.iter().for_each(argvow::process::JobCancel::cancel));
    while let Some((id, report)) = set.wait().unwrap() {
        let report = report.unwrap();
        match expected.remove(&id).unwrap() {
            None => assert_eq!(report.ending, Ending::Cancelled),
            Some(text) => {
                assert_eq!(report.ending, Ending::Exited(0));
                assert!(report.stdout == text.as_bytes());
            }
        }
    }
    canceller.join().unwrap();
    assert!(expected.is_empty());
}

#[test]
fn a_set_tells_deadlines_and_what_cannot_be_started() {
    let mut set = JobSet::new().unwrap();
    let short =
        set.start(&command(&["sleep", "60"]), Vec::new(), &limits(Duration::from_millis(50))).unwrap();
    let zero = set.start(&command(&["sleep", "60"]), Vec::new(), &limits(Duration::ZERO)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut elsewhere = command(&["true"]);
    elsewhere.cwd = Some(dir.path().join("gone"));
    let gone = set.start(&elsewhere, Vec::new(), &limits(SOON)).unwrap();
    assert!(set.start(&command(&["no-such-program-at-all"]), Vec::new(), &limits(SOON)).is_err());
    let mut seen = BTreeMap::new();
    while let Some((id, report)) = set.wait().unwrap() {
        seen.insert(id, report);
    }
    assert_eq!(seen[&short].as_ref().unwrap().ending, Ending::TimedOut);
    assert_eq!(seen[&zero].as_ref().unwrap().ending, Ending::TimedOut);
    assert!(matches!(seen[&gone], Err(SpawnError::WorkingDir { .. })));
}

/// Whether this host lets us make process namespaces.
fn has_namespaces() -> bool {
    let limits = Limits { containment: Containment::PidNamespace, ..limits(SOON) };
    !matches!(
        run(&command(&["true"]), b"", &limits, None, None),
        Err(SpawnError::Containment { containment: Containment::PidNamespace, .. })
    )
}

#[test]
fn a_namespace_contains_an_agent_that_attacks_its_supervisor() {
    if !has_namespaces() {
        // As an ordinary user: refused, with a typed error and nothing started, which is what was just seen.
        return;
    }
    let contained = |script: &str, timeout: Duration| {
        let limits = Limits { containment: Containment::PidNamespace, ..limits(timeout) };
        run(&command(&["sh", "-c", script]), b"prompt", &limits, None, None).unwrap()
    };
    let report = contained("kill -9 $PPID; kill -STOP $PPID; kill -9 1; cat; echo; echo still here", SOON);
    assert_eq!(report.ending, Ending::Exited(0));
    assert_eq!(report.stdout, b"prompt\nstill here\n");
    assert_eq!(report.containment, Containment::PidNamespace);

    let script = "setsid sh -c 'setsid sleep 60 & sleep 60' & sleep 60 & echo said; exit 3";
    let report = contained(script, SOON);
    assert_eq!((report.ending, &report.stdout[..]), (Ending::Exited(3), &b"said\n"[..]));
    assert!(report.leftovers >= 2, "{}", report.leftovers);

    let report = contained("trap '' TERM; setsid sleep 60 & sleep 60", Duration::from_millis(200));
    assert_eq!(report.ending, Ending::TimedOut);
    assert_eq!(report.containment, Containment::PidNamespace);
}

#[test]
fn a_job_goes_on_when_the_thread_that_started_it_has_ended() {
    let starter = thread::spawn(|| {
        let mut set = JobSet::new().unwrap();
        let id =
            set.start(&command(&["sh", "-c", "sleep 0.3; cat"]), b"here".to_vec(), &limits(SOON)).unwrap();
        (set, id)
    });
    let (mut set, id) = starter.join().unwrap();
    let (done, report) = set.wait().unwrap().unwrap();
    let report = report.unwrap();
    assert_eq!(done, id);
    assert_eq!((report.ending, &report.stdout[..]), (Ending::Exited(0), &b"here"[..]));
}

#[test]
fn the_dead_do_not_hide_the_living() {
    // The shell becomes a program that reaps nobody, so that three hundred zombies and sixty living processes change
    // their parent at once. A list of children that is changed while it is read skips some.
    let script = "i=0; while [ $i -lt 300 ]; do sleep 0.1 & i=$((i+1)); done >/dev/null 2>&1 </dev/null; \
                  i=0; while [ $i -lt 60 ]; do sleep 61.5 & i=$((i+1)); done >/dev/null 2>&1 </dev/null; \
                  echo said; exec sleep 0.6";
    let report = shell(script, b"", SOON * 4);
    assert_eq!(report.ending, Ending::Exited(0));
    assert_eq!(report.leftovers, 60);
    assert_eq!(sleepers("61.5"), 0);
}

fn sleepers(seconds: &str) -> usize {
    let line = format!("sleep\0{seconds}\0");
    let is_one = |entry: &fs::DirEntry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|text| text == line.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(is_one).count()
}

#[test]
fn an_answer_that_was_cut_by_our_own_kill_says_so() {
    let report = shell("echo hi; (while :; do echo more; sleep 0.05; done) & exit 0", b"", SOON);
    assert_eq!(report.ending, Ending::Exited(0));
    assert!(!report.drained);
    assert!(shell("echo hi; sleep 60 >/dev/null 2>&1 & exit 0", b"", SOON).drained);
    assert!(shell("echo hi; (sleep 0.1; echo more) & exit 0", b"", SOON).drained);
}

#[test]
fn output_beyond_the_cap_is_too_large_whenever_it_comes() {
    // The second part comes about when the drain grace ends, so that it is read in every phase in turn.
    let small = Limits { stdout_cap: 1000, drain_grace: Duration::from_millis(20), ..limits(SOON) };
    for pause in 10..30 {
        let script = format!("(sleep 0.0{pause}; head -c 5000 /dev/zero) & exit 0");
        let report = run(&command(&["sh", "-c", &script]), b"", &small, None, None).unwrap();
        let whole = report.stdout.len() < 1000;
        assert!(whole || report.ending == Ending::TooLarge, "{:?} {}", report.ending, report.stdout.len());
    }
}

#[test]
fn graces_without_end_are_no_overflow() {
    let patient =
        Limits { term_grace: Duration::MAX, drain_grace: Duration::MAX, ..limits(Duration::from_millis(50)) };
    let report = run(&command(&["sleep", "60"]), b"", &patient, None, None).unwrap();
    assert_eq!(report.ending, Ending::TimedOut);
}
