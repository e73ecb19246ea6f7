//! The kernel's functions: a copy of `/proc/kallsyms` that `perf record` put into its cache, or the running kernel's own.
//!
//! The kernel's file (`vmlinux`) with the recording's build-id is used first, if there is one; it has no modules. If there
//! is neither file nor list, servers are asked for the file.
//!
//! A list is used only if it belongs to the recorded kernel: by build-id, or, if the recording has none (`perf record -z`),
//! if the running kernel has the release and address of the recorded one. The kernel is loaded at another address after
//! each boot, so addresses are moved by the distance between its first symbol in the recording and in the list.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pdiff_profile::{BuildId, KernelFunction, KernelImage, WantedKernel};

use crate::kernel_lists::{KernelLists, List};
use crate::symbol_places::RunningKernel;

/// The last function of the kernel reaches no further than this, as in perf.
const LAST_FUNCTION_BYTES: u64 = 4096;
/// The recording's data about its kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct RecordedKernel {
    pub(super) build_id: Option<BuildId>,
    pub(super) release: Option<String>,
    /// Name and address of the symbol that determines its address.
    pub(super) reference: Option<(Box<str>, u64)>,
}

/// The functions of a kernel by address.
#[derive(Debug)]
pub(super) struct KernelSymbols {
    list: Arc<List>,
    /// Added to the list's addresses, modulo 2^64.
    shift: u64,
}

impl KernelSymbols {
    /// Finds the list of the kernel that was recorded.
    pub(super) fn find(
        kernel: &RecordedKernel,
        caches: &[PathBuf],
        running: Option<&RunningKernel>,
        lists: &KernelLists,
    ) -> Option<Self> {
        let read = |path: &Path| Some(Self::of_list(lists.read(path)?, kernel.reference.as_ref()));
        let cached = kernel.build_id.as_ref().into_iter().flat_map(|id| cached_lists(id, caches));
        let in_cache = cached.filter_map(|path| read(&path)).next();
        in_cache.or_else(|| {
            let running = running?;
            match &kernel.build_id {
                Some(build_id) => {
                    let notes = std::fs::read(&running.notes).ok()?;
                    (noted_build_id(&notes).as_ref() == Some(build_id)).then_some(())?;
                    read(&running.symbols)
                }
                None => {
                    let release = std::fs::read_to_string(&running.release).ok()?;
                    (kernel.release.as_deref() == Some(release.trim())).then_some(())?;
                    read(&running.symbols).filter(|list| kernel.reference.is_some() && list.shift == 0)
                }
            }
        })
    }

    /// The functions of a list, moved to where the recorded kernel had its symbol `reference`.
    fn of_list(list: Arc<List>, reference: Option<&(Box<str>, u64)>) -> Self {
        let listed = reference.and_then(|(name, _)| list.find(name.as_bytes()));
        let shift = match (reference, listed) {
            (Some((_, recorded)), Some(listed)) => recorded.wrapping_sub(listed),
            _ => 0,
        };
        Self { list, shift }
    }

    /// The function at an address, and how far into it that is.
    pub(super) fn name(&self, addr: u64) -> Option<(&str, u64)> {
        let addr = addr.wrapping_sub(self.shift);
        let next = self.list.symbols.partition_point(|symbol| symbol.addr <= addr);
        let symbol = self.list.symbols.get(next.checked_sub(1)?)?;
        let (name, is_module) = self.list.read_name(symbol);
        let is_last = self.list.symbols.get(next).is_none_or(|next| self.list.read_name(next).1 != is_module);
        let last_end = symbol.addr.saturating_add(LAST_FUNCTION_BYTES);
        let last_end = last_end.checked_next_multiple_of(LAST_FUNCTION_BYTES).unwrap_or(u64::MAX);
        if is_last && addr >= last_end {
            return None;
        }
        Some((std::str::from_utf8(name).ok()?, addr - symbol.addr))
    }
}

/// The functions of the kernel's file.
#[derive(Debug)]
pub(super) struct ImageSymbols {
    functions: Vec<KernelFunction>,
    /// Added to the file's addresses, modulo 2^64.
    shift: u64,
}

impl ImageSymbols {
    /// Asks for the file of the kernel that was recorded.
    pub(super) fn of_kernel(
        kernel: &RecordedKernel,
        ask: impl FnOnce(WantedKernel<'_>) -> Option<KernelImage>,
    ) -> Option<Self> {
        let reference = kernel.reference.as_ref();
        let image = ask(WantedKernel {
            build_id: kernel.build_id.as_ref()?,
            release: kernel.release.as_deref(),
            reference: reference.map(|(name, _)| &**name),
        })?;
        let shift = match (reference, image.reference) {
            (Some((_, recorded)), Some(in_file)) => recorded.wrapping_sub(in_file.0),
            _ => 0,
        };
        Some(Self { functions: image.functions, shift })
    }

    /// The function at an address, and how far into it that is.
    pub(super) fn name(&self, addr: u64) -> Option<(&str, u64)> {
        let addr = addr.wrapping_sub(self.shift);
        let next = self.functions.partition_point(|function| function.addrs.start.0 <= addr);
        let function = self.functions.get(next.checked_sub(1)?)?;
        (addr < function.addrs.end.0).then(|| (&*function.name, addr.wrapping_sub(function.entry.0)))
    }
}

/// Where perf's cache has the list of a kernel: by name, and by build-id alone.
fn cached_lists(id: &BuildId, caches: &[PathBuf]) -> Vec<PathBuf> {
    let hex = id.to_string();
    let split = hex.split_at_checked(2);
    let in_cache = |cache: &PathBuf| {
        let by_name = cache.join("[kernel.kallsyms]").join(&hex).join("kallsyms");
        let by_id =
            split.map(|(start, rest)| cache.join(".build-id").join(start).join(rest).join("kallsyms"));
        std::iter::once(by_name).chain(by_id)
    };
    caches.iter().flat_map(in_cache).collect()
}

/// The build-id among the notes of an ELF file.
fn noted_build_id(mut notes: &[u8]) -> Option<BuildId> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let number = |at: usize| Some(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?));
        let (name_len, len, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let name = notes.get(12..12_usize.checked_add(name_len)?)?;
        let from = 12 + name_len.checked_next_multiple_of(4)?;
        let content = notes.get(from..from.checked_add(len)?)?;
        if kind == NT_GNU_BUILD_ID && name == b"GNU\0" {
            return BuildId::from_bytes(content);
        }
        notes = notes.get(from + len.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = b"1000 T _text\n1000 T first_last\n1100 t work\n1100 T work_alias\n1200 a constant\n2000 t last\n9000 t of_module\t[mod]\n9100 t next\t[mod]\nnonsense\n";

    fn check(reference: Option<u64>, addr: u64, expected: Option<(&str, u64)>) {
        let reference = reference.map(|addr| ("_text".into(), addr));
        let list = List::parse(LIST.to_vec()).expect("it has functions");
        let symbols = KernelSymbols::of_list(Arc::new(list), reference.as_ref());
        assert_eq!(symbols.name(addr), expected, "{addr:x}");
    }

    #[test]
    fn the_function_that_begins_before_an_address_has_it() {
        check(None, 0xfff, None);
        check(None, 0x1000, Some(("first_last", 0)));
        check(None, 0x1234, Some(("work_alias", 0x134)));
        check(None, 0x2fff, Some(("last", 0xfff)));
        check(None, 0x3000, None);
        check(None, 0x9050, Some(("of_module", 0x50)));
    }

    #[test]
    fn a_kernel_at_another_place_is_moved() {
        check(Some(0x11000), 0x11105, Some(("work_alias", 5)));
        check(Some(0x11000), 0x1105, None);
    }

    #[test]
    fn the_build_id_is_found_among_notes() {
        let mut notes = Vec::new();
        for (name, kind, content) in [(&b"Linux\0"[..], 1_u32, &[9; 5][..]), (b"GNU\0", 3, &[7; 20])] {
            for number in [name.len() as u32, content.len() as u32, kind] {
                notes.extend(number.to_ne_bytes());
            }
            for part in [name, content] {
                notes.extend(part);
                notes.resize(notes.len().next_multiple_of(4), 0);
            }
        }
        assert_eq!(noted_build_id(&notes).map(|id| id.as_bytes().to_vec()), Some(vec![7; 20]));
        assert_eq!(noted_build_id(&notes[..30]), None);
    }
}
