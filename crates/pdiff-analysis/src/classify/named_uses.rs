//! Uses of a function by its name: a function of a library is known in the code twice, as the linker's stub and as what the stub leads to.

/// The end of the names of the linker's stubs.
const STUB: &str = "@plt";

/// A name without the mark of a stub, and whether it has one.
pub(super) fn without_stub(name: &str) -> (&str, bool) {
    let plain = name.strip_suffix(STUB);
    (plain.unwrap_or(name), plain.is_some())
}

/// How often code uses what has one name.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct NamedUses {
    direct: u32,
    by_stub: u32,
}

impl NamedUses {
    pub(super) fn add(&mut self, is_stub: bool, count: u32) {
        *(if is_stub { &mut self.by_stub } else { &mut self.direct }) += count;
    }

    /// The places: a call of a stub is one of the function.
    pub(super) fn places(self) -> u32 {
        self.direct.max(self.by_stub)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_a_stub_is_one_call_of_what_it_leads_to() {
        let mut uses = NamedUses::default();
        for (name, count) in [("strlen@plt", 2), ("strlen", 2)] {
            let (plain, is_stub) = without_stub(name);
            assert_eq!(plain, "strlen");
            uses.add(is_stub, count);
        }
        assert_eq!(uses.places(), 2);
        // Functions of one name are several.
        uses.add(false, 3);
        assert_eq!(uses.places(), 5);
    }
}
