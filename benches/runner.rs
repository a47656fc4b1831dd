//! The reference runner against the bare limit and against peers, as ratios within one run.
//!
//! `cargo bench --bench runner` prints the table that stands in the README. Every sample of every column is taken in
//! turn, so that what else the machine does falls on all of them alike; the figures are medians unless they say p99.
#![expect(unsafe_code, reason = "the bare limit is posix_spawn itself")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Command as StdCommand, Stdio};
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use argvow::process::{Cancel, Command, Ending, JobSet, Limits, run};

fn main() {
    let args: Vec<String> = std::env::args().filter(|arg| arg != "--bench").collect();
    if let [_, word, what] = &args[..]
        && word == "throughput-of"
    {
        return throughput_of(what);
    }
    println!("| what | bare | argvow | tokio | duct | process-wrap |");
    println!("|---|---|---|---|---|---|");
    overhead(0);
    overhead(1024);
    throughput();
    cancel();
    deadline();
    many();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!();
    println!(
        "Linux {}, {cores} cores, tokio 1, duct 1, process-wrap 10 (versions in Cargo.lock).",
        kernel.trim()
    );
}

fn row(what: &str, cells: &[String]) {
    println!("| {what} | {} |", cells.join(" | "));
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn command(argv: &[&str]) -> Command {
    Command {
        argv: argv.iter().map(Into::into).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: None,
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// One call of a program that does nothing, with `resident` MB of touched memory in the caller.
fn overhead(resident: usize) {
    let mut memory = vec![0u8; resident << 20];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    let runtime = runtime();
    let mut times: [Vec<Duration>; 5] = Default::default();
    for _ in 0..200 {
        let contenders: [&dyn Fn(); 5] = [
            &bare_spawn,
            &|| drop(run(&command(&["/bin/true"]), b"", &Limits::default(), None, None).unwrap()),
            &|| {
                runtime.block_on(async {
                    drop(
                        tokio::process::Command::new("/bin/true")
                            .stdin(Stdio::null())
                            .output()
                            .await
                            .unwrap(),
                    )
                })
            },
            &|| drop(duct::cmd!("/bin/true").stdout_capture().stderr_capture().run().unwrap()),
            &|| drop(wrapped(&["/bin/true"], b"")),
        ];
        for (times, contender) in times.iter_mut().zip(contenders) {
            let start = Instant::now();
            contender();
            times.push(start.elapsed());
        }
    }
    drop(memory);
    let medians = times.map(median);
    let ratio = |time: &Duration| format!("{:.2}×", time.as_secs_f64() / medians[0].as_secs_f64());
    let cells: Vec<String> = [ms(medians[0])].into_iter().chain(medians[1..].iter().map(ratio)).collect();
    row(&format!("one call, {resident} MB resident"), &cells);
}

/// `posix_spawn`, three pipes, `waitid`: what any runner has to pay.
fn bare_spawn() {
    let path = CString::new("/bin/true").unwrap();
    let argv = [path.as_ptr().cast_mut(), ptr::null_mut()];
    let envp = [ptr::null_mut()];
    let pipes: [(OwnedFd, OwnedFd); 3] =
        std::array::from_fn(|_| rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap());
    let theirs = [&pipes[0].0, &pipes[1].1, &pipes[2].1];
    let mut pid = 0;
    // SAFETY: strings and arrays of this frame, initialised file actions.
    unsafe {
        let mut actions: libc::posix_spawn_file_actions_t = std::mem::zeroed();
        libc::posix_spawn_file_actions_init(&raw mut actions);
        for (target, fd) in theirs.iter().enumerate() {
            libc::posix_spawn_file_actions_adddup2(&raw mut actions, fd.as_raw_fd(), target as i32);
        }
        let failed = libc::posix_spawn(
            &raw mut pid,
            path.as_ptr(),
            &raw const actions,
            ptr::null(),
            argv.as_ptr(),
            envp.as_ptr(),
        );
        assert_eq!(failed, 0);
        libc::posix_spawn_file_actions_destroy(&raw mut actions);
    }
    let [(stdin, to_child), (from_child, stdout), (errors, stderr)] = pipes;
    drop((stdin, to_child, stdout, stderr));
    let mut sink = Vec::new();
    File::from(from_child).read_to_end(&mut sink).unwrap();
    File::from(errors).read_to_end(&mut sink).unwrap();
    // SAFETY: all zero is a valid `siginfo_t`.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        assert_eq!(libc::waitid(libc::P_PID, pid as u32, &raw mut info, libc::WEXITED), 0);
    }
}

/// process-wrap as its documentation shows it, with a process group and threads for the pipes.
fn wrapped(argv: &[&str], input: &'static [u8]) -> Vec<u8> {
    use process_wrap::std::{CommandWrap, ProcessGroup};
    let mut child = CommandWrap::with_new(argv[0], |command| {
        command.args(&argv[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    })
    .wrap(ProcessGroup::leader())
    .spawn()
    .unwrap();
    let (mut stdin, mut stdout) = (child.stdin().take().unwrap(), child.stdout().take().unwrap());
    let writer = thread::spawn(move || drop(stdin.write_all(input)));
    let mut out = Vec::new();
    stdout.read_to_end(&mut out).unwrap();
    writer.join().unwrap();
    child.wait().unwrap();
    out
}

const SIZE: usize = 256 << 20;

/// 256 MB through `cat`, each contender in a process of its own so that its peak memory is its own.
fn throughput() {
    let mut speeds = Vec::new();
    let mut peaks = Vec::new();
    for what in ["splice", "argvow", "tokio", "duct", "process-wrap"] {
        let mut best: Vec<(f64, f64)> = (0..3)
            .map(|_| {
                let done = StdCommand::new(std::env::current_exe().unwrap())
                    .args(["throughput-of", what])
                    .output()
                    .unwrap();
                let text = String::from_utf8(done.stdout).unwrap();
                let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().unwrap());
                (numbers.next().unwrap(), numbers.next().unwrap())
            })
            .collect();
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        speeds.push(best[1].0);
        peaks.push(best.iter().map(|run| run.1).fold(0.0, f64::max));
    }
    let ratio = |speed: &f64| format!("{:.2}×", speed / speeds[0]);
    let cells: Vec<String> = [format!("{:.0} MB/s (splice)", speeds[0])]
        .into_iter()
        .chain(speeds[1..].iter().map(ratio))
        .collect();
    row("256 MB through `cat`", &cells);
    let over = |peak: &f64| format!("+{peak:.0} MB");
    let cells: Vec<String> = ["–".to_owned()].into_iter().chain(peaks[1..].iter().map(over)).collect();
    row("  peak memory beyond prompt and completion", &cells);
}

/// In a process of its own: prints MB/s and the peak memory in MB beyond what prompt and completion are.
fn throughput_of(what: &str) {
    if what == "splice" {
        return splice_limit();
    }
    let input: &'static [u8] = vec![b'x'; SIZE].leak();
    let start = Instant::now();
    let out = match what {
        "argvow" => {
            let limits = Limits { stdout_cap: SIZE, ..Limits::default() };
            run(&command(&["cat"]), input, &limits, None, None).unwrap().stdout
        }
        "tokio" => runtime().block_on(async {
            use tokio::io::AsyncWriteExt;
            let mut child = tokio::process::Command::new("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let writer = async move { stdin.write_all(input).await.unwrap() };
            tokio::join!(writer, child.wait_with_output()).1.unwrap().stdout
        }),
        "duct" => duct::cmd!("cat").stdin_bytes(input).stdout_capture().run().unwrap().stdout,
        _ => wrapped(&["cat"], input),
    };
    let speed = (SIZE >> 20) as f64 / start.elapsed().as_secs_f64();
    assert_eq!(out.len(), SIZE);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let peak: f64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    println!("{speed} {}", peak / 1024.0 - 2.0 * (SIZE >> 20) as f64);
}

/// What the kernel can do: a file spliced to `cat` and `cat` spliced to nowhere.
fn splice_limit() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&vec![b'x'; SIZE]).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let start = Instant::now();
    let mut child = StdCommand::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let writer = thread::spawn(move || splice_all(file.as_raw_fd(), stdin.as_raw_fd()));
    let null = File::options().write(true).open("/dev/null").unwrap();
    let moved = splice_all(stdout.as_raw_fd(), null.as_raw_fd());
    writer.join().unwrap();
    child.wait().unwrap();
    assert_eq!(moved, SIZE);
    println!("{} 0", (SIZE >> 20) as f64 / start.elapsed().as_secs_f64());
}

fn splice_all(from: i32, to: i32) -> usize {
    let mut total = 0;
    loop {
        // SAFETY: two descriptors that the caller holds open.
        let moved = unsafe { libc::splice(from, ptr::null_mut(), to, ptr::null_mut(), 1 << 20, 0) };
        match moved {
            1.. => total += moved as usize,
            _ => return total,
        }
    }
}

/// From the cancellation to the return, of a child that dies on TERM.
fn cancel() {
    let runtime = runtime();
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..200 {
        times[0].push({
            let cancel = Cancel::new().unwrap();
            let later = cancel.clone();
            let at = thread::spawn(move || after(Duration::from_millis(10), || later.cancel()));
            let report =
                run(&command(&["sleep", "60"]), b"", &Limits::default(), Some(&cancel), None).unwrap();
            let end = Instant::now();
            assert_eq!(report.ending, Ending::Cancelled);
            end - at.join().unwrap()
        });
        times[1].push(runtime.block_on(async {
            let mut child = tokio::process::Command::new("sleep").arg("60").spawn().unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
            let start = Instant::now();
            child.kill().await.unwrap();
            start.elapsed()
        }));
        times[2].push({
            let child = Arc::new(duct::cmd!("sleep", "60").unchecked().start().unwrap());
            thread::sleep(Duration::from_millis(10));
            let start = Instant::now();
            child.kill().unwrap();
            child.wait().unwrap();
            start.elapsed()
        });
        times[3].push({
            use process_wrap::std::{CommandWrap, ProcessGroup};
            let mut child = CommandWrap::with_new("sleep", |command| {
                command.arg("60");
            })
            .wrap(ProcessGroup::leader())
            .spawn()
            .unwrap();
            thread::sleep(Duration::from_millis(10));
            let start = Instant::now();
            child.kill().unwrap();
            start.elapsed()
        });
    }
    for (what, percent) in [("cancel to return, p50", 50), ("cancel to return, p99", 99)] {
        let cells: Vec<String> = ["–".to_owned()]
            .into_iter()
            .chain(times.iter_mut().map(|times| ms(percentile(times, percent))))
            .collect();
        row(what, &cells);
    }
}

fn after(pause: Duration, act: impl FnOnce()) -> Instant {
    thread::sleep(pause);
    let at = Instant::now();
    act();
    at
}

/// How far a deadline of 200 ms is overshot.
fn deadline() {
    let wanted = Duration::from_millis(200);
    let limits = Limits { timeout: wanted, ..Limits::default() };
    let runtime = runtime();
    let mut times: [Vec<Duration>; 3] = Default::default();
    let over = |start: Instant| start.elapsed().saturating_sub(wanted);
    for _ in 0..20 {
        let start = Instant::now();
        assert_eq!(
            run(&command(&["sleep", "60"]), b"", &limits, None, None).unwrap().ending,
            Ending::TimedOut
        );
        times[0].push(over(start));
        let start = Instant::now();
        runtime.block_on(async {
            let mut child = tokio::process::Command::new("sleep").arg("60").spawn().unwrap();
            assert!(tokio::time::timeout(wanted, child.wait()).await.is_err());
            child.kill().await.unwrap();
        });
        times[1].push(over(start));
        let start = Instant::now();
        let child = duct::cmd!("sleep", "60").unchecked().start().unwrap();
        assert!(child.wait_timeout(wanted).unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        times[2].push(over(start));
    }
    let cells: Vec<String> = times.into_iter().map(|times| ms(median(times))).collect();
    row("overshoot of a 200 ms deadline", &[vec!["–".to_owned()], cells, vec!["–".to_owned()]].concat());
}

const MANY: usize = 256;

/// 256 children that sleep for 300 ms.
fn many() {
    let count = |dir: &str| std::fs::read_dir(dir).unwrap().count();
    let (threads, fds) = (count("/proc/self/task"), count("/proc/self/fd"));

    let start = Instant::now();
    let mut set = JobSet::new().unwrap();
    for _ in 0..MANY {
        set.start(&command(&["sleep", "0.3"]), b"go".to_vec(), &Limits::default()).unwrap();
    }
    let mut first = None;
    while let Some((_, report)) = set.wait().unwrap() {
        assert_eq!(report.unwrap().ending, Ending::Exited(0));
        first.get_or_insert_with(|| (count("/proc/self/task") - threads, count("/proc/self/fd") - fds));
    }
    let (more_threads, more_fds) = first.unwrap();
    let ours = format!(
        "{} ms, {more_threads} threads, {:.1} fds a job",
        start.elapsed().as_millis(),
        more_fds as f64 / MANY as f64
    );

    let start = Instant::now();
    runtime().block_on(async {
        let children: Vec<_> = (0..MANY)
            .map(|_| {
                tokio::spawn(
                    tokio::process::Command::new("sleep")
                        .arg("0.3")
                        .stdin(Stdio::piped())
                        .stdout(Stdio::piped())
                        .stderr(Stdio::piped())
                        .output(),
                )
            })
            .collect();
        for child in children {
            assert!(child.await.unwrap().unwrap().status.success());
        }
    });
    let tokio = format!("{} ms", start.elapsed().as_millis());

    let start = Instant::now();
    let handles: Vec<_> = (0..MANY)
        .map(|_| {
            duct::cmd!("sleep", "0.3").stdin_bytes(*b"go").stdout_capture().stderr_capture().start().unwrap()
        })
        .collect();
    let duct_threads = count("/proc/self/task") - threads;
    for handle in &handles {
        handle.wait().unwrap();
    }
    let duct = format!("{} ms, {duct_threads} threads", start.elapsed().as_millis());
    row("256 jobs of 300 ms at once", &["–".to_owned(), ours, tokio, duct, "–".to_owned()]);
}
