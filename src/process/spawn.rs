//! Starting a supervised process and speaking with its supervisor. Safe outside, whatever the runner does: a
//! [`Supervised`] that is dropped has been swept.
#![expect(unsafe_code, reason = "memory and processes that the supervisor shares")]

use std::ffi::{CString, OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use std::{io, ptr};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};
use rustix::process::PidfdFlags;
use thiserror::Error;

use crate::process::Containment;
use crate::process::kernel::{block_all_signals, clone_sharing_memory, set_signal_mask};
use crate::process::program;
use crate::process::supervisor::{self, Plan, supervise};

/// Nanoseconds after which a sweep gives up on a process that KILL does not end (one that the kernel holds).
const SWEEP_LIMIT: u64 = 2_000_000_000;

/// The supervisor's stack, and that of the agent's process until its exec. Both run a handful of small functions.
const STACK: usize = 64 * 1024;

/// Why nothing was started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The program is missing, may not be executed, or is no executable.
    #[error("cannot execute {program:?}: {source}")]
    Program {
        /// What was to be executed.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The working directory is missing or cannot be entered.
    #[error("cannot enter the working directory {dir:?}: {source}")]
    WorkingDir {
        /// The directory.
        dir: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The host does not offer this level of containment. Nothing was started at a lower one.
    #[error("cannot contain a job at the level {containment}: {source}")]
    Containment {
        /// The level.
        containment: Containment,
        /// What the system said.
        source: io::Error,
    },
    /// The system had no process, memory or descriptor to spare.
    #[error("cannot start a process: {0}")]
    Resources(#[from] io::Error),
}

/// What the supervisor tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Message {
    /// Nothing runs: `stage` failed with `errno`.
    Failed {
        /// What was tried.
        stage: i32,
        /// Why it failed.
        errno: i32,
    },
    /// The agent exited with a status.
    Exited(i32),
    /// A signal ended the agent.
    Signaled(i32),
    /// Nothing of the agent's tree is left, by itself or by a sweep. The last message.
    Swept {
        /// How many descendants it had to kill.
        killed: i32,
        /// How many it could not end; negative when it could not tell.
        survivors: i32,
    },
    /// The supervisor itself is gone without a sweep.
    Lost,
}

/// The three streams of a process to be, its own ends.
#[derive(Debug)]
pub struct Stdio {
    /// Descriptor 0.
    pub stdin: OwnedFd,
    /// Descriptor 1.
    pub stdout: OwnedFd,
    /// Descriptor 2.
    pub stderr: OwnedFd,
}

/// A process and its supervisor.
#[derive(Debug)]
pub struct Supervised {
    control: OwnedFd,
    supervisor: OwnedFd,
    supervisor_id: i32,
    /// A message that came with another.
    pending: Option<Message>,
    /// No message will come any more.
    gone: bool,
    /// The last message was a good one: nothing runs.
    clean: bool,
    shared: Option<Shared>,
}

/// Memory that the supervisor uses: given back once it is gone.
#[derive(Debug)]
struct Shared {
    plan: Pin<Box<Plan>>,
    _strings: Vec<CString>,
    _argv: Vec<*const libc::c_char>,
    _envp: Vec<*const libc::c_char>,
    _stacks: Stacks,
}

// SAFETY: the pointers are into allocations that `Shared` owns and nobody writes to.
unsafe impl Send for Shared {}
// SAFETY: as above; a shared reference gives access to none of it.
unsafe impl Sync for Shared {}

// SAFETY: plain numbers and pointers into what `Shared` keeps.
unsafe impl Send for Plan {}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").finish_non_exhaustive()
    }
}

/// Two stacks with a page below each that nobody may touch.
#[derive(Debug)]
struct Stacks {
    base: *mut u8,
    size: usize,
}

impl Stacks {
    fn new() -> io::Result<Self> {
        let page = rustix::param::page_size();
        let size = 2 * (page + STACK);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stacks = Self { base: base.cast(), size };
        for index in 0..2 {
            // SAFETY: within the mapping.
            let stack = unsafe { stacks.base.add(index * (page + STACK) + page) };
            // SAFETY: as above, and nothing uses it yet.
            if unsafe { libc::mprotect(stack.cast(), STACK, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(stacks)
    }

    fn top(&self, index: usize) -> *mut u8 {
        let page = rustix::param::page_size();
        // SAFETY: at most one past the end of the mapping, and a multiple of the page size.
        unsafe { self.base.add((index + 1) * (page + STACK)) }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and whoever ran on it is gone.
        unsafe {
            libc::munmap(self.base.cast(), self.size);
        }
    }
}

impl Supervised {
    /// Starts `argv` under a supervisor. Returns before the program runs: if it then does
    /// not, [`Message::Failed`] follows.
    ///
    /// # Errors
    ///
    /// When the program cannot be found, a word holds a NUL byte, or the system has nothing to spare.
    pub fn spawn(
        argv: &[OsString],
        env: &[(OsString, OsString)],
        cwd: Option<&Path>,
        stdio: Stdio,
        containment: Containment,
    ) -> Result<Self, SpawnError> {
        let name = argv.first().map_or(OsStr::new(""), OsString::as_os_str);
        let bad = |source| SpawnError::Program { program: name.to_owned(), source };
        let path = env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.as_os_str());
        let program = program::find(name, path).map_err(bad)?;

        let program = c_string(program.as_os_str()).map_err(bad)?;
        let cwd = cwd
            .map(|dir| {
                c_string(dir.as_os_str())
                    .map_err(|source| SpawnError::WorkingDir { dir: dir.as_os_str().to_owned(), source })
            })
            .transpose()?;
        let args = argv.iter().map(|word| c_string(word)).collect::<io::Result<Vec<_>>>().map_err(bad)?;
        let vars = env
            .iter()
            .map(|(key, value)| c_string(&[key.as_os_str(), value].join(OsStr::new("="))))
            .collect::<io::Result<Vec<_>>>()
            .map_err(bad)?;
        let pointers =
            |strings: &[CString]| strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect::<Vec<_>>();
        let (argv, envp) = (pointers(&args), pointers(&vars));

        let (control, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
            None,
        )
        .map_err(io::Error::from)?;
        let theirs = above(theirs)?;
        let stdio = [above(stdio.stdin)?, above(stdio.stdout)?, above(stdio.stderr)?];
        let caller = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())
            .map_err(io::Error::from)?;
        let caller = above(caller)?;
        let stacks = Stacks::new()?;
        let plan = Box::pin(Plan {
            program: program.as_ptr(),
            argv: argv.as_ptr(),
            envp: envp.as_ptr(),
            cwd: cwd.as_ref().map_or(ptr::null(), |dir| dir.as_ptr()),
            stdio: [stdio[0].as_raw_fd(), stdio[1].as_raw_fd(), stdio[2].as_raw_fd()],
            control: theirs.as_raw_fd(),
            caller: caller.as_raw_fd(),
            namespace: containment == Containment::PidNamespace,
            supervisor: AtomicI32::new(0),
            agent_stack_top: stacks.top(1),
            sweep_limit: SWEEP_LIMIT,
            agent: AtomicI32::new(0),
            running: AtomicI32::new(0),
            failed_stage: AtomicI32::new(0),
            failed_errno: AtomicI32::new(0),
        });

        let namespace = if plan.namespace { libc::CLONE_NEWPID } else { 0 };
        let mut pidfd: RawFd = -1;
        // A signal that came to the supervisor would run the caller's handler on the caller's memory.
        let mask = block_all_signals();
        // No exit signal: a caller's `waitpid(-1)` does not take the supervisor for a child of its own, and an
        // ignored SIGCHLD does not make it vanish unreaped.
        // SAFETY: the stack is new, the plan and all it points to are kept in `Shared` until the supervisor is
        // gone, and `supervise` never returns.
        let id = unsafe {
            clone_sharing_memory(
                (libc::CLONE_VM | libc::CLONE_PIDFD | namespace) as usize,
                stacks.top(0),
                &raw mut pidfd,
                supervise,
                (&raw const *plan).cast::<u8>().cast_mut(),
            )
        };
        set_signal_mask(mask);
        if id < 0 {
            let source = io::Error::from_raw_os_error(-id as i32);
            return Err(match containment {
                Containment::PidNamespace => SpawnError::Containment { containment, source },
                _ => SpawnError::Resources(source),
            });
        }
        if pidfd < 0 {
            // A kernel before 5.2 takes no notice of CLONE_PIDFD. The supervisor leaves when the control socket closes;
            // when that is, nobody can tell, so its memory is not given back.
            std::mem::forget((plan, stacks, argv, envp, args, vars, program, cwd));
            return Err(SpawnError::Resources(io::ErrorKind::Unsupported.into()));
        }
        // SAFETY: the kernel has just made this descriptor for us.
        let supervisor = unsafe { OwnedFd::from_raw_fd(pidfd) };
        let mut strings = args;
        strings.extend(vars);
        strings.push(program);
        strings.extend(cwd);
        Ok(Self {
            control,
            supervisor,
            supervisor_id: id as i32,
            pending: None,
            gone: false,
            clean: false,
            shared: Some(Shared { plan, _strings: strings, _argv: argv, _envp: envp, _stacks: stacks }),
        })
    }

    /// Readable when a message is there.
    #[must_use]
    pub fn control(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// The supervisor's process id: the root of everything that the agent starts.
    #[must_use]
    pub fn supervisor_id(&self) -> i32 {
        self.supervisor_id
    }

    /// The agent's process id, set before its program runs. Once a message has told its end it may be anybody's. In a
    /// process namespace it is the id there.
    #[must_use]
    pub fn agent_id(&self) -> Option<i32> {
        let id = self.shared.as_ref()?.plan.agent.load(Ordering::SeqCst);
        (id != 0).then_some(id)
    }

    /// The next message, if one is there.
    pub fn receive(&mut self) -> Option<Message> {
        if let Some(pending) = self.pending.take() {
            return Some(pending);
        }
        if self.gone {
            return None;
        }
        let mut words = [0u8; 12];
        let got = loop {
            match recv(&self.control, &mut words, RecvFlags::DONTWAIT) {
                Ok((got, _)) => break got,
                Err(Errno::AGAIN) => return None,
                // A supervisor that left before it had read our last command: what it said before is still to come.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(_) => break 0,
            }
        };
        if got < words.len() {
            self.gone = true;
            return Some(Message::Lost);
        }
        let word = |at: usize| i32::from_ne_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
        let (kind, a, b) = (word(0), word(4), word(8));
        let ended = if a == libc::CLD_EXITED { Message::Exited(b) } else { Message::Signaled(b) };
        match kind {
            supervisor::FAILED => {
                (self.gone, self.clean) = (true, true);
                Some(Message::Failed { stage: a, errno: b })
            }
            supervisor::EXITED => Some(ended),
            supervisor::EXITED_ALONE => {
                (self.gone, self.clean) = (true, true);
                self.pending = Some(Message::Swept { killed: 0, survivors: 0 });
                Some(ended)
            }
            _ => {
                (self.gone, self.clean) = (true, b == 0);
                Some(Message::Swept { killed: a, survivors: b })
            }
        }
    }

    /// Asks for TERM to the agent's group, and to the agent should it have left it.
    pub fn terminate(&self) {
        self.command(supervisor::TERMINATE);
    }

    /// Asks for the end of everything that the agent started. [`Message::Swept`] follows, and then the supervisor
    /// is gone.
    pub fn sweep(&self) {
        self.end_stuck_exec();
        self.command(supervisor::SWEEP);
    }

    /// Ends the supervisor itself, which has been given up on.
    pub(super) fn abandon(&self) {
        self.end_stuck_exec();
        self.signal_supervisor(libc::SIGKILL);
    }

    /// Kills an agent that is still on its way to its program, held up by a file system perhaps. Its supervisor waits
    /// for that and hears nothing; it has not reaped it either, so the id is the agent's.
    fn end_stuck_exec(&self) {
        let Some(shared) = &self.shared else { return };
        let stuck = shared.plan.running.load(Ordering::SeqCst) == 0 && !shared.plan.namespace;
        if let (true, Some(agent)) = (stuck && !self.gone, self.agent_id()) {
            // SAFETY: a plain system call.
            unsafe {
                libc::kill(agent, libc::SIGKILL);
            }
        }
    }

    fn command(&self, byte: u8) {
        if self.gone {
            return;
        }
        // An agent may have stopped its supervisor.
        self.signal_supervisor(libc::SIGCONT);
        // Fails only when the supervisor is gone, which the next message tells.
        let _ = send(&self.control, &[byte], SendFlags::NOSIGNAL);
    }

    fn signal_supervisor(&self, signal: i32) {
        // SAFETY: a descriptor of ours; a process that is gone is refused.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.supervisor.as_raw_fd(),
                signal,
                ptr::null::<libc::siginfo_t>(),
                0,
            );
        }
    }

    /// Asks for a KILL of the agent alone, as somebody from outside would: its supervisor and its descendants live on.
    /// The supervisor does it, which knows whether the id is still the agent's.
    pub fn kill_agent(&self) {
        self.command(supervisor::KILL_AGENT);
    }

    /// Waits until the supervisor is gone and takes it off the process table. Kills it when `limit` passes first;
    /// false then.
    fn wait_gone(&mut self, limit: Duration) -> bool {
        let in_time = wait_readable(self.supervisor.as_fd(), limit);
        if !in_time {
            self.signal_supervisor(libc::SIGKILL);
            wait_readable(self.supervisor.as_fd(), Duration::from_secs(2));
        }
        // SAFETY: all zero is a valid `siginfo_t`; the descriptor is ours.
        let reaped = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let fd = self.supervisor.as_raw_fd() as libc::id_t;
            libc::waitid(libc::P_PIDFD, fd, &raw mut info, libc::WEXITED | libc::WNOHANG | libc::__WALL) == 0
                && info.si_pid() != 0
        };
        if reaped {
            self.shared = None;
        } else if let Some(shared) = self.shared.take() {
            // It may still run: its memory is not given back.
            std::mem::forget(shared);
        }
        in_time
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // An id of a namespace is somebody else's out here; and there the kernel has killed everybody.
        let namespace = self.shared.as_ref().is_some_and(|shared| shared.plan.namespace);
        let agent = self.agent_id().filter(|_| !namespace);
        self.sweep();
        self.wait_gone(Duration::from_nanos(SWEEP_LIMIT) + Duration::from_millis(500));
        while self.receive().is_some() {}
        if let (false, Some(agent)) = (self.clean, agent) {
            // The supervisor left without a whole sweep. The kernel has killed the agent; what it left in its group can
            // still be reached, unless that number has gone to somebody else since, which takes a whole turn of the
            // id space within these microseconds.
            // SAFETY: a plain system call.
            unsafe {
                libc::kill(-agent, libc::SIGKILL);
            }
        }
    }
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a word of the command holds a NUL byte"))
}

/// The same file at a descriptor above those that the supervisor arranges, so that none of them can overwrite it.
fn above(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 4 { Ok(fd) } else { Ok(rustix::io::fcntl_dupfd_cloexec(&fd, 5)?) }
}

/// Waits until `fd` is readable; false when `limit` passes first.
fn wait_readable(fd: BorrowedFd<'_>, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(_) if left.is_zero() => return false,
            Err(_) => {}
        }
    }
}
