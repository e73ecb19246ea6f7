//! Uses of a function by its name. One function may be known in the code twice: one of a library as the linker's stub and as what the stub
//! leads to; one of another source file as what its header declares and as what has the code.

use pdiff_profile::census::Function;

/// The end of the names of the linker's stubs.
const STUB: &str = "@plt";

/// A name without the mark of a stub, and whether it has one.
pub(super) fn without_stub(name: &str) -> (&str, bool) {
    let plain = name.strip_suffix(STUB);
    (plain.unwrap_or(name), plain.is_some())
}

/// In which form a function is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// It has code, or copies.
    Code,
    /// The linker's stub.
    Stub,
    /// It is declared alone.
    Declared,
}

/// The name by which the uses of a function count, and its form.
pub(super) fn named<'c>(function: Function<'c>) -> (&'c str, Form) {
    let (name, is_stub) = without_stub(function.name());
    let form = match () {
        () if is_stub => Form::Stub,
        () if function.is_present() => Form::Code,
        () => Form::Declared,
    };
    (name, form)
}

/// How often code uses what has one name.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct NamedUses {
    of_code: u32,
    by_stub: u32,
    declared: u32,
}

impl NamedUses {
    pub(super) fn add(&mut self, form: Form, count: u32) {
        let uses = match form {
            Form::Code => &mut self.of_code,
            Form::Stub => &mut self.by_stub,
            Form::Declared => &mut self.declared,
        };
        *uses += count;
    }

    /// The places: a call of one form is one of the function.
    pub(super) fn places(self) -> u32 {
        self.of_code.max(self.by_stub).max(self.declared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_a_stub_is_one_call_of_what_it_leads_to() {
        assert_eq!(without_stub("strlen@plt"), ("strlen", true));
        assert_eq!(without_stub("strlen"), ("strlen", false));
        let mut uses = NamedUses::default();
        uses.add(Form::Stub, 2);
        uses.add(Form::Declared, 2);
        assert_eq!(uses.places(), 2);
        // Functions of one name are several.
        uses.add(Form::Code, 2);
        uses.add(Form::Code, 3);
        assert_eq!(uses.places(), 5);
    }
}
