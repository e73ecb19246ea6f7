//! The objects that were mapped, and what perf calls them.

use pdiff_profile::{
    BuildId, FileOffset, Mapping, Object, ObjectIndex, ObjectKind, ProfileBuilder, RuntimeAddr, StringId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::maps::Map;

/// The most places of files kept: a file has a few.
const MAX_PLACES: usize = 1 << 20;

/// The mapping in a map's record.
#[derive(Clone, Debug)]
pub(super) struct Mapped<'a> {
    pub(super) pid: u32,
    pub(super) start: u64,
    pub(super) len: u64,
    /// Position in the file.
    pub(super) offset: u64,
    pub(super) is_code: bool,
    pub(super) is_huge: bool,
    pub(super) build_id: Option<BuildId>,
    pub(super) path: &'a [u8],
}

/// All objects of a recording, by number.
#[derive(Debug, Default)]
pub(super) struct Objects {
    numbers: FxHashMap<Box<[u8]>, u32>,
    objects: Vec<Numbered>,
    /// Parts of files that were mapped as code: object, position and length.
    places: FxHashSet<(u32, u64, u64)>,
}

#[derive(Debug)]
struct Numbered {
    object: Object,
    /// Its number in the profile, once a frame has it.
    index: Option<ObjectIndex>,
    /// The one function that it is, where that is known from the recording: its name, and where it begins.
    function: Option<(StringId, u64)>,
}

impl Objects {
    /// A map of a process.
    pub(super) fn user_map(&mut self, mapped: Mapped<'_>) -> Map {
        let name = String::from_utf8_lossy(mapped.path);
        let is_without_file = mapped.is_huge || is_anonymous(&name);
        let end = mapped.start.saturating_add(mapped.len);
        if is_without_file && mapped.is_code {
            let object = self.number(&jit_object(mapped.pid), None);
            return Map { end, shift: 0, object };
        }
        let object = self.number(&name, mapped.build_id);
        let kind = self.objects.get(object as usize).map(|numbered| numbered.object.kind);
        let offset = match kind {
            Some(ObjectKind::Vdso) => 0,
            Some(ObjectKind::File | ObjectKind::Jit) => mapped.offset,
            _ => return Map { end, shift: 0, object },
        };
        if mapped.is_code && self.places.len() < MAX_PLACES {
            self.places.insert((object, offset, mapped.len));
        }
        Map { end, shift: offset.wrapping_sub(mapped.start), object }
    }

    /// A map of the kernel: its image, a module, or code made at run time.
    pub(super) fn kernel_map(&mut self, start: u64, len: u64, path: &[u8]) -> Map {
        let name = kernel_object_name(&String::from_utf8_lossy(path));
        Map { end: start.saturating_add(len), shift: 0, object: self.number(&name, None) }
    }

    /// Kernel code made at run time, which has one function: frames have the place in it.
    pub(super) fn kernel_function(&mut self, start: u64, len: u64, name: &[u8]) -> Map {
        let object = self.number(&String::from_utf8_lossy(name), None);
        Map { end: start.saturating_add(len), shift: start.wrapping_neg(), object }
    }

    /// The number of an object by name.
    pub(super) fn number(&mut self, name: &str, build_id: Option<BuildId>) -> u32 {
        if let Some(number) = self.numbers.get(name.as_bytes()) {
            if let Some(known) = self.objects.get_mut(*number as usize) {
                known.object.build_id = known.object.build_id.take().or(build_id);
            }
            return *number;
        }
        let number = u32::try_from(self.objects.len()).expect("fewer than 2^32 objects fit in memory");
        self.numbers.insert(name.as_bytes().into(), number);
        let object = Object { build_id, ..Object::from_text(name) };
        self.objects.push(Numbered { object, index: None, function: None });
        number
    }

    /// A function that a process made at run time. All of a process are in one object, with those that nothing is known
    /// about.
    pub(super) fn jit_function(&mut self, pid: u32, start: u64, len: u64, name: StringId) -> Map {
        let number = u32::try_from(self.objects.len()).expect("fewer than 2^32 objects fit in memory");
        let (object, function) = (Object::from_text(&jit_object(pid)), Some((name, start)));
        self.objects.push(Numbered { object, index: None, function });
        Map { end: start.saturating_add(len), shift: 0, object: number }
    }

    /// The function that a numbered object is, and where it begins.
    pub(super) fn function(&self, number: u32) -> Option<(StringId, u64)> {
        self.objects.get(number as usize)?.function
    }

    /// An object by number.
    pub(super) fn get(&self, number: u32) -> Option<&Object> {
        self.objects.get(number as usize).map(|numbered| &numbered.object)
    }

    /// Whether an object is the kernel itself, not a module of it.
    pub(super) fn is_kernel_image(&self, number: u32) -> bool {
        self.objects.get(number as usize).is_some_and(|numbered| numbered.object.kind == ObjectKind::Kernel)
    }

    /// The object's number in the profile.
    #[inline]
    pub(super) fn index(&mut self, number: u32, builder: &mut ProfileBuilder) -> ObjectIndex {
        let Some(numbered) = self.objects.get_mut(number as usize) else {
            return builder.object(Object::unknown());
        };
        *numbered.index.get_or_insert_with(|| builder.object(numbered.object.clone()))
    }

    /// Where files whose code was sampled have that code. Frames have positions in files, so these represent addresses.
    pub(super) fn mappings(&self) -> Vec<Mapping> {
        let mapping = |(object, offset, len): &(u32, u64, u64)| {
            let object = self.objects.get(*object as usize)?.index?;
            Some(Mapping {
                pid: None,
                start: RuntimeAddr(*offset),
                len: *len,
                offset: FileOffset(*offset),
                object,
            })
        };
        let mut mappings: Vec<Mapping> = self.places.iter().filter_map(mapping).collect();
        mappings.sort_by_key(|mapping| (mapping.object, mapping.start, mapping.len));
        mappings
    }
}

/// perf's name of the code that a process generated at run time.
fn jit_object(pid: u32) -> String {
    format!("/tmp/perf-{pid}.map")
}

/// Memory that has no file, though a name.
fn is_anonymous(name: &str) -> bool {
    name == "//anon"
        || name == "[heap]"
        || ["/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[anon:"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// `[kernel.kallsyms]_text` is the kernel, `/lib/modules/.../nf-nat.ko.xz` is `[nf_nat]`.
fn kernel_object_name(path: &str) -> String {
    if let Some(end) = path.find(']').filter(|_| path.starts_with('[')) {
        return path.get(..=end).unwrap_or(path).to_owned();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    match file.split_once(".ko") {
        Some((module, _)) => format!("[{}]", module.replace('-', "_")),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(path: &'static str, is_code: bool) -> Mapped<'static> {
        let path = path.as_bytes();
        Mapped {
            pid: 7,
            start: 0x5000,
            len: 0x1000,
            offset: 0x2000,
            is_code,
            is_huge: false,
            build_id: None,
            path,
        }
    }

    #[test]
    fn frames_of_files_have_positions_and_others_addresses() {
        let mut objects = Objects::default();
        let mut check = |path, is_code, expected: u64| {
            let map = objects.user_map(mapped(path, is_code));
            assert_eq!(0x5123_u64.wrapping_add(map.shift), expected, "{path}");
            objects.objects[map.object as usize].object.path.to_string()
        };
        assert_eq!(check("/bin/x", true, 0x2123), "/bin/x");
        assert_eq!(check("/bin/x (deleted)", true, 0x2123), "/bin/x");
        assert_eq!(check("[vdso]", true, 0x123), "[vdso]");
        assert_eq!(check("//anon", true, 0x5123), "/tmp/perf-7.map");
        assert_eq!(check("//anon", false, 0x5123), "//anon");
        assert_eq!(check("/memfd:jit (deleted)", true, 0x5123), "/memfd:jit");
    }

    #[test]
    fn modules_have_the_name_that_the_kernel_gives_them() {
        let check = |path, expected: &str| assert_eq!(kernel_object_name(path), expected);
        check("[kernel.kallsyms]_text", "[kernel.kallsyms]");
        check("/lib/modules/6.1/kernel/net/nf-nat.ko.xz", "[nf_nat]");
        check("[nf_nat]", "[nf_nat]");
        check("/boot/vmlinux-6.1", "/boot/vmlinux-6.1");
    }
}
