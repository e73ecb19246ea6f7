//! Objects whose frames have positions in the file: those of recordings that say where they were mapped.
//!
//! Nothing is inferred for them. Such a profile has a mapping without process for each part of a file that was mapped as
//! code; the parts also tell whether a file can be the one that ran, where no build-id does.

use pdiff_profile::{Mapping, ObjectIndex, Profile};

use crate::binary::elf_file::{ElfFile, Segment};
use crate::resolve::address_map::{AddressKind, AddressMap, PAGE};

/// What the mapped parts of an object say of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Positions {
    /// How positions become addresses of the file.
    pub(crate) maps: Vec<AddressMap>,
    /// Whether no part is as long as the file's own.
    pub(crate) has_other_size: bool,
}

/// The mapped parts of an object, if its frames have positions in the file.
pub(crate) fn parts(profile: &Profile, object: ObjectIndex) -> impl Iterator<Item = &Mapping> {
    let is_part = move |mapping: &&Mapping| {
        mapping.object == object && mapping.pid.is_none() && mapping.start.0 == mapping.offset.0
    };
    profile.mappings.iter().filter(is_part)
}

impl Positions {
    /// Judges a file; `None` if it is not known where the object's parts are.
    pub(crate) fn of(profile: &Profile, object: ObjectIndex, file: &ElfFile) -> Option<Self> {
        let parts: Vec<&Mapping> = parts(profile, object).collect();
        if parts.is_empty() {
            return None;
        }
        let is_segment = |part: &&&Mapping| file.segments().iter().any(|segment| is_same_part(part, segment));
        let has_other_size = parts.iter().find(is_segment).is_none();
        Some(Self { maps: parts.iter().flat_map(|part| maps_of(part, file)).collect(), has_other_size })
    }
}

/// The segments of the file that lie in a part: of several, each has its own distance.
fn maps_of(part: &Mapping, file: &ElfFile) -> Vec<AddressMap> {
    let (first, last) = (part.offset.0, part.offset.0.saturating_add(part.len.saturating_sub(1)));
    let overlapping = file.segments().iter().filter(|segment| {
        segment.file_size > 0
            && segment.offset <= last
            && segment.offset.saturating_add(segment.file_size) > first
    });
    let map = |segment: &Segment| AddressMap {
        kind: AddressKind::FileOffset,
        bias: segment.addr.wrapping_sub(segment.offset),
        votes: 1,
        first: first.max(segment.offset),
        last: last.min(segment.offset.saturating_add(segment.file_size).saturating_sub(1)),
    };
    overlapping.map(map).collect()
}

/// Whether a segment takes up the pages of a part.
fn is_same_part(part: &Mapping, segment: &Segment) -> bool {
    let end = segment.offset.saturating_add(segment.file_size);
    let start_page = segment.offset & !(PAGE - 1);
    let end_page = end.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
    part.offset.0 == start_page && part.len.checked_next_multiple_of(PAGE) == end_page.checked_sub(start_page)
}
