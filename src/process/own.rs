//! What a process does to itself: fork, signals, sessions, its own end. For fakes, which have one thread.
#![expect(unsafe_code, reason = "system calls that std does not offer")]

use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, ptr};

/// The two sides of a fork.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Child {
    /// In the parent: the child's id.
    Parent(i32),
    /// In the child.
    Child,
}

/// Forks. To be called while the process has one thread.
///
/// # Errors
///
/// When the system has no process to spare.
pub fn fork() -> io::Result<Child> {
    // SAFETY: with one thread the child may do whatever the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Child::Child),
        id => Ok(Child::Parent(id)),
    }
}

/// Arms a timer of the kernel that KILLs this process after `life`, stopped or not. Neither fork nor exec inherits
/// it, so each side of both arms its own.
///
/// # Errors
///
/// When the system has no timer to spare.
pub fn arm_expiry(life: Duration) -> io::Result<()> {
    // SAFETY: all zero is a valid `sigevent`, of which two fields are then set.
    let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
    event.sigev_notify = libc::SIGEV_SIGNAL;
    event.sigev_signo = libc::SIGKILL;
    let mut timer: libc::timer_t = ptr::null_mut();
    // SAFETY: both pointers are to values of this frame.
    if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let spec = libc::itimerspec {
        it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: libc::timespec {
            tv_sec: life.as_secs() as libc::time_t,
            tv_nsec: life.subsec_nanos().into(),
        },
    };
    // SAFETY: the timer was just made; the old value is not asked for.
    if unsafe { libc::timer_settime(timer, 0, &raw const spec, ptr::null_mut()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Makes this process the leader of a session of its own.
///
/// # Errors
///
/// When it leads a group already.
pub fn become_session_leader() -> io::Result<()> {
    rustix::process::setsid()?;
    Ok(())
}

/// Makes this process the leader of a group of its own.
///
/// # Errors
///
/// When it leads a session.
pub fn lead_group() -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    Ok(())
}

/// Sends a signal to this process.
pub fn raise(signal: i32) {
    // SAFETY: a plain system call.
    unsafe {
        libc::raise(signal);
    }
}

/// Gives a signal its default action and unblocks it.
pub fn handle_as_default(signal: i32) {
    // SAFETY: the default action is no function of ours.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
    }
    change_mask(libc::SIG_UNBLOCK, &[signal]);
}

/// Blocks signals, so that [`wait_signal`] can take them.
pub fn block_signals(signals: &[i32]) {
    change_mask(libc::SIG_BLOCK, signals);
}

/// Waits until one of `signals`, which are blocked, arrives, and tells its number; `None` when `limit` passes first.
#[must_use]
pub fn wait_signal(signals: &[i32], limit: Duration) -> Option<i32> {
    let set = signal_set(signals);
    let time =
        libc::timespec { tv_sec: limit.as_secs() as libc::time_t, tv_nsec: limit.subsec_nanos().into() };
    // SAFETY: the set and the time are values of this frame; no details are asked for.
    let number = unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const time) };
    (number > 0).then_some(number)
}

fn change_mask(how: i32, signals: &[i32]) {
    let set = signal_set(signals);
    // SAFETY: the set is a value of this frame; the old mask is not asked for.
    unsafe {
        libc::sigprocmask(how, &raw const set, ptr::null_mut());
    }
}

fn signal_set(signals: &[i32]) -> libc::sigset_t {
    // SAFETY: all zero is a valid set, and `sigemptyset` makes it an empty one.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for &signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        set
    }
}

/// Waits for a child, any of them when `id` is `None`. False when there is none.
#[must_use]
pub fn wait_child(id: Option<i32>) -> bool {
    loop {
        // SAFETY: the status is not asked for.
        let got = unsafe { libc::waitpid(id.unwrap_or(-1), ptr::null_mut(), 0) };
        if got >= 0 {
            return true;
        }
        if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return false;
        }
    }
}

/// Closes every descriptor but `keep`.
pub fn close_all_but(keep: RawFd) {
    let keep = keep.max(0) as u32;
    // SAFETY: the process gives up what it has open, on purpose; `keep` alone is used afterwards.
    unsafe {
        if keep > 0 {
            libc::syscall(libc::SYS_close_range, 0, keep - 1, 0);
        }
        libc::syscall(libc::SYS_close_range, keep + 1, u32::MAX, 0);
    }
}

/// Replaces this process by `program` with the words `argv`, its environment being this one's.
///
/// Returns only the error, when that failed.
#[must_use]
pub fn execute(program: &Path, argv: &[OsString]) -> io::Error {
    let c_string = |text: &OsStr| CString::new(text.as_bytes());
    let words = argv.iter().map(|word| c_string(word)).collect::<Result<Vec<_>, _>>();
    let (Ok(program), Ok(words)) = (c_string(program.as_os_str()), words) else {
        return io::ErrorKind::InvalidInput.into();
    };
    let pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
    // SAFETY: strings that end in NUL, in an array that ends in null.
    unsafe {
        libc::execv(program.as_ptr(), pointers.as_ptr());
    }
    io::Error::last_os_error()
}

/// The path that this process was executed by, as the caller of exec wrote it. Not what the file is called in the
/// end: a hard link has many names, and this is the one that was used.
#[must_use]
pub fn executed_name() -> Option<PathBuf> {
    // SAFETY: the auxiliary vector's entry is null or a string that lives as long as the process.
    let name = unsafe {
        let name = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        (!name.is_null()).then(|| CStr::from_ptr(name))?
    };
    Some(PathBuf::from(OsString::from_vec(name.to_bytes().to_vec())))
}

/// Makes a FIFO that only its owner may open.
///
/// # Errors
///
/// What the system says, when the path exists already among others.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)?;
    Ok(())
}

/// Ignores signals, which programs started afterwards inherit.
pub fn ignore_signals(signals: &[i32]) {
    for &signal in signals {
        // SAFETY: ignoring is no function of ours.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Opens `/dev/null` at a descriptor that programs started afterwards inherit, as a careless library does.
///
/// # Errors
///
/// When the process has no descriptor left.
pub fn leak_descriptor() -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    let fd = rustix::fs::open("/dev/null", rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty())?;
    let _ = fd.into_raw_fd();
    Ok(())
}

/// Closes a descriptor that nobody owns: a standard stream, or one that came through exec.
pub fn close_descriptor(fd: RawFd) {
    // SAFETY: given up on purpose; std treats a closed standard stream as an empty one.
    unsafe {
        libc::close(fd);
    }
}
