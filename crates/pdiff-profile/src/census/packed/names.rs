//! Names of functions in a packed census. A linkage name contains the function's name and parameters. If demangling it
//! gives both, only the linkage name is stored, and it is demangled when the census is read.
//!
//! ```text
//! names = form:byte* list list list        linkage names, names, parameters: of the functions whose form says so
//! list  = count shared:number* block       bytes shared with the one before; what follows them, and a zero byte, of all
//! ```
//!
//! Estimate: demangling 175 thousand names takes 0.9 s of CPU; a server's 92 MB of names become 26 MB.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::census::text::{TextId, TextTable};
use crate::codec::{ByteReader, ByteWriter};
use crate::names::demangle;

/// It has a linkage name.
const LINKAGE: u8 = 1;
/// Name and parameters are what demangling the linkage name gives.
const DERIVED: u8 = 2;
/// Its parameters are stored here.
const PARAMETERS: u8 = 4;

/// The most bytes of text that a packed census may grow to.
const MAX_TEXT_BYTES: usize = 1 << 30;

/// What one function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Option<&'a str>,
    pub(super) linkage: Option<&'a str>,
    /// Whether demangling the linkage name gives the others.
    pub(super) is_demangled: bool,
}

/// The same, as texts of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NamedIds {
    pub(super) name: TextId,
    pub(super) parameters: Option<TextId>,
    pub(super) linkage: Option<TextId>,
    pub(super) is_demangled: bool,
}

pub(super) fn write_names(out: &mut ByteWriter, names: &[Named<'_>]) {
    let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
    let form = |named: &Named<'_>| match named.linkage {
        Some(_) if named.is_demangled => LINKAGE | DERIVED,
        linkage => flag(linkage.is_some(), LINKAGE) | flag(named.parameters.is_some(), PARAMETERS),
    };
    let forms: Vec<u8> = names.iter().map(form).collect();
    forms.iter().for_each(|form| out.byte(*form));
    let of_form = |has: fn(u8) -> bool| names.iter().zip(&forms).filter(move |(_, form)| has(**form));
    let linkage: Vec<&str> =
        of_form(|form| form & LINKAGE != 0).filter_map(|(named, _)| named.linkage).collect();
    let spelled: Vec<&str> = of_form(|form| form & DERIVED == 0).map(|(named, _)| named.name).collect();
    let parameters: Vec<&str> =
        of_form(|form| form & PARAMETERS != 0).filter_map(|(named, _)| named.parameters).collect();
    [linkage, spelled, parameters].iter().for_each(|texts| write_list(out, texts));
}

/// The names of `count` functions, put into the table.
pub(super) fn read_names(
    reader: &mut ByteReader<'_>,
    count: usize,
    texts: &mut TextTable,
) -> Option<Vec<NamedIds>> {
    let forms = reader.take(count)?;
    let (linkage, names, parameters) = (read_list(reader)?, read_list(reader)?, read_list(reader)?);
    let (mut linkage_left, mut names, mut parameters) = (linkage.iter(), names.iter(), parameters.iter());
    let to_derive: Vec<Option<&str>> = forms
        .iter()
        .map(|form| {
            let linkage = if form & LINKAGE != 0 { linkage_left.next() } else { None };
            linkage.map(String::as_str)
        })
        .collect();
    // A few bytes may represent a long name, so the limit holds while names are made.
    let spelled_bytes = AtomicUsize::new(0);
    let derived = in_parallel(&to_derive.iter().zip(forms).collect::<Vec<_>>(), |(linkage, form)| {
        let is_wanted = **form & DERIVED != 0 && spelled_bytes.load(Ordering::Relaxed) <= MAX_TEXT_BYTES;
        let spelled = is_wanted.then_some((**linkage)?).and_then(spell)?;
        spelled_bytes.fetch_add(spelled.signature.len(), Ordering::Relaxed);
        Some(spelled)
    });
    if spelled_bytes.into_inner() > MAX_TEXT_BYTES {
        return None;
    }
    let mut read = Vec::with_capacity(count);
    let mut last: Option<(TextId, &str)> = None;
    for ((form, linkage), derived) in forms.iter().zip(&to_derive).zip(&derived) {
        if form & LINKAGE != 0 && linkage.is_none() {
            return None;
        }
        let named = if form & DERIVED == 0 {
            let parameters = if form & PARAMETERS != 0 { Some(parameters.next()?.as_str()) } else { None };
            Named { name: names.next()?, parameters, linkage: *linkage, is_demangled: false }
        } else {
            let spelled = derived.as_ref()?;
            let (name, parameters) = (spelled.name(), spelled.parameters());
            Named { name, parameters, linkage: *linkage, is_demangled: true }
        };
        let bytes =
            named.name.len() + named.parameters.map_or(0, str::len) + named.linkage.map_or(0, str::len);
        if texts.as_parts().0.len() + bytes > MAX_TEXT_BYTES {
            return None;
        }
        // Overloads stand side by side.
        let name = match last {
            Some((id, name)) if name == named.name => id,
            Some((_, name)) if name > named.name => return None,
            _ => texts.push(named.name),
        };
        last = Some((name, named.name));
        let mut add = |text: Option<&str>| text.map(|text| texts.push(text));
        let (parameters, linkage) = (add(named.parameters), add(named.linkage));
        read.push(NamedIds { name, parameters, linkage, is_demangled: named.is_demangled });
    }
    let is_end = linkage_left.next().is_none() && names.next().is_none() && parameters.next().is_none();
    is_end.then_some(read)
}

/// Writes names in the order of functions, so that neighbours begin alike. A name ends at a zero byte, as in the files that
/// a census is made from.
fn write_list(out: &mut ByteWriter, texts: &[&str]) {
    let texts = || texts.iter().map(|text| text.split('\0').next().unwrap_or(""));
    out.count(texts().len());
    let mut rests = Vec::new();
    let mut before = "";
    for text in texts() {
        let shared = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        out.count(shared);
        rests.extend_from_slice(text.as_bytes().get(shared..).unwrap_or(&[]));
        rests.push(0);
        before = text;
    }
    out.block(&rests);
}

fn read_list(reader: &mut ByteReader<'_>) -> Option<Vec<String>> {
    let count = reader.count(1)?;
    let shared: Vec<usize> =
        (0..count).map(|_| usize::try_from(reader.number()?).ok()).collect::<Option<_>>()?;
    let rests = reader.block()?;
    let mut rests = rests.split_inclusive(|byte| *byte == 0);
    let mut texts: Vec<String> = Vec::with_capacity(count);
    let mut total = 0;
    for shared in shared {
        let rest = rests.next()?.strip_suffix(&[0])?;
        let head = texts.last().map_or(&[][..], |text| text.as_bytes()).get(..shared)?;
        total += head.len() + rest.len();
        if total > MAX_TEXT_BYTES {
            return None;
        }
        texts.push(String::from_utf8([head, rest].concat()).ok()?);
    }
    rests.next().is_none().then_some(texts)
}

/// A name spelled out: the signature, and where the qualified name ends in it.
struct Spelled {
    signature: String,
    name_bytes: usize,
}

impl Spelled {
    fn name(&self) -> &str {
        self.signature.get(..self.name_bytes).unwrap_or("")
    }

    fn parameters(&self) -> Option<&str> {
        self.signature.get(self.name_bytes..).filter(|rest| !rest.is_empty())
    }
}

/// Whether demangling a linkage name gives these.
pub(super) fn is_demangled(linkage: &str, name: &str, parameters: Option<&str>) -> bool {
    spell(linkage).is_some_and(|spelled| spelled.name() == name && spelled.parameters() == parameters)
}

fn spell(linkage: &str) -> Option<Spelled> {
    let demangled = demangle(linkage)?;
    let is_head = demangled.signature.starts_with(&demangled.qualified);
    let name_bytes = demangled.qualified.len();
    let signature = if is_head { demangled.signature } else { demangled.qualified };
    Some(Spelled { signature, name_bytes })
}

/// Fewer rows than this are not worth a thread.
const MIN_ROWS: usize = 256;

/// The results of `make` for each row, in order.
fn in_parallel<T: Sync, R: Send>(rows: &[T], make: impl Fn(&T) -> Option<R> + Sync) -> Vec<Option<R>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let rows_each = rows.len().div_ceil(threads).max(MIN_ROWS);
    let make = &make;
    std::thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(rows_each)
            .map(|rows| scope.spawn(move || rows.iter().map(make).collect::<Vec<_>>()))
            .collect();
        let joined = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}
