//! C++ names of the Itanium ABI, the plain nine tenths of them, to their one spelling in one pass.
//!
//! In: a mangled name without clone suffix. Out: what [`itanium`](super::itanium), [`spelling`](super::spelling) and
//! [`parameters`](super::parameters) make of it together, without a tree and without a second look at the text; or nothing
//! where the name holds more than is read here (lambdas, expressions, pointers to members, packs that are expanded, ..), so that
//! those are asked. What is read here is spelled as they spell it, letter by letter: the tests compare both, on damaged names too.
//!
//! A mangled name refers back to what it named before. All of that stands in the output, so a reference is a piece of the output.

mod codes;
mod scopes;
mod type_names;

use super::demangled::Demangled;
use super::spelling::short_name;

/// Longer names are not read here.
const MAX_MANGLED_BYTES: usize = 4096;
/// Longer names are not made here.
const MAX_BYTES: usize = 16 * 1024;

/// Demangles a plain name; `None` where it is not mangled, or not plain.
pub(super) fn demangle(mangled: &str) -> Option<Demangled> {
    let is_read =
        mangled.len() <= MAX_MANGLED_BYTES && mangled.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let rest = mangled.strip_prefix("_Z").filter(|_| is_read)?;
    // The general demangler is helped with constructor templates by looking for these, wherever they stand.
    let mut marks = (0..rest.len()).filter(|at| is_mark(rest, *at));
    let constructor = marks.next();
    if marks.next().is_some() {
        return None;
    }
    let reader = Reader {
        bytes: rest.as_bytes(),
        at: 0,
        out: String::with_capacity(4 * rest.len()),
        aside: String::new(),
        known: Vec::with_capacity(16),
        arguments: Vec::new(),
        has_arguments: false,
        depth: 0,
        constructor,
        is_pointed: false,
        refers_to_member: false,
        last_reference_is_type: false,
    };
    reader.symbol()
}

/// Whether a template of a constructor or of a conversion is marked at a place.
fn is_mark(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at..) {
        Some([b'C', b'1' | b'2' | b'4', b'I', ..]) => true,
        Some([b'c', rest @ ..]) => rest.starts_with(b"vT_I"),
        _ => false,
    }
}

/// What a later part of the name may refer to.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    home: Home,
    /// The last identifier, in the mangled name: what a constructor is called.
    leaf: Option<(usize, usize)>,
    /// Whether it was read as a type, and not as a scope.
    is_type: bool,
    /// Whether it is a member of such a one. The general demangler takes some for members of a reference where they are referred to,
    /// `A&::B`, so that is left to it.
    is_member_of_type: bool,
}

impl Part {
    const NOWHERE: Self =
        Self { start: 0, end: 0, home: Home::Nowhere, leaf: None, is_type: true, is_member_of_type: false };
}

/// Where the text of a part stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Out,
    Aside,
    /// Nowhere in one piece.
    Nowhere,
    /// In the output, but only what follows makes it a name.
    Namespace,
}

/// What the last component of a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Std,
    Reference,
    Name,
    Arguments,
    /// Of a constructor or destructor: it has no return type.
    Special,
    SpecialArguments,
}

struct Reader<'m> {
    bytes: &'m [u8],
    at: usize,
    out: String,
    /// Text that left the output when it got its short name.
    aside: String,
    known: Vec<Part>,
    /// The template arguments of the function.
    arguments: Vec<Part>,
    /// Whether types may name them.
    has_arguments: bool,
    depth: u32,
    /// Where a template of a constructor is marked, and has to be.
    constructor: Option<usize>,
    /// Whether the type being read is one that is pointed or referred to.
    is_pointed: bool,
    /// Whether the argument being read refers to a [member of a type](Part::is_member_of_type).
    refers_to_member: bool,
    /// Whether what was referred to last was read as a type.
    last_reference_is_type: bool,
}

impl Reader<'_> {
    fn symbol(mut self) -> Option<Demangled> {
        let is_thunk = self.thunk()?;
        let (last, is_const) = self.function_name()?;
        let name_end = self.out.len();
        if self.constructor.is_some() && (last != Last::SpecialArguments || is_thunk) {
            return None;
        }
        let mut types_end = name_end;
        if self.at < self.bytes.len() {
            if last == Last::Arguments {
                // Shown by nobody, but what follows may refer to it.
                self.has_arguments = true;
                self.out.push(' ');
                self.any_type()?;
                types_end = self.out.len();
            }
            self.has_arguments |= last == Last::SpecialArguments;
            self.parameters(None)?;
            if is_const {
                self.out.push_str(" const");
            }
        } else if is_const || matches!(last, Last::Special | Last::SpecialArguments) {
            return None;
        }
        if self.at != self.bytes.len() || self.out.len() > MAX_BYTES {
            return None;
        }
        let mut signature = self.out;
        signature.replace_range(name_end..types_end, "");
        let qualified = if is_thunk { signature.clone() } else { signature.get(..name_end)?.to_owned() };
        Some(Demangled { qualified, signature }).filter(|name| !name.qualified.is_empty())
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn next_but(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Whether it is the address of a function that corrects `this`; `None` for other things that are no functions.
    fn thunk(&mut self) -> Option<bool> {
        if self.peek() != b'T' {
            return Some(false);
        }
        let (meaning, offsets) = match self.next_but(1) {
            b'h' => ("non-virtual thunk to ", 1),
            b'v' => ("virtual thunk to ", 2),
            _ => return None,
        };
        self.at += 2;
        for _ in 0..offsets {
            self.at += usize::from(self.peek() == b'n');
            if self.peek() == b'0' && self.next_but(1) != b'_' {
                return None;
            }
            self.number()?;
            self.expect(b'_')?;
        }
        self.out.push_str(meaning);
        Some(true)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.at += 1)
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut number = 0_usize;
        while self.peek().is_ascii_digit() {
            number = number.checked_mul(10)?.checked_add(usize::from(self.peek() - b'0'))?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// Gives a default instance that has just been closed its short name; what later parts refer to is kept aside.
    fn shorten(&mut self) {
        let Some((head, short)) = short_name(&self.out) else { return };
        let moved = self.aside.len();
        self.aside.push_str(self.out.get(head..).unwrap_or(""));
        for part in self.known.iter_mut().chain(&mut self.arguments) {
            if part.start >= head && matches!(part.home, Home::Out | Home::Namespace) {
                // What is no name alone is none there either.
                part.home = if part.home == Home::Out { Home::Aside } else { Home::Nowhere };
                (part.start, part.end) = (part.start - head + moved, part.end - head + moved);
            }
        }
        self.out.truncate(head);
        self.out.push_str(short);
    }

    fn know(&mut self, start: usize, leaf: Option<(usize, usize)>) {
        let part = Part {
            start,
            end: self.out.len(),
            home: Home::Out,
            leaf,
            is_type: true,
            is_member_of_type: false,
        };
        self.known.push(part);
    }

    /// Notes a scope, or a template: one of an operator is no type.
    fn know_template(&mut self, start: usize, leaf: Option<(usize, usize)>) {
        self.know(start, leaf);
        if let Some(part) = self.known.last_mut().filter(|_| leaf.is_none()) {
            part.home = Home::Nowhere;
        }
    }

    fn mark_member(&mut self, is_member_of_type: bool) {
        self.known.last_mut().into_iter().for_each(|part| part.is_member_of_type = is_member_of_type);
    }

    /// Writes a part again.
    fn write(&mut self, part: Part, is_scope: bool) -> Option<()> {
        if part.is_member_of_type && self.is_pointed && !is_scope {
            return None;
        }
        self.refers_to_member |= part.is_member_of_type;
        match part.home {
            Home::Namespace if !is_scope => return None,
            Home::Out | Home::Namespace => {
                self.out.get(part.start..part.end)?;
                self.out.extend_from_within(part.start..part.end);
            }
            Home::Aside => self.out.push_str(self.aside.get(part.start..part.end)?),
            Home::Nowhere => return None,
        }
        (self.out.len() <= MAX_BYTES).then_some(())
    }

    /// `S_`, `S0_`, .. and the abbreviations of the standard library; the last identifier of what it stands for.
    fn reference(&mut self, is_scope: bool) -> Option<Option<(usize, usize)>> {
        self.at += 1;
        let abbreviation = match self.peek() {
            b'a' => "std::allocator",
            b's' => "std::string",
            b'i' => "std::istream",
            b'o' => "std::ostream",
            b'd' => "std::iostream",
            _ => "",
        };
        if !abbreviation.is_empty() {
            self.at += 1;
            self.out.push_str(abbreviation);
            self.last_reference_is_type = true;
            return Some(None);
        }
        let number = self.sequence_number()?;
        let part = *self.known.get(number)?;
        self.write(part, is_scope)?;
        self.last_reference_is_type = part.is_type;
        Some(part.leaf)
    }

    /// Letters and digits up to `_`.
    fn sequence_number(&mut self) -> Option<usize> {
        let mut number = None;
        if self.peek() == b'0' && self.next_but(1) != b'_' {
            return None;
        }
        loop {
            let digit = match self.peek() {
                b'_' => break,
                byte @ b'0'..=b'9' => usize::from(byte - b'0'),
                byte @ b'A'..=b'Z' => usize::from(byte - b'A') + 10,
                _ => return None,
            };
            number = Some(number.unwrap_or(0_usize).checked_mul(36)?.checked_add(digit)?);
            self.at += 1;
        }
        self.at += 1;
        Some(number.map_or(0, |number| number + 1))
    }
}
