//! Does what a script says, one process for each branch of it, and records every step.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::fake::fingerprint::Fingerprint;
use crate::fake::record::{Fact, Record, now_ns};
use crate::fake::script::Script;
use crate::model::case::{Answer, Ask, Event, Kinship, OnSignal, Read, Spawn, Step, Stream, Tty, Via, Write};
use crate::process::{
    Child, arm_expiry, become_session_leader, block_signals, close_all_but, close_descriptor, execute, fork,
    handle_as_default, lead_group, raise, wait_child, wait_signal,
};

/// The first argument of a fake that another fake has executed; its place among the steps is the second.
pub(super) const CHILD_WORD: &str = "argvow-fake-child";

/// Where the harness's own descriptors are kept: above what a shell or a daemon touches.
const HIGH: i32 = 200;

pub(super) struct Interpreter {
    executable: PathBuf,
    script: Script,
    /// Where the steps of this process stand; empty for the leader.
    place: Vec<usize>,
    leader: bool,
    records: Option<OwnedFd>,
    lifeline: Option<OwnedFd>,
    signals: Vec<OnSignal>,
}

/// The end of a process, carried up to where it is left.
struct Over(u8);

impl Interpreter {
    pub(super) fn start(
        executable: PathBuf,
        script: Script,
        args: &[OsString],
        place: Option<&str>,
    ) -> io::Result<Self> {
        arm_expiry(Duration::from_millis(script.life_ms))?;
        let descriptors = open_descriptors();
        let leader = place.is_none();
        let place: Vec<usize> = match place {
            None => Vec::new(),
            Some(place) => place.split('.').filter_map(|index| index.parse().ok()).collect(),
        };
        let mut fake =
            Self { executable, script, place, leader, records: None, lifeline: None, signals: Vec::new() };
        fake.open_channels()?;
        let args_print = Fingerprint::of_words(args.iter().skip(1).map(|arg| arg.as_bytes())).number();
        fake.record(fake.born(args_print, descriptors));
        if let (false, Some(tell)) =
            (fake.leader, args.get(3).and_then(|arg| arg.to_str()?.parse::<i32>().ok()))
        {
            OpenOptions::new().write(true).open(format!("/proc/self/fd/{tell}"))?.write_all(b"!")?;
            close_descriptor(tell);
        }
        Ok(fake)
    }

    fn born(&self, args: u64, descriptors: Vec<i32>) -> Fact {
        let is_set = |name: &&String| std::env::var_os(name).is_some();
        Fact::Born {
            args,
            cwd: std::env::current_dir().unwrap_or_default().to_string_lossy().chars().take(2000).collect(),
            descriptors,
            variables: self.script.watched.iter().filter(is_set).cloned().collect(),
            blocked: signal_set("SigBlk:"),
            ignored: signal_set("SigIgn:") & !(1 << (libc::SIGPIPE - 1)),
        }
    }

    /// Opens both FIFOs for writing. Fails at once when the harness reads no more: then nobody wants this process.
    fn open_channels(&mut self) -> io::Result<()> {
        let open = |path: &Path| -> io::Result<OwnedFd> {
            let file = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path)?;
            Ok(rustix::io::fcntl_dupfd_cloexec(&file, HIGH)?)
        };
        self.lifeline = Some(open(&self.script.lifeline)?);
        self.records = Some(open(&self.script.records)?);
        Ok(())
    }

    /// Plays the steps of this process and returns its status.
    pub(super) fn play(&mut self) -> i32 {
        let steps = self.steps();
        let status = match self.play_all(&steps, &self.place.clone()) {
            Ok(()) => 0,
            Err(Over(status)) => status,
        };
        self.record(Fact::Exit(status));
        status.into()
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = self.script.step.clone();
        for &index in &self.place {
            match steps.get(index) {
                Some(Step::Spawn(spawn)) => steps = spawn.step.clone(),
                _ => return Vec::new(),
            }
        }
        steps
    }

    fn play_all(&mut self, steps: &[Step], place: &[usize]) -> Result<(), Over> {
        for (index, step) in steps.iter().enumerate() {
            let here: Vec<usize> = place.iter().copied().chain([index]).collect();
            self.record(Fact::Begin(here.clone()));
            self.step(step, &here)?;
            self.record(Fact::End(here));
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, place: &[usize]) -> Result<(), Over> {
        match step {
            Step::Mark(mark) => self.record(Fact::Mark(mark.clone())),
            Step::Read(read) => self.read(*read),
            Step::Copy(_) => self.copy(),
            Step::Write(write) => self.write(write)?,
            Step::Close(streams) => streams.iter().for_each(|&stream| close(stream)),
            Step::CloseAll(_) => self.close_all(),
            Step::Spawn(spawn) => self.spawn(spawn, place)?,
            Step::Parallel(lists) => self.parallel(lists, place)?,
            Step::OnSignal(on) => {
                block_signals(&[on.signal.number()]);
                self.signals.retain(|other| other.signal != on.signal);
                self.signals.push(on.clone());
            }
            Step::Raise(signal) => {
                handle_as_default(signal.number());
                raise(signal.number());
            }
            Step::Stop(_) => raise(libc::SIGSTOP),
            Step::Tty(_) => {
                // A terminal that opens is one that somebody may sit at: it is not written to.
                let found = File::options().read(true).write(true).open("/dev/tty");
                self.record(Fact::Tty(if found.is_ok() { Tty::Open } else { Tty::None }));
            }
            Step::Ask(ask) => self.ask(ask, place)?,
            Step::WaitFor(Event::Children) => while wait_child(None) {},
            Step::WaitFor(Event::Release) => self.wait_for_release(),
            Step::Sleep(duration) => self.sleep(*duration)?,
            Step::Exit(status) => return Err(Over(*status)),
        }
        Ok(())
    }

    fn read(&mut self, read: Read) {
        let mut print = Fingerprint::default();
        let (mut bytes, mut eof) = (0u64, false);
        let mut buffer = vec![0; if read == Read::Eof { 64 << 10 } else { 1 }];
        loop {
            match rustix::io::read(stream(Stream::Stdin), &mut buffer) {
                Ok(0) => eof = true,
                Ok(got) => {
                    bytes += got as u64;
                    print.push(&buffer[..got]);
                    if read == Read::Eof || buffer[0] != b'\n' {
                        continue;
                    }
                }
                Err(Errno::INTR) => continue,
                Err(error) => self.record(Fact::Fault(format!("read: {error}"))),
            }
            break;
        }
        self.record(Fact::Read { bytes, print: print.number(), eof });
    }

    fn copy(&mut self) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match rustix::io::read(stream(Stream::Stdin), &mut buffer) {
                Ok(got) if got > 0 => {
                    if !self.write_stream(Stream::Stdout, &buffer[..got]) {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                _ => return,
            }
        }
    }

    /// Waits until something is in the gate, which nobody takes out.
    fn wait_for_release(&mut self) {
        let gate = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&self.script.gate);
        let Ok(gate) = gate else { return };
        while matches!(poll(&mut [PollFd::new(&gate, PollFlags::IN)], None), Err(Errno::INTR)) {}
    }

    fn write(&mut self, write: &Write) -> Result<(), Over> {
        let once = write.bytes().unwrap_or_default();
        if let Some(name) = &write.file {
            let done =
                File::create(name).and_then(|mut file| file.write_all(&once.repeat(write.repeat as usize)));
            if let Err(error) = done {
                self.record(Fact::Fault(format!("{name}: {error}")));
            }
            return Ok(());
        }
        if let Some(pause) = write.every {
            for _ in 0..write.repeat {
                self.sleep(pause)?;
                self.write_stream(write.to, &once);
            }
            return Ok(());
        }
        // In large pieces: a system call for each repetition would take longer than the case.
        let piece = (64 << 10) / once.len().max(1) + 1;
        let mut left = write.repeat as usize;
        while left > 0 {
            let now = left.min(piece);
            if !self.write_stream(write.to, &once.repeat(now)) {
                break;
            }
            left -= now;
        }
        Ok(())
    }

    /// Writes all of it; false when nobody reads.
    fn write_stream(&mut self, to: Stream, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match rustix::io::write(stream(to), bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait_writable(stream(to)),
                Err(Errno::PIPE) => {
                    self.record(Fact::BrokenPipe);
                    return false;
                }
                Err(error) => {
                    self.record(Fact::Fault(format!("write: {error}")));
                    return false;
                }
            }
        }
        true
    }

    /// Closes what a daemon closes, and opens the harness's channels anew.
    fn close_all(&mut self) {
        let keep = self.lifeline.as_ref().map_or(HIGH, AsRawFd::as_raw_fd);
        if let Some(records) = self.records.take() {
            drop(records);
        }
        close_all_but(keep);
        if let Some(lifeline) = self.lifeline.take() {
            // Still open: `open_channels` replaces it before it is given up.
            let opened = self.open_channels();
            drop(lifeline);
            if opened.is_err() {
                std::process::exit(71);
            }
        }
    }

    fn spawn(&mut self, spawn: &Spawn, place: &[usize]) -> Result<(), Over> {
        let (mut born, tell) = match io::pipe() {
            Ok(pipe) => pipe,
            Err(error) => return self.fault(&format!("spawn: {error}")),
        };
        match fork() {
            Ok(Child::Parent(child)) => {
                drop(tell);
                // The one byte is the birth; an end of file without it is a child that came to nothing.
                let mut byte = [0];
                let alive = born.read(&mut byte).is_ok_and(|got| got == 1);
                if spawn.kinship == Kinship::DoubleFork {
                    let _ = wait_child(Some(child));
                }
                if !alive {
                    return self.fault("spawn: the child was not born");
                }
                Ok(())
            }
            Ok(Child::Child) => {
                drop(born);
                std::process::exit(self.be_spawned(spawn, place, tell.into()))
            }
            Err(error) => self.fault(&format!("spawn: {error}")),
        }
    }

    fn be_spawned(&mut self, spawn: &Spawn, place: &[usize], tell: OwnedFd) -> i32 {
        self.leader = false;
        self.place = place.to_vec();
        let inherited = std::mem::take(&mut self.signals);
        inherited.iter().for_each(|on| handle_as_default(on.signal.number()));
        let moved = match spawn.kinship {
            Kinship::Child => Ok(()),
            Kinship::OwnGroup => lead_group(),
            Kinship::OwnSession => become_session_leader(),
            Kinship::DoubleFork => match become_session_leader().and_then(|()| fork()) {
                Ok(Child::Parent(_)) => return 0,
                Ok(Child::Child) => Ok(()),
                Err(error) => Err(error),
            },
        };
        let ready = moved
            .and_then(|()| arm_expiry(Duration::from_millis(self.script.life_ms)))
            .and_then(|()| let_go_of_streams(&spawn.holds));
        if ready.is_err() {
            return 71;
        }
        if spawn.via == Via::Exec {
            return self.execute_anew(place, tell);
        }
        self.record(self.born(0, open_descriptors()));
        let _ = rustix::io::write(&tell, b"!");
        drop(tell);
        self.play()
    }

    /// Executes the fake again, which tells its birth itself.
    fn execute_anew(&self, place: &[usize], tell: OwnedFd) -> i32 {
        let place = place.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        let name = self.executable.file_name().unwrap_or_default().to_owned();
        if rustix::io::fcntl_setfd(&tell, rustix::io::FdFlags::empty()).is_ok() {
            let tell = tell.as_raw_fd().to_string();
            let _ = execute(&self.executable, &[name, CHILD_WORD.into(), place.into(), tell.into()]);
        }
        71
    }

    fn parallel(&mut self, lists: &[Vec<Step>], place: &[usize]) -> Result<(), Over> {
        let mut children = Vec::new();
        for (index, steps) in lists.iter().enumerate() {
            let here: Vec<usize> = place.iter().copied().chain([index]).collect();
            match fork() {
                Ok(Child::Parent(child)) => children.push(child),
                Ok(Child::Child) => {
                    self.leader = false;
                    if arm_expiry(Duration::from_millis(self.script.life_ms)).is_err() {
                        std::process::exit(71);
                    }
                    let status = self.play_all(steps, &here).err().map_or(0, |Over(status)| status);
                    std::process::exit(status.into());
                }
                Err(error) => self.fault(&format!("parallel: {error}"))?,
            }
        }
        for child in children {
            let _ = wait_child(Some(child));
        }
        Ok(())
    }

    fn ask(&mut self, ask: &Ask, place: &[usize]) -> Result<(), Over> {
        self.write_stream(ask.to, ask.text.as_bytes());
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            match rustix::io::read(stream(Stream::Stdin), &mut byte) {
                Ok(1) if byte[0] != b'\n' => line.push(byte[0]),
                Err(Errno::INTR) => {}
                Ok(1) => {
                    line.push(b'\n');
                    break;
                }
                _ => break,
            }
        }
        let answer = match line.first() {
            None => Answer::Eof,
            Some(b'y' | b'Y') => Answer::Yes,
            Some(_) => Answer::Other,
        };
        self.record(Fact::Answer(answer));
        let steps = if answer == Answer::Yes { &ask.granted } else { &ask.refused };
        self.play_all(steps, place)
    }

    /// Sleeps, and deals with signals that the script speaks of.
    fn sleep(&mut self, duration: Duration) -> Result<(), Over> {
        let end = Instant::now() + duration;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let numbers: Vec<i32> = self.signals.iter().map(|on| on.signal.number()).collect();
            let Some(signal) = wait_signal(&numbers, left) else { continue };
            self.record(Fact::Signal(signal));
            let on = self.signals.iter().find(|on| on.signal.number() == signal).cloned();
            if let Some(OnSignal { exit: Some(status), after, .. }) = on {
                std::thread::sleep(after.unwrap_or_default());
                return Err(Over(status));
            }
        }
    }

    fn fault(&self, text: &str) -> Result<(), Over> {
        self.record(Fact::Fault(text.to_owned()));
        Ok(())
    }

    /// Reports. A record is shorter than what a FIFO takes in one piece, so lines of many processes do not mix.
    fn record(&self, fact: Fact) {
        let Some(records) = &self.records else { return };
        let pid = std::process::id() as i32;
        let record =
            Record { nonce: self.script.nonce.clone(), pid, leader: self.leader, at_ns: now_ns(), fact };
        let Ok(mut line) = serde_json::to_string(&record) else { return };
        line.push('\n');
        loop {
            match rustix::io::write(records, line.as_bytes()) {
                Err(Errno::AGAIN) => wait_writable(records.as_fd()),
                Err(Errno::INTR) => {}
                _ => return,
            }
        }
    }
}

fn stream(stream: Stream) -> BorrowedFd<'static> {
    match stream {
        Stream::Stdin => rustix::stdio::stdin(),
        Stream::Stdout => rustix::stdio::stdout(),
        Stream::Stderr => rustix::stdio::stderr(),
    }
}

fn close(which: Stream) {
    close_descriptor(match which {
        Stream::Stdin => 0,
        Stream::Stdout => 1,
        Stream::Stderr => 2,
    });
}

/// Makes `/dev/null` of every standard stream that is not held.
fn let_go_of_streams(holds: &[Stream]) -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    if !holds.contains(&Stream::Stdin) {
        rustix::stdio::dup2_stdin(&null)?;
    }
    if !holds.contains(&Stream::Stdout) {
        rustix::stdio::dup2_stdout(&null)?;
    }
    if !holds.contains(&Stream::Stderr) {
        rustix::stdio::dup2_stderr(&null)?;
    }
    Ok(())
}

fn wait_writable(fd: BorrowedFd<'_>) {
    let _ = poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::OUT)], None);
}

/// The descriptors that are open, without the one that this takes to find out.
fn open_descriptors() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let mut all: Vec<i32> = entries
        .flatten()
        .filter_map(|entry| Some((entry.path(), entry.file_name().to_str()?.parse().ok()?)))
        .filter(|(path, _)| std::fs::read_link(path).is_ok_and(|to| !to.ends_with("fd")))
        .map(|(_, fd)| fd)
        .filter(|&fd| fd < HIGH)
        .collect();
    all.sort_unstable();
    all
}

/// A set of signals of this process as the kernel tells it.
fn signal_set(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or_default()
}
