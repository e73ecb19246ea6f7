//! `pdiff symbolize`: the functions at addresses of one binary.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use pdiff::profile::{ObjectAddr, Reason, Resolution};
use pdiff::symbolize::Symbolizer;
use pdiff::{Lookup, render};

use crate::cli::{AddressFormat, AddressMeaning, SymbolizeArgs};
use crate::output::Output;
use crate::settings::{ADDRESSES, read_to_limit, with_servers_asked};

/// Looks up all addresses and prints what is there, in the order given.
pub(crate) fn run(args: &SymbolizeArgs) -> Result<()> {
    let output = Output::new(args.output.as_deref())?;
    let numbers = numbers(&args.addresses, &args.binary)?;
    let lookup = args.debug_root.iter().rev().fold(Lookup::new(), Lookup::debug_root);
    let options = with_servers_asked(lookup, false)?.options(&[]);
    let mut symbolizer = Symbolizer::open(&args.binary, &options)?;
    let addresses = addresses(&numbers, args.meaning, &mut symbolizer)?;
    let resolutions = symbolizer.symbolize(&addresses);
    let rendered = match args.format {
        AddressFormat::Text => render::resolution_text(&resolutions).into_bytes(),
        AddressFormat::Json => render::resolution_json_lines(&addresses, &resolutions)?,
    };
    output.write(&rendered)?;
    let is_outside = |found: &&Resolution| **found == Resolution::Unresolved(Reason::OutsideObject);
    let outside = resolutions.iter().filter(is_outside).count();
    // JSON says so of each address.
    if outside > 0 && args.format == AddressFormat::Text {
        let of = addresses.len();
        crate::complain(&format!(
            "pdiff: warning: {outside} of {of} addresses are outside of the file's code"
        ));
    }
    Ok(())
}

/// A number of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Number {
    value: u64,
    /// It is after the file's name, as perf prints positions in files.
    is_offset: bool,
}

fn numbers(words: &[String], binary: &Path) -> Result<Vec<Number>> {
    let number = |word: &str| number(word, binary);
    if !words.is_empty() && words != ["-"] {
        return words.iter().map(|word| number(word)).collect();
    }
    let bytes = read_to_limit(std::io::stdin().lock(), ADDRESSES, "addresses on standard input")?;
    let text = String::from_utf8(bytes).context("addresses on standard input: not UTF-8 text")?;
    let words = text
        .lines()
        .enumerate()
        .flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
    let numbers: Vec<Number> = words
        .map(|(line, word)| number(word).map_err(|error| error.context(format!("line {}", line + 1))))
        .collect::<Result<_>>()?;
    if numbers.is_empty() {
        bail!("no addresses; hint: give them as arguments or on standard input");
    }
    Ok(numbers)
}

/// `0x1139`, or `server+0x1139` as perf prints it, in brackets or not.
fn number(word: &str, binary: &Path) -> Result<Number> {
    let plain = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
    let (file, digits) = match plain.rsplit_once('+') {
        Some((file, digits)) if !file.is_empty() => (Some(Path::new(file)), digits),
        _ => (None, plain),
    };
    let ObjectAddr(value) = parse(digits).ok_or_else(|| not_an_address(word))?;
    if let Some(file) = file.filter(|file| file.file_name() != binary.file_name()) {
        bail!("'{word}' is a position in {}, not in {}", file.display(), binary.display());
    }
    Ok(Number { value, is_offset: file.is_some() })
}

/// The addresses that numbers mean. Numbers of one kind are given together: where one of them is code as one kind only, all are.
fn addresses(
    numbers: &[Number],
    meaning: Option<AddressMeaning>,
    symbolizer: &mut Symbolizer,
) -> Result<Vec<ObjectAddr>> {
    let plain = || numbers.iter().filter(|number| !number.is_offset).map(|number| number.value);
    let meaning = match meaning {
        Some(meaning) => meaning,
        None => inferred(plain(), symbolizer)?,
    };
    if meaning == AddressMeaning::Offset && plain().any(|value| symbolizer.code_at_offset(value).is_some()) {
        crate::complain("pdiff: note: numbers are taken as positions in the file (--as offset)");
    }
    let address = |number: &Number| match (number.is_offset, meaning) {
        (false, AddressMeaning::Address) => Ok(ObjectAddr(number.value)),
        _ => symbolizer.code_at_offset(number.value).ok_or_else(|| {
            anyhow!("there is no code at position {:#x} of {}", number.value, symbolizer.path().display())
        }),
    };
    numbers.iter().map(address).collect()
}

/// What numbers can only be.
fn inferred(
    values: impl Iterator<Item = u64> + Clone,
    symbolizer: &mut Symbolizer,
) -> Result<AddressMeaning> {
    let both = |value: u64| (symbolizer.is_code(ObjectAddr(value)), symbolizer.code_at_offset(value));
    let is_only_address = values.clone().map(both).any(|(is_code, at_offset)| is_code && at_offset.is_none());
    let is_only_offset = values.clone().map(both).any(|(is_code, at_offset)| !is_code && at_offset.is_some());
    match (is_only_address, is_only_offset) {
        (true, false) => return Ok(AddressMeaning::Address),
        (false, true) => return Ok(AddressMeaning::Offset),
        (true, true) => bail!(
            "some numbers can only be addresses and others only positions in the file; hint: say which they are by --as \
             address or --as offset"
        ),
        (false, false) => {}
    }
    let doubtful: Vec<[ObjectAddr; 2]> = values
        .filter(|value| symbolizer.is_code(ObjectAddr(*value)))
        .filter_map(|value| Some([ObjectAddr(value), symbolizer.code_at_offset(value)?]))
        .filter(|[address, of_offset]| address != of_offset)
        .collect();
    let resolutions = symbolizer.symbolize(doubtful.as_flattened());
    let mut pairs = doubtful.iter().zip(resolutions.as_chunks().0);
    match pairs.find(|(_, [as_address, as_offset])| as_address != as_offset) {
        None => Ok(AddressMeaning::Address),
        Some(([number, _], [as_address, as_offset])) => bail!(
            "{:#x} is code as an address ({}) and as a position in the file ({}), which is what perf prints behind a file's \
             name; hint: say which it is by --as address or --as offset",
            number.0,
            name(as_address),
            name(as_offset)
        ),
    }
}

/// The innermost function of an address.
fn name(of: &Resolution) -> String {
    match of {
        Resolution::Resolved(chain) => {
            chain.frames().last().map_or_else(String::new, |frame| frame.name.to_string())
        }
        Resolution::Unresolved(_) => "no function".to_owned(),
    }
}

fn parse(word: &str) -> Option<ObjectAddr> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
    // from_str_radix would take a sign.
    let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u64::from_str_radix(digits, 16).ok()).flatten().map(ObjectAddr)
}

fn not_an_address(word: &str) -> anyhow::Error {
    anyhow!("'{word}' is not an address; hint: write hexadecimal, as 0x1139")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_files_are_read_as_perf_prints_them() {
        let of = |word| number(word, Path::new("/usr/sbin/server")).ok();
        let offset = Some(Number { value: 0x1139, is_offset: true });
        assert_eq!([of("server+0x1139"), of("(/opt/server+0x1139)")], [offset; 2]);
        assert_eq!(of("1139"), Some(Number { value: 0x1139, is_offset: false }));
        assert_eq!([of("libc.so.6+0x1139"), of("server+"), of("+1139")], [None; 3]);
    }

    #[test]
    fn addresses_are_hexadecimal_with_or_without_prefix() {
        let check = |word, expected: Option<u64>| assert_eq!(parse(word), expected.map(ObjectAddr), "{word}");
        check("0x1f", Some(31));
        check("1F", Some(31));
        check("0x", None);
        check("+1", None);
        check("ffffffffffffffff", Some(u64::MAX));
        check("10000000000000000", None);
        check("main", None);
    }
}
