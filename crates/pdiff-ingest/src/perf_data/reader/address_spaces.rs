//! Who is who, and what is mapped where: records of maps, names, forks, exits and cgroups.

use super::{Reader, misc};
use crate::perf_data::fields::until_nul;
use crate::perf_data::jit_dump::is_jit_dump;
use crate::perf_data::objects::Mapped;
use crate::perf_data::rounds::Record;
use crate::perf_data::stacks::Mode;

const PROT_EXEC: u32 = 4;
const MAP_HUGETLB: u32 = 0x40000;
/// The most cgroups that are kept; a machine has some thousands.
const MAX_CGROUPS: usize = 1 << 18;

impl Reader<'_> {
    pub(super) fn mmap(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _) = (fields.number32()?, fields.number32()?);
        let (start, len, offset) = (fields.number64()?, fields.number64()?, fields.number64()?);
        let is_code = record.misc & misc::MMAP_DATA == 0;
        let path = until_nul(fields.rest());
        self.map(record, Mapped { pid, start, len, offset, is_code, is_huge: false, build_id: None, path });
        Some(())
    }

    pub(super) fn mmap2(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _) = (fields.number32()?, fields.number32()?);
        let (start, len, offset) = (fields.number64()?, fields.number64()?, fields.number64()?);
        let file = fields.take(24)?;
        let build_id = (record.misc & misc::MMAP_BUILD_ID != 0).then(|| {
            let size = usize::from(*file.first()?);
            pdiff_profile::BuildId::from_bytes(file.get(4..4 + size)?)
        });
        let (protection, flags) = (fields.number32()?, fields.number32()?);
        let mapped = Mapped {
            pid,
            start,
            len,
            offset,
            is_code: protection & PROT_EXEC != 0,
            is_huge: flags & MAP_HUGETLB != 0,
            build_id: build_id.flatten(),
            path: until_nul(fields.rest()),
        };
        self.map(record, mapped);
        Some(())
    }

    fn map(&mut self, record: Record<'_>, mapped: Mapped<'_>) {
        let start = mapped.start;
        match Mode::of_misc(record.misc) {
            Mode::Kernel => {
                let name = String::from_utf8_lossy(mapped.path);
                if let Some((_, symbol)) = name.split_once(']').filter(|(_, symbol)| !symbol.is_empty()) {
                    self.kernel_reference.get_or_insert((symbol.into(), mapped.offset));
                }
                let map = self.objects.kernel_map(start, mapped.len, mapped.path);
                self.kernel.insert(start, map);
                self.kernel_stamp += 1;
            }
            Mode::User => {
                let pid = mapped.pid;
                if is_jit_dump(mapped.path) {
                    self.jit_dump(pid, mapped.path);
                }
                let map = self.objects.user_map(mapped);
                self.processes.map(pid, start, map);
            }
            Mode::Elsewhere => {}
        }
    }

    /// A process mapped the file that says what code it makes: only for that.
    fn jit_dump(&mut self, pid: u32, path: &[u8]) {
        let path = String::from_utf8_lossy(path);
        if let Some(root) = self.jit_dump_root {
            let is_monotonic = self.events.attr(0).is_some_and(|attr| attr.is_monotonic);
            self.jit.add(pid, &root.join(path.trim_start_matches('/')), is_monotonic);
        }
    }

    /// Maps the code that was made until a time.
    #[inline]
    pub(super) fn load_jit_code(&mut self, until_ns: u64) {
        while let Some((pid, code)) = self.jit.next_at(until_ns) {
            let name = self.builder.string(&code.name);
            let map = self.objects.jit_function(pid, code.start, code.len, name);
            self.processes.map(pid, code.start, map);
        }
    }

    pub(super) fn cgroup(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let id = fields.number64()?;
        let path = String::from_utf8_lossy(until_nul(fields.rest())).into_owned();
        if self.cgroups.len() < MAX_CGROUPS {
            let is_chosen = self.cgroup.is_none_or(|cgroup| cgroup(&path));
            self.cgroups.insert(id, (path.into(), is_chosen));
        }
        Some(())
    }

    pub(super) fn kernel_symbol(&mut self, record: Record<'_>) -> Option<()> {
        const UNREGISTERED: u16 = 1;
        let mut fields = self.fields(record);
        let (start, len, _, flags) =
            (fields.number64()?, fields.number32()?, fields.number16()?, fields.number16()?);
        if flags & UNREGISTERED == 0 {
            let map = self.objects.kernel_function(start, u64::from(len), until_nul(fields.rest()));
            self.kernel.insert(start, map);
            self.kernel_stamp += 1;
        }
        Some(())
    }

    pub(super) fn comm(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, tid) = (fields.number32()?, fields.number32()?);
        let name = String::from_utf8_lossy(until_nul(fields.rest()));
        let comm = self.builder.string(&name);
        self.processes.name(pid, tid, comm);
        Some(())
    }

    pub(super) fn fork(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, parent_pid) = (fields.number32()?, fields.number32()?);
        let (tid, parent_tid) = (fields.number32()?, fields.number32()?);
        let keeps_maps = record.misc & misc::FORK_EXEC == 0;
        self.processes.fork((pid, tid), (parent_pid, parent_tid), keeps_maps, self.unnamed);
        Some(())
    }

    pub(super) fn exit(&mut self, record: Record<'_>) -> Option<()> {
        let mut fields = self.fields(record);
        let (pid, _, tid) = (fields.number32()?, fields.number32()?, fields.number32()?);
        self.processes.exit(pid, tid);
        Some(())
    }
}
