//! Objects: the ELF files (and their equivalents) that a process runs.
//!
//! An object in a profile is known by the text perf printed in parentheses; the symboliser finds out which file that is and
//! whether it is the right one ([`ObjectId`]).

use std::fmt;

/// A build-id: the bytes of the `NT_GNU_BUILD_ID` note, 8 to 20 of them as a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BuildId(Box<[u8]>);

impl BuildId {
    /// The longest build-id accepted, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// From the note's bytes; `None` if empty or longer than [`Self::MAX_BYTES`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        (!bytes.is_empty() && bytes.len() <= Self::MAX_BYTES).then(|| Self(bytes.into()))
    }

    /// From hexadecimal text as `perf buildid-list` prints it; `None` if it is not even-length hexadecimal.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if !digits.len().is_multiple_of(2) {
            return None;
        }
        let nibble = |c: u8| (c as char).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let bytes: Option<Vec<u8>> = digits
            .chunks_exact(2)
            .map(|pair| match pair {
                [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
                _ => None,
            })
            .collect();
        Self::from_bytes(&bytes?)
    }

    /// The note's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The stable identity of an ELF file: its build-id, else its size and a hash of its code and symbol tables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectId {
    /// The build-id note.
    BuildId(BuildId),
    /// File size in bytes and a hash over code and symbol tables, for files without a build-id.
    Content {
        /// File size in bytes.
        size: u64,
        /// Hash over the code and symbol table sections.
        hash: u64,
    },
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuildId(id) => id.fmt(f),
            Self::Content { size, hash } => write!(f, "size-{size}-hash-{hash:016x}"),
        }
    }
}

/// The kind of thing that perf's object text names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    /// A file: program or shared library.
    File,
    /// The kernel image: `[kernel.kallsyms]`, `[kernel.vmlinux]`, `[guest.kernel.kallsyms]`, `vmlinux`.
    Kernel,
    /// A kernel module: `[nf_conntrack]`, `.../ext4.ko`, `bpf_prog_...`.
    KernelModule,
    /// `[vdso]`, `[vdso32]`, `[vsyscall]`.
    Vdso,
    /// The symbol map of a JIT: `/tmp/perf-PID.map`, `jitted-PID-N.so`.
    Jit,
    /// Memory without a file: `//anon`, `[heap]`, `[stack]`, `/memfd:...`, `/dev/zero`, `/SYSV...`, `anon_inode:...`.
    Anonymous,
    /// `[unknown]`, `[pruned]` (frames that a flame graph does not show), or no object was printed.
    Unknown,
}

impl ObjectKind {
    /// Whether code of this kind runs in kernel mode.
    #[must_use]
    pub fn is_kernel(self) -> bool {
        matches!(self, Self::Kernel | Self::KernelModule)
    }
}

/// One object as the profile names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// The text perf printed, without ` (deleted)`.
    pub path: Box<str>,
    /// Its kind.
    pub kind: ObjectKind,
    /// The build-id, if an MMAP2 line or a build-id list gives it.
    pub build_id: Option<BuildId>,
}

impl Object {
    /// The object that perf's text names.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let path = text.strip_suffix(" (deleted)").unwrap_or(text);
        Self { path: path.into(), kind: kind_of(path), build_id: None }
    }

    /// The object of frames for which none was printed.
    #[must_use]
    pub fn unknown() -> Self {
        Self::from_text("[unknown]")
    }

    /// The last part of the path, which is how readers name the object.
    #[must_use]
    pub fn file_name(&self) -> &str {
        match self.kind {
            ObjectKind::File | ObjectKind::Jit => self.path.rsplit('/').next().unwrap_or(&self.path),
            _ => &self.path,
        }
    }
}

fn kind_of(path: &str) -> ObjectKind {
    let name = path.rsplit('/').next().unwrap_or(path);
    if ["", "[unknown]", "unknown", "[pruned]"].contains(&path) {
        ObjectKind::Unknown
    } else if let Some(inner) = path.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
        kind_of_bracketed(inner)
    } else if is_jit(name) {
        ObjectKind::Jit
    } else if is_anonymous(path) {
        ObjectKind::Anonymous
    } else if name == "vmlinux" || name.starts_with("vmlinux-") {
        ObjectKind::Kernel
    } else if name.split('.').nth(1).is_some_and(|ext| ext == "ko") || name.starts_with("bpf_prog_") {
        ObjectKind::KernelModule
    } else if name == "vdso" || name.starts_with("linux-vdso") {
        ObjectKind::Vdso
    } else {
        ObjectKind::File
    }
}

fn kind_of_bracketed(inner: &str) -> ObjectKind {
    let inner = inner.strip_prefix("guest.").unwrap_or(inner);
    if inner.starts_with("kernel") {
        ObjectKind::Kernel
    } else if inner.starts_with("vdso") || inner.starts_with("vsyscall") {
        ObjectKind::Vdso
    } else if ["heap", "stack", "anon", "uprobes", "vvar"].iter().any(|known| inner.starts_with(known)) {
        ObjectKind::Anonymous
    } else {
        ObjectKind::KernelModule
    }
}

fn is_jit(name: &str) -> bool {
    let is_map = name.strip_prefix("perf-").and_then(|rest| rest.strip_suffix(".map"));
    is_map.is_some_and(|pid| pid.bytes().all(|c| c.is_ascii_digit())) || name.starts_with("jitted-")
}

fn is_anonymous(path: &str) -> bool {
    ["//anon", "/memfd:", "/dev/zero", "/SYSV", "anon_inode:", "inode:"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_texts_name_kinds_of_object() {
        let check = |text: &str, kind| assert_eq!(Object::from_text(text).kind, kind, "{text}");
        check("/opt/mysql/8.0.33/bin/mysqld", ObjectKind::File);
        check("/usr/lib/a b (x)/lib c.so.1 (deleted)", ObjectKind::File);
        check("[kernel.kallsyms]", ObjectKind::Kernel);
        check("[guest.kernel.kallsyms]", ObjectKind::Kernel);
        check("[nf_conntrack]", ObjectKind::KernelModule);
        check("/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", ObjectKind::KernelModule);
        check("[vdso]", ObjectKind::Vdso);
        check("/tmp/perf-1234.map", ObjectKind::Jit);
        check("/tmp/perf-notes.map", ObjectKind::File);
        check("//anon", ObjectKind::Anonymous);
        check("/memfd:doublemapper (deleted)", ObjectKind::Anonymous);
        check("[unknown]", ObjectKind::Unknown);
        check("[pruned]", ObjectKind::Unknown);
        check("", ObjectKind::Unknown);
    }

    #[test]
    fn a_deleted_file_keeps_its_path() {
        assert_eq!(&*Object::from_text("/opt/x (deleted)").path, "/opt/x");
        assert_eq!(Object::from_text("/opt/x (deleted)").file_name(), "x");
    }

    #[test]
    fn build_ids_are_read_from_hexadecimal() {
        assert_eq!(BuildId::from_hex("00fFa1").unwrap().to_string(), "00ffa1");
        assert_eq!(BuildId::from_hex("0"), None);
        assert_eq!(BuildId::from_hex(""), None);
        assert_eq!(BuildId::from_hex("zz"), None);
    }
}
