//! `pdiff symbolize`: the functions at addresses of one binary.

use anyhow::{Context, Result, anyhow, bail};
use pdiff::profile::{ObjectAddr, Reason, Resolution};
use pdiff::symbolize::symbolize;
use pdiff::{Lookup, render};

use crate::cli::{AddressFormat, SymbolizeArgs};
use crate::output::Output;
use crate::settings::{ADDRESSES, read_to_limit, with_servers_asked};

/// Looks up all addresses and prints what is there, in the order given.
pub(crate) fn run(args: &SymbolizeArgs) -> Result<()> {
    let output = Output::new(args.output.as_deref())?;
    let addresses = addresses(&args.addresses)?;
    let lookup = args.debug_root.iter().rev().fold(Lookup::new(), Lookup::debug_root);
    let options = with_servers_asked(lookup, false)?.options(&[]);
    let resolutions = symbolize(&args.binary, &addresses, &options)?;
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
            "pdiff: warning: {outside} of {of} addresses lie outside of the file's code"
        ));
    }
    Ok(())
}

fn addresses(words: &[String]) -> Result<Vec<ObjectAddr>> {
    if !words.is_empty() && words != ["-"] {
        return words.iter().map(|word| parse(word).ok_or_else(|| not_an_address(word))).collect();
    }
    let bytes = read_to_limit(std::io::stdin().lock(), ADDRESSES, "addresses on standard input")?;
    let text = String::from_utf8(bytes).context("addresses on standard input: not UTF-8 text")?;
    let words = text
        .lines()
        .enumerate()
        .flat_map(|(number, line)| line.split_whitespace().map(move |word| (number, word)));
    let addresses: Vec<ObjectAddr> = words
        .map(|(number, word)| {
            parse(word).ok_or_else(|| not_an_address(word).context(format!("line {}", number + 1)))
        })
        .collect::<Result<_>>()?;
    if addresses.is_empty() {
        bail!("no addresses; hint: give them as arguments or on standard input");
    }
    Ok(addresses)
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
