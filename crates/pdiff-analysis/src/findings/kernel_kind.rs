//! Why the kernel was entered, by the names of its functions.

use crate::c_library::exported;

/// Why the kernel was entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KernelKind {
    /// Memory that was touched and not there.
    PageFaults,
    /// Waiting for other threads, and waking them.
    Futex,
    /// Reading and writing files, and making them durable.
    ReadWrite,
    /// Sockets, and waiting for them.
    Network,
    /// Getting and giving back memory.
    MemoryMapping,
    /// Giving up the CPU, sleeping, being put off it.
    Scheduling,
    /// Work that came from outside the thread.
    Interrupts,
    /// Everything else.
    Other,
}

impl KernelKind {
    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PageFaults => "page-faults",
            Self::Futex => "futex",
            Self::ReadWrite => "read-write",
            Self::Network => "network",
            Self::MemoryMapping => "memory-mapping",
            Self::Scheduling => "scheduling",
            Self::Interrupts => "interrupts",
            Self::Other => "other",
        }
    }

    /// The reason for the kernel functions of a stack, the one entered first, or else by the function of the C library that
    /// asked; interrupts are recognised by their entry.
    pub(super) fn of<'n>(functions: impl Iterator<Item = &'n str> + Clone, asked: Option<&str>) -> Self {
        let by_library = || Self::of_call(asked.map(|name| exported(name).unwrap_or(name))?);
        let first = functions.clone().find_map(Self::of_function).or_else(by_library).unwrap_or(Self::Other);
        // Reading from a socket is the network's.
        let is_socket = || functions.clone().any(|name| Self::of_function(name) == Some(Self::Network));
        if first == Self::ReadWrite && is_socket() { Self::Network } else { first }
    }

    fn of_function(name: &str) -> Option<Self> {
        const FAULTS: &[&str] = &["page_fault", "handle_mm_fault", "do_mem_abort", "el0_da", "el0_ia"];
        const SCHEDULING: &[&str] = &[
            "schedule",
            "schedule_tail",
            "do_nanosleep",
            "ret_from_fork",
            "ret_from_fork_asm",
            "do_sched_yield",
        ];
        const NETWORK: &[&str] = &[
            "sock_",
            "tcp_",
            "udp_",
            "inet_",
            "inet6_",
            "unix_stream_",
            "unix_dgram_",
            "do_epoll_",
            "do_sys_poll",
        ];
        const MAPPING: &[&str] = &["do_mmap", "vm_mmap", "do_munmap", "__vm_munmap", "do_madvise", "do_brk"];
        if FAULTS.iter().any(|part| name.contains(part)) {
            return Some(Self::PageFaults);
        }
        if SCHEDULING.contains(&name) || name.starts_with("__schedule") {
            return Some(Self::Scheduling);
        }
        if name.starts_with("do_futex") || name.starts_with("futex_") {
            return Some(Self::Futex);
        }
        if NETWORK.iter().any(|start| name.starts_with(start)) {
            return Some(Self::Network);
        }
        if MAPPING.iter().any(|start| name.starts_with(start)) {
            return Some(Self::MemoryMapping);
        }
        if ["vfs_read", "vfs_write", "vfs_fsync", "ksys_read", "ksys_write"]
            .iter()
            .any(|start| name.starts_with(start))
        {
            return Some(Self::ReadWrite);
        }
        Self::of_call(system_call(name)?)
    }

    /// The kind of a system call.
    fn of_call(call: &str) -> Option<Self> {
        let call = call.trim_start_matches("new");
        Some(match call {
            "futex" | "futex_wait" | "futex_wake" | "futex_waitv" => Self::Futex,
            "read" | "write" | "pread" | "pwrite" | "pread64" | "pwrite64" | "readv" | "writev"
            | "preadv" | "pwritev" | "preadv2" | "pwritev2" | "fsync" | "fdatasync" | "sync_file_range"
            | "lseek" | "sendfile64" | "splice" | "io_submit" | "io_getevents" | "io_uring_enter"
            | "copy_file_range" | "fallocate" => Self::ReadWrite,
            "send" | "recv" | "socket" | "connect" | "accept" | "accept4" | "sendto" | "sendmsg"
            | "sendmmsg" | "recvfrom" | "recvmsg" | "recvmmsg" | "shutdown" | "setsockopt" | "getsockopt"
            | "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait" | "epoll_pwait" | "epoll_ctl" => {
                Self::Network
            }
            "mmap" | "mmap_pgoff" | "munmap" | "mremap" | "mprotect" | "madvise" | "brk" | "mlock" => {
                Self::MemoryMapping
            }
            "sched_yield" | "nanosleep" | "clock_nanosleep" | "pause" => Self::Scheduling,
            _ => return None,
        })
    }
}

/// `futex` of `__x64_sys_futex`, `__arm64_sys_futex`, `__se_sys_futex`, `sys_futex` and `SyS_futex`.
fn system_call(name: &str) -> Option<&str> {
    let rest = name.split_once("sys_").map(|(_, call)| call).or_else(|| name.strip_prefix("SyS_"))?;
    let is_entry = name.starts_with("__") || name.starts_with("sys_") || name.starts_with("SyS_");
    is_entry.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_says_what_the_kernel_does() {
        let check = |stack: &str, expected: KernelKind| {
            assert_eq!(KernelKind::of(stack.split(' '), None), expected, "{stack}");
        };
        let entry = "entry_SYSCALL_64_after_hwframe do_syscall_64";
        assert_eq!(KernelKind::of(entry.split(' '), Some("__GI___libc_write")), KernelKind::ReadWrite);
        assert_eq!(KernelKind::of(entry.split(' '), Some("getpid")), KernelKind::Other);
        check("asm_exc_page_fault exc_page_fault do_user_addr_fault clear_page_erms", KernelKind::PageFaults);
        check("el0t_64_sync_handler el0_da do_mem_abort", KernelKind::PageFaults);
        check(
            "entry_SYSCALL_64_after_hwframe do_syscall_64 __x64_sys_futex futex_wait schedule",
            KernelKind::Futex,
        );
        check("do_syscall_64 __x64_sys_pwrite64 vfs_write ext4_file_write_iter", KernelKind::ReadWrite);
        check(
            "do_syscall_64 __x64_sys_write ksys_write vfs_write sock_write_iter tcp_sendmsg",
            KernelKind::Network,
        );
        check("do_syscall_64 __x64_sys_sendto __sys_sendto", KernelKind::Network);
        check("do_syscall_64 __x64_sys_mmap ksys_mmap_pgoff", KernelKind::MemoryMapping);
        check("do_syscall_64 __x64_sys_brk", KernelKind::MemoryMapping);
        check("do_syscall_64 syscall_exit_to_user_mode schedule", KernelKind::Scheduling);
        check("do_syscall_64 __x64_sys_getpid", KernelKind::Other);
        check("do_syscall_64 __x64_sys_newfstat", KernelKind::Other);
        check("[unresolved]", KernelKind::Other);
    }
}
