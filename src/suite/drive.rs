//! Runs one case and observes: starts the host, calls, cancels or kills at the marked moment, and looks at what is
//! left. Judges nothing.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::fake::{Fingerprint, Record, now_ns};
use crate::model::case::{Case, Moment, WorkingDir};
use crate::process::{Containment, Message, Stdio, Supervised, descendants};
use crate::subject::{Answer, Call, HOST_WORD, READY};
use crate::suite::observation::Observation;
use crate::suite::room::Room;
use crate::suite::stop::Stop;

/// How long a host may take to say that it is ready, before slack.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// How long survivors are given to go, before slack.
const SETTLE: Duration = Duration::from_millis(250);

/// How often a stop is looked for while nothing happens.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// The most that a host may say in one line.
const MOST_SAID: usize = 64 << 20;

/// How often a stream is read before the clock is looked at again.
const READS_IN_ONE_GO: usize = 64;

/// One run of one case.
pub(super) struct Drive<'a> {
    pub(super) case: &'a Case,
    pub(super) host: &'a [OsString],
    pub(super) slack: f64,
    /// By what the deadline of the case is multiplied.
    pub(super) patience: u32,
    pub(super) stop: &'a Stop,
}

/// The host's ends of its streams, and what came over them.
struct Line {
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: OwnedFd,
    open: [bool; 2],
    /// What the host has not taken yet.
    to_say: Vec<u8>,
    said: Vec<u8>,
    /// How much of that is known to hold no end of a line.
    searched: usize,
    complained: Vec<u8>,
    /// The beginning of a record whose end has not come.
    partial: Vec<u8>,
}

impl Drive<'_> {
    pub(super) fn run(&self, room: &Room) -> io::Result<Observation> {
        let call = self.call(room);
        let mut seen = Observation {
            timeout: call.timeout(),
            calls: call.at_once,
            cancels_half: call.cancels_half,
            prompts: (0..call.at_once).map(|index| prompt_of(&call, index)).collect(),
            args_print: Fingerprint::of_words(call.argv.iter().skip(1).map(String::as_bytes)).number(),
            cwd: room
                .expected_cwd(self.case.expect.agent.cwd.unwrap_or(WorkingDir::Own))
                .to_string_lossy()
                .into_owned(),
            ..Observation::default()
        };

        let terminal = self.case.host.tty.then(Terminal::open).transpose()?;
        let (mut host, mut line) = self.start_host(room, terminal.as_ref())?;
        let bound = self.scaled(READY_WITHIN);
        let end = now_ns().saturating_add(bound);
        while !line.said.contains(&b'\n') {
            if now_ns() > end || !line.open[0] {
                let why = String::from_utf8_lossy(&line.complained).trim().to_owned();
                seen.silent = Some(format!("the host did not become ready: {why}"));
                return Ok(seen);
            }
            self.wait(room, &mut host, &mut line, &mut seen, end)?;
        }
        let Some(bystander) = bystander(&line.said) else {
            seen.silent = Some("the host said something else than that it is ready".to_owned());
            return Ok(seen);
        };
        line.said.clear();
        if let Some(missing) = self.not_prepared(host.agent_id(), bystander) {
            seen.silent = Some(format!("the host is not what the case needs: {missing}"));
            return Ok(seen);
        }

        let mut text = serde_json::to_string(&call)?;
        text.push('\n');
        seen.called_ns = now_ns();
        line.say(text.as_bytes());
        self.watch_call(room, &mut host, &mut line, &mut seen)?;
        self.look_around(room, &mut host, &mut line, &mut seen, bystander)?;
        if let Some(name) = &self.case.expect.agent.absent {
            seen.found_absent = room.has(name);
        }
        seen.found_absent |= room.script_ran();
        seen.said_more = seen.answers.len() == seen.calls as usize && !line.said.is_empty();
        Ok(seen)
    }

    /// What the host was told to have and lacks. Without it the case would hold for want of what it is about.
    fn not_prepared(&self, host: Option<i32>, bystander: Option<i32>) -> Option<&'static str> {
        let special = &self.case.host;
        let proc = PathBuf::from(format!("/proc/{}", host?));
        let status = fs::read_to_string(proc.join("status")).unwrap_or_default();
        let has_term = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
                .is_some_and(|set| set & (1 << (libc::SIGTERM - 1)) != 0)
        };
        if special.tty && !has_terminal(&proc) {
            Some("it has no controlling terminal")
        } else if special.ignores_signals && !has_term("SigIgn:") {
            Some("it does not ignore TERM")
        } else if special.blocks_signals && !has_term("SigBlk:") {
            Some("it does not block TERM")
        } else if special.leaks_descriptor && !leaks_descriptor(&proc) {
            Some("it has no descriptor that would be inherited")
        } else if special.bystander && bystander.is_none() {
            Some("it has told of no bystander")
        } else {
            None
        }
    }

    fn call(&self, room: &Room) -> Call {
        let call = &self.case.call;
        let program = room.program(call.program);
        Call {
            argv: [program].into_iter().chain(call.args.iter().cloned()).collect(),
            prompt: call.prompt.clone(),
            prompt_repeat: call.prompt_repeat,
            timeout_ms: (call.timeout * self.patience).as_millis() as u64,
            working_dir: room.working_dir(call.working_dir),
            stdout_cap: call.stdout_cap,
            cancelled: call.cancel_at == Some(Moment::BeforeStart),
            at_once: call.at_once,
            cancels_half: call.cancels_half,
        }
    }

    fn start_host(&self, room: &Room, terminal: Option<&Terminal>) -> io::Result<(Supervised, Line)> {
        let mut argv = self.host.to_vec();
        if let Some(terminal) = terminal {
            argv.push(format!("tty={}", terminal.name).into());
        }
        let special = &self.case.host;
        for (wanted, word) in [
            (special.ignores_signals, "ignore"),
            (special.blocks_signals, "block"),
            (special.leaks_descriptor, "leak"),
            (special.bystander, "bystander"),
        ] {
            if wanted {
                argv.push(word.into());
            }
        }
        let mut env = room.environment();
        env.extend(special.env.iter().map(|(name, value)| (name.into(), value.into())));
        let ((stdin, to_host), (stdout, host_out), (stderr, host_err)) =
            (pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?);
        for fd in [&stdout, &stderr, &to_host] {
            fcntl_setfl(fd, fcntl_getfl(fd)? | OFlags::NONBLOCK)?;
        }
        let stdio = Stdio { stdin, stdout: host_out, stderr: host_err };
        let host = Supervised::spawn(&argv, &env, Some(&room.host_dir()), stdio, Containment::Supervised)
            .map_err(io::Error::other)?;
        let line = Line {
            stdin: Some(to_host),
            stdout,
            stderr,
            open: [true; 2],
            to_say: Vec::new(),
            said: Vec::new(),
            searched: 0,
            complained: Vec::new(),
            partial: Vec::new(),
        };
        Ok((host, line))
    }

    /// From the call to the answer, or to the moment at which there should have been one.
    fn watch_call(
        &self,
        room: &Room,
        host: &mut Supervised,
        line: &mut Line,
        seen: &mut Observation,
    ) -> io::Result<()> {
        let bound = self.scaled(self.case.expect.returns_within);
        // A runner that starts nothing has its own start to pay for besides.
        let start = self.scaled(Duration::from_secs(2));
        loop {
            let unborn = if seen.born_ns().is_none() { start } else { 0 };
            let end = seen.due_ns().saturating_add(bound).saturating_add(unborn);
            while let Some(said) = line.next() {
                seen.answered_ns = Some(now_ns());
                match serde_json::from_slice::<Answer>(&said) {
                    Ok(answer) if answer.index < seen.calls && !seen.answers.contains_key(&answer.index) => {
                        seen.answers.insert(answer.index, answer);
                    }
                    Ok(answer) => {
                        seen.silent = Some(format!("call {} was answered twice or never made", answer.index));
                        return Ok(());
                    }
                    Err(error) => {
                        seen.silent = Some(format!("the host's answer is no answer: {error}"));
                        return Ok(());
                    }
                }
            }
            if seen.answers.len() == seen.calls as usize {
                return Ok(());
            }
            if line.said.len() > MOST_SAID {
                seen.silent = Some(format!("the runner said more than {MOST_SAID} bytes without an end"));
                return Ok(());
            }
            if !line.open[0] && seen.killed_ns.is_none() {
                let why = String::from_utf8_lossy(&line.complained).trim().to_owned();
                seen.silent = Some(format!("the runner died without an answer: {why}"));
                return Ok(());
            }
            if seen.killed_ns.is_some() && !line.open[0] {
                return Ok(());
            }
            if now_ns() > end {
                let after = Duration::from_nanos(now_ns().saturating_sub(seen.due_ns()));
                seen.silent = Some(format!("the runner had not returned after {} ms", after.as_millis()));
                return Ok(());
            }
            self.wait(room, host, line, seen, end)?;
            let reached =
                |moment: &Option<Moment>| matches!(moment, Some(Moment::Mark(mark)) if seen.passed(mark));
            let (cancel, kill) =
                (reached(&self.case.call.cancel_at), reached(&self.case.call.kill_runner_at));
            if cancel && seen.cancelled_ns.is_none() {
                seen.cancelled_ns = Some(now_ns());
                line.say(b"cancel\n");
            }
            if seen.released_ns.is_none() && self.is_time_to_release(seen) {
                seen.released_ns = Some(now_ns());
                room.release()?;
            }
            if kill && seen.killed_ns.is_none() {
                seen.killed_ns = Some(now_ns());
                host.kill_agent();
            }
        }
    }

    /// Whether every agent is where the case wants it, and every cancelled call is answered.
    fn is_time_to_release(&self, seen: &Observation) -> bool {
        let mark = match (&self.case.call.cancel_at, &self.case.agent.reaches) {
            (Some(Moment::Mark(mark)), _) | (_, Some(mark)) => mark,
            _ => return false,
        };
        let cancelled = if seen.cancels_half { seen.calls / 2 } else { 0 };
        seen.passed(mark) && seen.answers.len() >= cancelled as usize
    }

    /// Waits until the agent's processes are gone, or the settle time is over, and tells who is left.
    fn look_around(
        &self,
        room: &Room,
        host: &mut Supervised,
        line: &mut Line,
        seen: &mut Observation,
        bystander: Option<i32>,
    ) -> io::Result<()> {
        let end = now_ns().saturating_add(self.scaled(SETTLE));
        let root = host.supervisor_id();
        loop {
            let host_id = host.agent_id();
            let (zombies, alive): (Vec<_>, Vec<_>) = descendants(root)
                .into_iter()
                .filter(|process| {
                    Some(process.id) != host_id && (Some(process.id) != bystander || process.zombie)
                })
                .partition(|process| process.zombie);
            seen.lifeline_held = is_held(&room.lifeline);
            let settled = alive.is_empty() && zombies.is_empty() && !seen.lifeline_held;
            if settled || now_ns() > end {
                let there = |id| descendants(root).iter().any(|process| process.id == id && !process.zombie);
                seen.bystander_gone = bystander.is_some_and(|id| !there(id));
                (seen.survivors, seen.zombies) = (alive, zombies);
                break;
            }
            self.wait(room, host, line, seen, (now_ns() + 5_000_000).min(end))?;
        }
        // The host goes when its input ends; if it does not, the sweep ends it.
        line.stdin = None;
        let end = now_ns().saturating_add(self.scaled(Duration::from_secs(2)));
        seen.host_awaited = seen.killed_ns.is_none() && seen.silent.is_none() && seen.survivors.is_empty();
        while seen.host_awaited && seen.host_end.is_none() && !seen.observer_lost && now_ns() < end {
            self.wait(room, host, line, seen, end)?;
        }
        self.take_records(room, line, seen)
    }

    /// Waits for something to happen, at the latest until `end`, and takes in what has.
    fn wait(
        &self,
        room: &Room,
        host: &mut Supervised,
        line: &mut Line,
        seen: &mut Observation,
        end: u64,
    ) -> io::Result<()> {
        if self.stop.is_stopped() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let left = Duration::from_nanos(end.saturating_sub(now_ns())).min(STOP_INTERVAL);
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        {
            let mut fds = vec![
                PollFd::new(&room.records, PollFlags::IN),
                PollFd::from_borrowed_fd(host.control(), PollFlags::IN),
            ];
            let watches_end = seen.died_ns.is_none() && seen.born_ns().is_some();
            if watches_end {
                // Nothing but its end is of interest, and that is always told.
                fds.push(PollFd::new(&room.lifeline, PollFlags::empty()));
            }
            for (fd, open) in [&line.stdout, &line.stderr].into_iter().zip(line.open) {
                if open {
                    fds.push(PollFd::new(fd, PollFlags::IN));
                }
            }
            if let Some(stdin) = line.stdin.as_ref().filter(|_| !line.to_say.is_empty()) {
                fds.push(PollFd::new(stdin, PollFlags::OUT));
            }
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if watches_end && fds[2].revents().contains(PollFlags::HUP) {
                seen.died_ns = Some(now_ns());
            }
        }
        line.say(&[]);
        line.take();
        while let Some(message) = host.receive() {
            match message {
                Message::Exited(status) => seen.host_end = Some(status),
                Message::Signaled(signal) => seen.host_end = Some(-signal),
                Message::Lost => seen.observer_lost = true,
                Message::Failed { .. } | Message::Swept { .. } => {}
            }
            if matches!(message, Message::Failed { .. } | Message::Lost) {
                line.open = [false; 2];
            }
        }
        self.take_records(room, line, seen)
    }

    fn take_records(&self, room: &Room, line: &mut Line, seen: &mut Observation) -> io::Result<()> {
        let mut buffer = [0u8; 64 << 10];
        let mut records = &room.records;
        match records.read(&mut buffer) {
            // A read may end within a record: the rest of it comes with the next.
            Ok(got) => line.partial.extend_from_slice(&buffer[..got]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        let whole = line.partial.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let bytes: Vec<u8> = line.partial.drain(..whole).collect();
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Record>(line) {
                Ok(record) if record.nonce == room.nonce => seen.records.push(record),
                _ => {}
            }
        }
        Ok(())
    }

    /// A bound in nanoseconds, by the slack of this machine.
    pub(super) fn scaled(&self, bound: Duration) -> u64 {
        // A conversion from a float ends at the largest number, whatever the slack.
        (bound.as_nanos() as f64 * self.slack) as u64
    }
}

impl Line {
    /// Speaks to the host, as much as it takes in now; the rest follows when it takes in more. One that does not listen
    /// is dealt with by what it then does not do.
    fn say(&mut self, bytes: &[u8]) {
        self.to_say.extend_from_slice(bytes);
        let Some(stdin) = self.stdin.as_ref().filter(|_| !self.to_say.is_empty()) else { return };
        match rustix::io::write(stdin, &self.to_say) {
            Ok(written) => drop(self.to_say.drain(..written)),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.to_say.clear(),
        }
    }

    /// The next line that is whole. Looks at no byte twice: a line may be long, and come in many pieces.
    fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.said[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.searched = self.said.len();
            return None;
        };
        let line = self.said.drain(..=self.searched + end).collect();
        self.searched = 0;
        Some(line)
    }

    /// Takes in what is there, but not more in one go than leaves time for the clock.
    fn take(&mut self) {
        let mut buffer = [0u8; 64 << 10];
        for (index, fd) in [&self.stdout, &self.stderr].into_iter().enumerate() {
            for _ in 0..READS_IN_ONE_GO {
                if !self.open[index] {
                    break;
                }
                match rustix::io::read(fd, &mut buffer) {
                    Ok(0) => self.open[index] = false,
                    // What nobody will look at is not kept.
                    Ok(got) if index == 0 && self.said.len() <= MOST_SAID => {
                        self.said.extend_from_slice(&buffer[..got]);
                    }
                    Ok(got) => {
                        let room = (8usize << 10).saturating_sub(self.complained.len());
                        self.complained.extend_from_slice(&buffer[..got.min(room)]);
                    }
                    Err(Errno::INTR) => {}
                    Err(_) => break,
                }
            }
        }
    }
}

/// Whether a process has a controlling terminal, as its `stat` tells.
fn has_terminal(proc: &Path) -> bool {
    let stat = fs::read(proc.join("stat")).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat).into_owned();
    let after_name = stat.rfind(')').and_then(|at| stat.get(at + 1..)).unwrap_or_default();
    after_name.split_whitespace().nth(4).is_some_and(|terminal| terminal != "0")
}

/// Whether a process has a descriptor above 2 that is not close-on-exec.
fn leaks_descriptor(proc: &Path) -> bool {
    let inherited = |text: String| {
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & libc::O_CLOEXEC == 0)
    };
    let above = |name: &str| name.parse::<i32>().is_ok_and(|fd| fd > 2);
    fs::read_dir(proc.join("fdinfo")).is_ok_and(|entries| {
        entries
            .flatten()
            .filter(|entry| above(&entry.file_name().to_string_lossy()))
            .any(|entry| fs::read_to_string(entry.path()).is_ok_and(inherited))
    })
}

/// A terminal for a host that has one. Closed, it hangs up on whoever is left.
struct Terminal {
    name: String,
    _master: OwnedFd,
}

impl Terminal {
    fn open() -> io::Result<Self> {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?.to_string_lossy().into_owned();
        Ok(Self { name, _master: master })
    }
}

/// Length and fingerprint of the prompt of one call.
fn prompt_of(call: &Call, index: u32) -> (u64, u64) {
    let prompt = call.numbered(index).whole_prompt();
    (prompt.len() as u64, Fingerprint::of(prompt.as_bytes()).number())
}

/// What a host has said to be ready: nothing more, or the id of its bystander. `None` when it said something else.
fn bystander(said: &[u8]) -> Option<Option<i32>> {
    let line = std::str::from_utf8(said).ok()?.strip_suffix('\n')?;
    match line.strip_prefix(READY)? {
        "" => Some(None),
        id => id.strip_prefix(' ')?.parse().ok().map(Some),
    }
}

/// Whether a process holds the writing end of a FIFO.
fn is_held(fifo: &std::fs::File) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut fds = [PollFd::from_borrowed_fd(fifo.as_fd(), PollFlags::IN)];
    // Nobody ever wrote: nobody is there. Somebody did and is gone: hung up.
    let mut byte = [0u8];
    match rustix::io::read(fifo, &mut byte) {
        Err(Errno::AGAIN) => {
            !matches!(poll(&mut fds, Some(&now)), Ok(1) if fds[0].revents().contains(PollFlags::HUP))
        }
        _ => false,
    }
}

/// The words that make an executable a host.
pub(super) fn host_command(executable: OsString) -> Vec<OsString> {
    vec![executable, HOST_WORD.into()]
}
