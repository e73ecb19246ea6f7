//! What perf tells of a recording beside its records: machine, command line, names of events, build-ids.
//!
//! ```text
//! text       = size:u32 bytes                          ends at the first NUL
//! BUILD_ID   = (kind:u32 misc:u16 size:u16 pid:u32 build-id:24 path)*
//! EVENT_DESC = count:u32 attr-size:u32 (attribute ids:u32 name:text id:u64*)*
//! CMDLINE    = count:u32 text*
//! NRCPUS     = available:u32 online:u32
//! ```

use pdiff_profile::BuildId;

use super::event_attr::EventAttr;
use super::fields::{ByteOrder, Fields, until_nul};

/// `misc` of a build-id: the byte after 20 says how long it is.
const MISC_BUILD_ID_SIZE: u16 = 1 << 15;
/// `misc`: which mode the object's code runs in.
const MISC_MODE: u16 = 7;
const MODE_KERNEL: u16 = 1;
/// The most build-ids kept; a machine has some thousand files.
const MAX_BUILD_IDS: usize = 1 << 18;

/// The build-id of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedBuildId {
    pub(super) path: Box<[u8]>,
    pub(super) build_id: BuildId,
    pub(super) is_kernel: bool,
}

/// The name of an event, and the identifiers of its samples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NamedEvent {
    pub(super) name: Box<str>,
    pub(super) attr: EventAttr,
    pub(super) ids: Vec<u64>,
}

/// All that was told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Features {
    /// As `perf script --header` prints it: name and value.
    pub(super) header: Vec<(&'static str, String)>,
    pub(super) build_ids: Vec<ListedBuildId>,
    pub(super) events: Vec<NamedEvent>,
    /// Whether counts of `perf stat record` replace samples.
    pub(super) is_statistics: bool,
    /// Whether the samples are in other files.
    pub(super) is_directory: bool,
    /// Whether records were packed.
    pub(super) is_compressed: bool,
}

impl Features {
    /// Takes in the feature of a number.
    pub(super) fn add(&mut self, number: u32, content: &[u8], order: ByteOrder) {
        let mut fields = Fields::new(content, order);
        match number {
            2 => self.add_build_ids(content, order),
            3 => self.add_text("hostname", fields),
            4 => self.add_text("os release", fields),
            5 => self.add_text("perf version", fields),
            6 => self.add_text("arch", fields),
            7 => {
                let numbers = (fields.number32(), fields.number32());
                if let (Some(available), Some(online)) = numbers {
                    self.header.push(("nrcpus online", online.to_string()));
                    self.header.push(("nrcpus avail", available.to_string()));
                }
            }
            8 => self.add_text("cpudesc", fields),
            9 => self.add_text("cpuid", fields),
            10 => {
                let kilobytes =
                    fields.number64().map(|kilobytes| ("total memory", format!("{kilobytes} kB")));
                self.header.extend(kilobytes);
            }
            11 => self.header.extend(command_line(fields).map(|line| ("cmdline", line))),
            12 => self.events = named_events(fields, order).unwrap_or_default(),
            19 => self.is_statistics = true,
            24 => self.is_directory = true,
            27 => self.is_compressed = true,
            _ => {}
        }
    }

    /// Takes in the build-ids of a feature, or of a record of its own with its header.
    pub(super) fn add_build_ids(&mut self, content: &[u8], order: ByteOrder) {
        let mut fields = Fields::new(content, order);
        while self.build_ids.len() < MAX_BUILD_IDS {
            let mut header = fields;
            let head = (header.number32(), header.number16(), header.number16());
            let (Some(_), Some(misc), Some(size)) = head else { return };
            let Some(record) = fields.take(usize::from(size)) else { return };
            self.build_ids.extend(build_id(record.get(8..).unwrap_or(&[]), misc, order));
            if size == 0 {
                return;
            }
        }
    }

    /// The value under a name of `perf script --header`.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.header.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn add_text(&mut self, name: &'static str, mut fields: Fields<'_>) {
        let text = fields.header_text().map(|text| String::from_utf8_lossy(text).into_owned());
        self.header.extend(text.map(|text| (name, text)));
    }
}

/// The build-id in a record without its header.
pub(super) fn build_id(body: &[u8], misc: u16, order: ByteOrder) -> Option<ListedBuildId> {
    let mut fields = Fields::new(body, order);
    fields.skip(4)?;
    let bytes = fields.take(20)?;
    let size = usize::from(fields.byte()?);
    fields.skip(3)?;
    let bytes = match misc & MISC_BUILD_ID_SIZE {
        0 => shortened(bytes),
        _ => bytes.get(..size)?,
    };
    Some(ListedBuildId {
        path: until_nul(fields.rest()).into(),
        build_id: BuildId::from_bytes(bytes)?,
        is_kernel: misc & MISC_MODE == MODE_KERNEL,
    })
}

/// perf before 5.12 filled build-ids of 16 bytes up to 20 with zeros.
fn shortened(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(&[0; 4]).unwrap_or(bytes)
}

/// The arguments as a shell would take them apart by blanks.
fn command_line(mut fields: Fields<'_>) -> Option<String> {
    let count = fields.number32()?;
    let mut words = Vec::new();
    for _ in 0..count {
        words.push(String::from_utf8_lossy(fields.header_text()?).into_owned());
    }
    Some(words.join(" "))
}

fn named_events(mut fields: Fields<'_>, order: ByteOrder) -> Option<Vec<NamedEvent>> {
    let (count, attr_bytes) = (fields.number32()?, usize::try_from(fields.number32()?).ok()?);
    let mut events = Vec::new();
    for _ in 0..count {
        let (attr, _) = EventAttr::parse(fields.take(attr_bytes)?, order)?;
        let ids = usize::try_from(fields.number32()?).ok()?;
        let name = String::from_utf8_lossy(fields.header_text()?).into();
        let ids = order.numbers64(fields.take(ids.checked_mul(8)?)?).collect();
        events.push(NamedEvent { name, attr, ids });
    }
    Some(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_at_nul_and_lists_where_they_are_cut() {
        let mut features = Features::default();
        features.add(3, b"\x08\0\0\0box\0rest", ByteOrder::Little);
        features.add(11, b"\x02\0\0\0\x04\0\0\0perf\x07\0\0\0record\0", ByteOrder::Little);
        features.add(11, b"\xff\xff\xff\xff\x04\0\0\0perf", ByteOrder::Little);
        features.add(12, b"\xff\xff\xff\xff\xff\xff\xff\xff", ByteOrder::Little);
        assert_eq!(features.header, [("hostname", "box".to_owned()), ("cmdline", "perf record".to_owned())]);
        assert!(features.events.is_empty());
    }

    #[test]
    fn build_ids_have_the_length_that_is_told() {
        let id = |misc: u16, size: u8| {
            let mut body = vec![0xff; 4];
            body.extend([7; 16]);
            body.extend([0, 0, 0, 0, size, 0, 0, 0]);
            body.extend(b"/bin/x\0\0");
            build_id(&body, misc, ByteOrder::Little)
                .map(|listed| (listed.build_id.as_bytes().len(), listed.is_kernel))
        };
        assert_eq!(id(2, 0), Some((16, false)));
        assert_eq!(id(MISC_BUILD_ID_SIZE | 1, 8), Some((8, true)));
        assert_eq!(id(MISC_BUILD_ID_SIZE, 200), None);
    }
}
