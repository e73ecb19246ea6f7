//! The memory maps of a process at one moment: a later map replaces what it overlaps.

use std::collections::BTreeMap;

/// One map, without its first address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Map {
    /// The address after the last.
    pub(super) end: u64,
    /// The shift from addresses to frames: it is added to an address, modulo 2^64. Frames of files have the position in the
    /// file, others the unchanged address.
    pub(super) shift: u64,
    /// The object's number.
    pub(super) object: u32,
}

/// The maps of one process, or of the kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Maps {
    by_start: BTreeMap<u64, Map>,
}

impl Maps {
    /// The map that contains an address.
    #[inline]
    pub(super) fn find(&self, addr: u64) -> Option<&Map> {
        let (_, map) = self.by_start.range(..=addr).next_back()?;
        (addr < map.end).then_some(map)
    }

    /// The last map that begins at or before an address, though it may end before.
    pub(super) fn before(&self, addr: u64) -> Option<&Map> {
        self.by_start.range(..=addr).next_back().map(|(_, map)| map)
    }

    /// All maps with their first addresses, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Map)> {
        self.by_start.iter().map(|(start, map)| (*start, map))
    }

    /// How many maps there are.
    pub(super) fn len(&self) -> usize {
        self.by_start.len()
    }

    /// Adds a map; what it overlaps is cut.
    pub(super) fn insert(&mut self, start: u64, map: Map) {
        if map.end <= start {
            return;
        }
        let before = self.by_start.range(..start).next_back().map(|(at, map)| (*at, *map));
        if let Some((at, below)) = before.filter(|(_, below)| below.end > start) {
            self.by_start.insert(at, Map { end: start, ..below });
            if below.end > map.end {
                self.by_start.insert(map.end, below);
            }
        }
        while let Some((at, inside)) = self.by_start.range(start..map.end).next().map(|(at, map)| (*at, *map))
        {
            self.by_start.remove(&at);
            if inside.end > map.end {
                self.by_start.insert(map.end, inside);
            }
        }
        self.by_start.insert(start, map);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_map_cuts_what_it_overlaps() {
        let mut maps = Maps::default();
        for (start, end, object) in
            [(0, 100, 1), (40, 60, 2), (90, 120, 3), (50, 95, 4), (200, 200, 5), (10, 20, 6), (10, 20, 7)]
        {
            maps.insert(start, Map { end, shift: 0, object });
        }
        let found: Vec<_> = maps.by_start.iter().map(|(start, map)| (*start, map.end, map.object)).collect();
        assert_eq!(found, [(0, 10, 1), (10, 20, 7), (20, 40, 1), (40, 50, 2), (50, 95, 4), (95, 120, 3)]);
        let object = |addr| maps.find(addr).map(|map| map.object);
        assert_eq!(
            [object(0), object(15), object(94), object(119), object(120)],
            [Some(1), Some(7), Some(4), Some(3), None]
        );
    }
}
