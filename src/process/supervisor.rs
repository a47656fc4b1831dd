//! The supervisor: one process per job, on the caller's memory, that is subreaper of everything the agent starts.
//!
//! It is made by `clone` without `CLONE_THREAD` and without a copy of the caller's memory, so it costs what a thread
//! costs however large the caller is, and needs no executable of its own. The price: it may not allocate, lock,
//! panic, or call libc (see `kernel`). It owns no policy: the runner says when to terminate and when to sweep. When
//! the runner is gone, it sweeps by itself.
#![expect(unsafe_code, reason = "system calls without libc, on the caller's memory")]

use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_char, c_long};

use crate::process::kernel::{clone_sharing_memory, set_signal_mask, syscall};

/// What the supervisor is to do. Stays in place until the supervisor is gone.
#[repr(C)]
pub(super) struct Plan {
    pub(super) program: *const c_char,
    pub(super) argv: *const *const c_char,
    pub(super) envp: *const *const c_char,
    /// Null: inherit.
    pub(super) cwd: *const c_char,
    /// Descriptors, all above 2.
    pub(super) stdio: [i32; 3],
    pub(super) control: i32,
    /// A descriptor of the caller's process: readable when it is gone. A copy of the control socket in a process that
    /// another thread has forked would hide that.
    pub(super) caller: i32,
    /// Whether the supervisor is the first process of a process namespace of its own.
    pub(super) namespace: bool,
    /// The supervisor's process id, as the agent sees it.
    pub(super) supervisor: AtomicI32,
    /// Where the agent's process stands until its exec.
    pub(super) agent_stack_top: *mut u8,
    /// Nanoseconds after which a sweep gives up.
    pub(super) sweep_limit: u64,
    /// The agent's process id, from before its program runs; 0 until then.
    pub(super) agent: AtomicI32,
    /// 1 once the agent's program runs.
    pub(super) running: AtomicI32,
    pub(super) failed_stage: AtomicI32,
    pub(super) failed_errno: AtomicI32,
}

/// Messages to the runner: a kind and two numbers.
pub(super) const FAILED: i32 = 1;
pub(super) const EXITED: i32 = 2;
/// The agent has ended and nothing of its tree is left: one message, since a second would cost a second waking.
pub(super) const EXITED_ALONE: i32 = 3;
pub(super) const SWEPT: i32 = 4;

/// What failed before the agent's exec.
pub(super) const STAGE_SETUP: i32 = 1;
pub(super) const STAGE_CHDIR: i32 = 2;
pub(super) const STAGE_EXEC: i32 = 3;

/// Commands from the runner.
pub(super) const TERMINATE: u8 = b'T';
pub(super) const KILL_AGENT: u8 = b'K';
pub(super) const SWEEP: u8 = b'S';

/// Where the supervisor keeps its end of the control socket, and the descriptor of the caller.
const CONTROL: usize = 3;
const CALLER: usize = 4;

/// How many children are looked at in one go.
const GO: usize = 512;

/// SIGCHLD as a bit of a signal mask.
static CHLD: u64 = 1 << (libc::SIGCHLD - 1);

/// `struct sigaction` of the kernel, all zero: the default action.
#[repr(C)]
struct KernelAction([usize; 4]);

struct Supervisor {
    plan: *const Plan,
    agent: i32,
    /// Whether the list of children in `/proc` is that of this process, and not of another namespace.
    listed: bool,
    /// The agent's end was told.
    exited: bool,
}

/// The entry of the supervisor's process.
///
/// # Safety
///
/// `arg` is a [`Plan`] that stays valid until this process is gone. All signals are blocked.
pub(super) unsafe extern "C" fn supervise(arg: *mut u8) -> ! {
    let plan = arg.cast::<Plan>().cast_const();
    // SAFETY: `plan` is valid by contract.
    unsafe {
        (*plan).supervisor.store(call(libc::SYS_getpid, &[]) as i32, Ordering::SeqCst);
        call(libc::SYS_setsid, &[]);
        // Without this a descendant that leaves would not be found: then nothing is started.
        let adopts = call(libc::SYS_prctl, &[libc::PR_SET_CHILD_SUBREAPER as usize, 1]);
        call(libc::SYS_prctl, &[libc::PR_SET_NAME as usize, c"argvow-job".as_ptr() as usize]);
        // An ignored SIGCHLD would be inherited, and children would vanish unreaped.
        default_action(libc::SIGCHLD);
        let ready = arrange_descriptors(plan);
        let signals = call(libc::SYS_signalfd4, &[usize::MAX, &raw const CHLD as usize, 8, SFD_FLAGS]);
        let mut supervisor = Supervisor { plan, agent: 0, listed: proc_is_ours(), exited: false };
        if ready < 0 || signals < 0 || adopts < 0 {
            (*plan).failed_stage.store(STAGE_SETUP, Ordering::SeqCst);
            (*plan).failed_errno.store((-ready.min(signals).min(adopts)) as i32, Ordering::SeqCst);
            supervisor.leave_failed();
        }
        supervisor.start_agent();
        (*plan).running.store(1, Ordering::SeqCst);
        // The supervisor must not keep the pipes open that end with the agent.
        for fd in 0..3 {
            call(libc::SYS_close, &[fd]);
        }
        supervisor.watch(signals as i32)
    }
}

const SFD_FLAGS: usize = (libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) as usize;

impl Supervisor {
    unsafe fn start_agent(&mut self) {
        // SAFETY: with CLONE_VFORK this process stands still until the agent's process has its own memory or is
        // gone, so its stack and the plan outlive its use of them.
        let pid = unsafe {
            clone_sharing_memory(
                (libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD) as usize,
                (*self.plan).agent_stack_top,
                ptr::null_mut(),
                become_agent,
                self.plan.cast::<u8>().cast_mut(),
            )
        };
        // SAFETY: the plan is valid.
        unsafe {
            if pid < 0 {
                (*self.plan).failed_stage.store(STAGE_SETUP, Ordering::SeqCst);
                (*self.plan).failed_errno.store(-pid as i32, Ordering::SeqCst);
            }
            if (*self.plan).failed_stage.load(Ordering::SeqCst) != 0 {
                self.leave_failed();
            }
        }
        self.agent = pid as i32;
    }

    unsafe fn leave_failed(&self) -> ! {
        // SAFETY: the plan is valid.
        unsafe {
            let plan = &*self.plan;
            // Nothing is on its way to its program any more.
            plan.running.store(1, Ordering::SeqCst);
            send(FAILED, plan.failed_stage.load(Ordering::SeqCst), plan.failed_errno.load(Ordering::SeqCst));
            exit(1)
        }
    }

    unsafe fn watch(&mut self, signals: i32) -> ! {
        let mut fds = [
            libc::pollfd { fd: CONTROL as i32, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: signals, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: CALLER as i32, events: libc::POLLIN, revents: 0 },
        ];
        loop {
            // SAFETY: plain system calls on memory of this frame.
            unsafe {
                call(libc::SYS_ppoll, &[fds.as_mut_ptr() as usize, fds.len(), 0, 0, 8]);
                if fds[1].revents != 0 {
                    let mut info = [0u8; 128];
                    call(libc::SYS_read, &[signals as usize, info.as_mut_ptr() as usize, info.len()]);
                    self.look_at_children();
                }
                if fds[0].revents != 0 {
                    self.obey();
                }
                if fds[2].revents != 0 {
                    self.sweep();
                }
            }
        }
    }

    unsafe fn obey(&mut self) {
        let mut command = 0u8;
        // SAFETY: one byte is read into one byte.
        unsafe {
            let got = call(libc::SYS_read, &[CONTROL, &raw mut command as usize, 1]);
            if got == 1 && command == TERMINATE {
                self.signal_agent(libc::SIGTERM);
                // A stopped process gets nothing but KILL and CONT.
                self.signal_agent(libc::SIGCONT);
            } else if got == 1 && command == KILL_AGENT {
                if is_child(self.agent) {
                    call(libc::SYS_kill, &[self.agent as usize, libc::SIGKILL as usize]);
                }
            } else if got == 1 && command == SWEEP {
                self.sweep();
            } else if got != -(libc::EINTR as isize) && got != -(libc::EAGAIN as isize) {
                // The runner is gone.
                self.sweep();
            }
        }
    }

    /// Signals the agent's group, and the agent itself, which may have left it: as long as it is a child, reaped by
    /// nobody, neither number can belong to anybody else.
    unsafe fn signal_agent(&self, signal: i32) {
        // SAFETY: plain system calls.
        unsafe {
            if !is_child(self.agent) {
                return;
            }
            call(libc::SYS_kill, &[(-self.agent) as usize, signal as usize]);
            call(libc::SYS_kill, &[self.agent as usize, signal as usize]);
        }
    }

    /// Tells the runner of the agent's end, and leaves when nothing of its tree is alive: then there is nothing to
    /// watch, and the runner is spared the asking. Reaps adopted children.
    unsafe fn look_at_children(&mut self) {
        // SAFETY: plain system calls.
        unsafe {
            let (ended, alone) =
                if (*self.plan).namespace { self.reap_namespace() } else { self.reap_adopted() };
            match ended {
                Some((code, status)) => send(if alone { EXITED_ALONE } else { EXITED }, code, status),
                None if self.exited && alone => send(SWEPT, 0, 0),
                None => return,
            }
            self.exited = true;
            if alone {
                exit(0);
            }
        }
    }

    /// Reaps what has ended but the agent, whose id must stay its own. Tells how the agent ended, the first time, and
    /// whether nothing but it is left.
    unsafe fn reap_adopted(&self) -> (Option<(i32, i32)>, bool) {
        // SAFETY: plain system calls.
        unsafe {
            // The agent first: once it is seen to have ended, what it left behind is a child of this process.
            let ended = if self.exited { None } else { peek(self.agent) };
            let (others, _) = self.reap_others();
            if !(self.exited || ended.is_some()) || others != Some(0) {
                return (ended, false);
            }
            // The list can miss what came while it was read. The kernel's own word is final: no child, no descendant.
            reap(self.agent);
            (ended, !has_children())
        }
    }

    /// Reaps every child that has ended but the agent. Tells how many others there are, if that can be told, and how
    /// many of the reaped were killed.
    ///
    /// Nothing is reaped while the list is read: the kernel finds the next part of it by counting, and would skip one
    /// entry for each that went.
    unsafe fn reap_others(&self) -> (Option<usize>, i32) {
        let mut killed = 0i32;
        loop {
            let mut ids = [0i32; GO];
            let mut others = 0usize;
            let agent = self.agent;
            // SAFETY: plain system calls.
            unsafe {
                let known = self.listed
                    && each_child(|pid| {
                        if pid != agent {
                            if let Some(slot) = ids.get_mut(others) {
                                *slot = pid;
                            }
                            others = others.wrapping_add(1);
                        }
                    });
                if !known {
                    return (None, killed);
                }
                let mut reaped = 0usize;
                for &pid in ids.iter().take(others) {
                    if let Some((code, status)) = reap(pid) {
                        reaped = reaped.wrapping_add(1);
                        if code == libc::CLD_KILLED && status == libc::SIGKILL {
                            killed = killed.wrapping_add(1);
                        }
                    }
                }
                if reaped == 0 {
                    return (Some(others), killed);
                }
            }
        }
    }

    /// The same in a namespace, where every process descends from this one and no id is anybody else's.
    unsafe fn reap_namespace(&self) -> (Option<(i32, i32)>, bool) {
        let mut ended = None;
        // SAFETY: plain system calls.
        unsafe {
            while let Some((pid, code, status)) = reap_any() {
                if pid == self.agent {
                    ended = Some((code, status));
                }
            }
            (ended, !has_children())
        }
    }

    /// Kills until nothing is left, generation by generation: what a killed process leaves behind becomes a child
    /// of this one before its parent can be reaped, so no child left means no descendant left.
    unsafe fn sweep(&mut self) -> ! {
        let mut killed = 0i32;
        let mut survivors = 0i32;
        // SAFETY: plain system calls.
        unsafe {
            let start = now();
            if (*self.plan).namespace {
                self.sweep_namespace(start);
            }
            self.signal_agent(libc::SIGKILL);
            loop {
                if self.listed {
                    each_child(|pid| {
                        // Never on the list's word alone.
                        if is_child(pid) {
                            call(libc::SYS_kill, &[pid as usize, libc::SIGKILL as usize]);
                        }
                    });
                }
                let (others, more) = self.reap_others();
                killed = killed.wrapping_add(more);
                if others.is_none_or(|others| others == 0) && peek(self.agent).is_some() {
                    reap(self.agent);
                }
                if !has_children() {
                    break;
                }
                if now().wrapping_sub(start) > (*self.plan).sweep_limit {
                    // Without a list nothing can be said but that somebody is there.
                    survivors = others.map_or(-1, |others| if others == 0 { 1 } else { others as i32 });
                    break;
                }
                wait_for_a_death();
            }
            send(SWEPT, killed, survivors);
            exit(0)
        }
    }

    /// Kills everything in the namespace but this process, at once, and reaps it. What could not be reaped in time is
    /// killed by the kernel when this process, the namespace's first, is gone.
    unsafe fn sweep_namespace(&self, start: u64) -> ! {
        let mut killed = 0i32;
        // SAFETY: plain system calls. `-1` is every process that this one sees: those of its namespace.
        unsafe {
            while has_children() && now().wrapping_sub(start) < (*self.plan).sweep_limit {
                call(libc::SYS_kill, &[usize::MAX, libc::SIGKILL as usize]);
                let mut reaped = false;
                while let Some((pid, code, status)) = reap_any() {
                    reaped = true;
                    if pid != self.agent && code == libc::CLD_KILLED && status == libc::SIGKILL {
                        killed += 1;
                    }
                }
                if !reaped {
                    wait_for_a_death();
                }
            }
            send(SWEPT, killed, i32::from(has_children()));
            exit(0)
        }
    }
}

/// Waits for a child to end, a little while at most.
unsafe fn wait_for_a_death() {
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 2_000_000 };
    // SAFETY: the mask is 8 bytes and the time a timespec of this frame.
    unsafe {
        call(libc::SYS_rt_sigtimedwait, &[&raw const CHLD as usize, 0, &raw const pause as usize, 8]);
    }
}

/// The agent's process between clone and exec.
///
/// # Safety
///
/// `arg` is a valid [`Plan`].
unsafe extern "C" fn become_agent(arg: *mut u8) -> ! {
    let plan = arg.cast::<Plan>().cast_const();
    let fail = |stage: i32, errno: isize| -> ! {
        // SAFETY: the plan is valid; the supervisor reads it after this process is gone.
        unsafe {
            (*plan).failed_stage.store(stage, Ordering::SeqCst);
            (*plan).failed_errno.store(-errno as i32, Ordering::SeqCst);
            exit(127)
        }
    };
    // SAFETY: plain system calls on strings that the plan keeps.
    unsafe {
        let id = call(libc::SYS_getpid, &[]);
        (*plan).agent.store(id as i32, Ordering::SeqCst);
        // Dies with its supervisor, which sweeps before it leaves: this is for a supervisor that is killed.
        let bound = call(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize]);
        if bound < 0 {
            fail(STAGE_SETUP, bound);
        }
        if call(libc::SYS_getppid, &[]) as i32 != (*plan).supervisor.load(Ordering::SeqCst) {
            // It was killed before that could have an effect.
            exit(127);
        }
        let session = call(libc::SYS_setsid, &[]);
        if session < 0 {
            fail(STAGE_SETUP, session);
        }
        if !(*plan).cwd.is_null() {
            let moved = call(libc::SYS_chdir, &[(*plan).cwd as usize]);
            if moved < 0 {
                fail(STAGE_CHDIR, moved);
            }
        }
        for signal in 1..=64 {
            default_action(signal);
        }
        set_signal_mask(0);
        let gone =
            call(libc::SYS_execve, &[(*plan).program as usize, (*plan).argv as usize, (*plan).envp as usize]);
        fail(STAGE_EXEC, gone)
    }
}

/// Puts the agent's streams at 0, 1 and 2 and the control socket at 3, and closes all else.
unsafe fn arrange_descriptors(plan: *const Plan) -> isize {
    // SAFETY: plain system calls; descriptors of this process alone, its table being a copy.
    unsafe {
        for (target, &fd) in (*plan).stdio.iter().enumerate() {
            let moved = call(libc::SYS_dup3, &[fd as usize, target, 0]);
            if moved < 0 {
                return moved;
            }
        }
        // From high numbers down to low ones, none of which is below 5: see `above`.
        for (target, fd) in [(CONTROL, (*plan).control), (CALLER, (*plan).caller)] {
            let moved = call(libc::SYS_dup3, &[fd as usize, target, libc::O_CLOEXEC as usize]);
            if moved < 0 {
                return moved;
            }
        }
        let closed = call(libc::SYS_close_range, &[CALLER + 1, u32::MAX as usize, 0]);
        if closed < 0 {
            // Before Linux 5.9.
            for fd in CALLER + 1..65_536 {
                call(libc::SYS_close, &[fd]);
            }
        }
        0
    }
}

/// Calls `visit` with the id of every child, zombies included. False when the kernel has no such list.
unsafe fn each_child(mut visit: impl FnMut(i32)) -> bool {
    // SAFETY: reads into memory of this frame.
    unsafe {
        let path = c"/proc/thread-self/children".as_ptr() as usize;
        let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
        let fd = call(libc::SYS_openat, &[libc::AT_FDCWD as usize, path, flags]);
        if fd < 0 {
            return false;
        }
        let mut pid = 0i32;
        let mut buffer = [0u8; 1024];
        loop {
            let got = call(libc::SYS_read, &[fd as usize, buffer.as_mut_ptr() as usize, buffer.len()]);
            if got <= 0 {
                break;
            }
            for &byte in buffer.iter().take(got as usize) {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte.wrapping_sub(b'0')));
                } else if pid != 0 {
                    visit(pid);
                    pid = 0;
                }
            }
        }
        call(libc::SYS_close, &[fd as usize]);
        true
    }
}

/// Whether `/proc` is that of this process's namespace: else the ids in it are somebody else's.
unsafe fn proc_is_ours() -> bool {
    let mut text = [0u8; 16];
    let path = c"/proc/self".as_ptr() as usize;
    // SAFETY: reads into memory of this frame.
    unsafe {
        let got = call(
            libc::SYS_readlinkat,
            &[libc::AT_FDCWD as usize, path, text.as_mut_ptr() as usize, text.len()],
        );
        let mut id = 0isize;
        for &byte in text.iter().take(got.max(0) as usize) {
            id = id.wrapping_mul(10).wrapping_add(isize::from(byte.wrapping_sub(b'0')));
        }
        got > 0 && id == call(libc::SYS_getpid, &[])
    }
}

/// Whether a process with this id is a child, reaped by nobody.
unsafe fn is_child(pid: i32) -> bool {
    let options = WAIT | libc::WNOWAIT as usize;
    // SAFETY: a null pointer asks for no details.
    let got = unsafe { call(libc::SYS_waitid, &[libc::P_PID as usize, pid as usize, 0, options, 0]) };
    got == 0
}

unsafe fn has_children() -> bool {
    // SAFETY: a null pointer asks for no details.
    let got =
        unsafe { call(libc::SYS_waitid, &[libc::P_ALL as usize, 0, 0, WAIT | libc::WNOWAIT as usize, 0]) };
    got != -(libc::ECHILD as isize)
}

const WAIT: usize = (libc::WEXITED | libc::WNOHANG | libc::__WALL) as usize;

/// The code and status of a child that has ended, which stays a zombie.
unsafe fn peek(pid: i32) -> Option<(i32, i32)> {
    // SAFETY: see `wait`.
    unsafe { wait(pid, WAIT | libc::WNOWAIT as usize) }
}

/// The code and status of a child that has ended, which is then gone.
unsafe fn reap(pid: i32) -> Option<(i32, i32)> {
    // SAFETY: see `wait`.
    unsafe { wait(pid, WAIT) }
}

unsafe fn wait(pid: i32, options: usize) -> Option<(i32, i32)> {
    // SAFETY: see `wait_id`.
    unsafe { wait_id(libc::P_PID, pid, options).map(|(_, code, status)| (code, status)) }
}

/// Id, code and status of any child that has ended, which is then gone.
unsafe fn reap_any() -> Option<(i32, i32, i32)> {
    // SAFETY: see `wait_id`.
    unsafe { wait_id(libc::P_ALL, 0, WAIT) }
}

unsafe fn wait_id(which: libc::idtype_t, pid: i32, options: usize) -> Option<(i32, i32, i32)> {
    // SAFETY: all zero is a valid `siginfo_t`, and the kernel fills it in.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let got = call(libc::SYS_waitid, &[which as usize, pid as usize, &raw mut info as usize, options, 0]);
        (got == 0 && info.si_pid() != 0).then(|| (info.si_pid(), info.si_code, info.si_status()))
    }
}

unsafe fn default_action(signal: i32) {
    let action = KernelAction([0; 4]);
    // SAFETY: the action is as large as the kernel's; a signal that cannot be changed is refused.
    unsafe {
        call(libc::SYS_rt_sigaction, &[signal as usize, &raw const action as usize, 0, 8]);
    }
}

unsafe fn send(kind: i32, a: i32, b: i32) {
    let message = [kind, a, b];
    let flags = (libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) as usize;
    // SAFETY: the message is 12 bytes of this frame.
    unsafe {
        call(libc::SYS_sendto, &[CONTROL, message.as_ptr() as usize, 12, flags, 0, 0]);
    }
}

unsafe fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills in the time.
    unsafe {
        call(libc::SYS_clock_gettime, &[libc::CLOCK_MONOTONIC as usize, &raw mut time as usize]);
    }
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

unsafe fn exit(status: usize) -> ! {
    loop {
        // SAFETY: ends this process.
        unsafe {
            call(libc::SYS_exit_group, &[status]);
        }
    }
}

unsafe fn call(number: c_long, args: &[usize]) -> isize {
    let mut all = [0usize; 6];
    for (slot, &arg) in all.iter_mut().zip(args) {
        *slot = arg;
    }
    // SAFETY: the caller answers for the arguments.
    unsafe { syscall(number, all) }
}
