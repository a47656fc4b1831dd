//! Raw system calls for code that must not touch thread-local storage, and so not even `errno`.
//!
//! The supervisor shares the caller's memory without being one of its threads. A libc wrapper would write `errno`
//! of the thread that it was cloned from, so nothing of libc is called there: only these.
#![expect(unsafe_code, reason = "system calls without libc")]

use std::arch::asm;

/// The most arguments a system call takes.
type Args = [usize; 6];

/// Makes a system call; a failure is `-errno`.
///
/// # Safety
///
/// As the system call demands of its arguments.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: Args) -> isize {
    let ret: isize;
    // SAFETY: the kernel clobbers rax, rcx and r11 alone; the caller answers for the arguments.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => ret,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    ret
}

/// Makes a system call; a failure is `-errno`. Compiled, not run: no such machine was at hand.
///
/// # Safety
///
/// As the system call demands of its arguments.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: Args) -> isize {
    let ret: isize;
    // SAFETY: the kernel clobbers x0 alone; the caller answers for the arguments.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") args[0] as isize => ret,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            in("x5") args[5],
            options(nostack)
        );
    }
    ret
}

/// Starts a process that shares this one's memory and runs `entry(arg)` on a stack of its own. Returns its id, or
/// `-errno`. With `CLONE_PIDFD` in `flags` a descriptor of it is stored at `pidfd`.
///
/// # Safety
///
/// `stack_top` is the 16-byte aligned end of memory that nothing else uses until the process is gone; `arg` and
/// everything that `entry` reaches from it stay valid for as long. `entry` never returns.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn clone_sharing_memory(
    flags: usize,
    stack_top: *mut u8,
    pidfd: *mut i32,
    entry: unsafe extern "C" fn(*mut u8) -> !,
    arg: *mut u8,
) -> isize {
    let ret: isize;
    // SAFETY: the child begins at the instruction after `syscall` with the same registers but rax = 0 and the new
    // stack, calls `entry`, and never comes back to this frame.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone as isize => ret,
            in("rdi") flags,
            in("rsi") stack_top,
            in("rdx") pidfd,
            in("r10") 0usize,
            in("r8") 0usize,
            in("r12") arg,
            in("r13") entry,
            out("rcx") _,
            out("r11") _,
        );
    }
    ret
}

/// Starts a process that shares this one's memory. Compiled, not run: no such machine was at hand.
///
/// # Safety
///
/// As on x86-64.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn clone_sharing_memory(
    flags: usize,
    stack_top: *mut u8,
    pidfd: *mut i32,
    entry: unsafe extern "C" fn(*mut u8) -> !,
    arg: *mut u8,
) -> isize {
    let ret: isize;
    // SAFETY: as on x86-64.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x9",
            "blr x10",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") flags as isize => ret,
            in("x1") stack_top,
            in("x2") pidfd,
            in("x3") 0usize,
            in("x4") 0usize,
            in("x9") arg,
            in("x10") entry,
            out("x30") _,
        );
    }
    ret
}

/// Blocks every signal of the calling thread, also those that libc keeps for itself, and returns the old mask.
pub(super) fn block_all_signals() -> u64 {
    set_signal_mask(u64::MAX)
}

/// Sets the calling thread's signal mask and returns the old one.
pub(super) fn set_signal_mask(mask: u64) -> u64 {
    let mut old = 0u64;
    // SAFETY: both pointers are to 8 bytes, which is the size given.
    unsafe {
        syscall(
            libc::SYS_rt_sigprocmask,
            [libc::SIG_SETMASK as usize, &raw const mask as usize, &raw mut old as usize, 8, 0, 0],
        );
    }
    old
}

/// Keeps SIGPIPE from this thread while it writes to pipes whose readers may go, whatever the program around us has
/// made of that signal.
pub(super) struct QuietPipe {
    mask: u64,
}

static PIPE: u64 = 1 << (libc::SIGPIPE - 1);

impl QuietPipe {
    pub(super) fn new() -> Self {
        let mask = set_signal_mask(u64::MAX);
        set_signal_mask(mask | PIPE);
        Self { mask }
    }
}

impl Drop for QuietPipe {
    fn drop(&mut self) {
        if self.mask & PIPE == 0 {
            // Takes the signal that our own writing has left behind.
            let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: the mask is 8 bytes and the time a timespec, both of this frame.
            unsafe {
                syscall(
                    libc::SYS_rt_sigtimedwait,
                    [&raw const PIPE as usize, 0, &raw const none as usize, 8, 0, 0],
                );
            }
        }
        set_signal_mask(self.mask);
    }
}
