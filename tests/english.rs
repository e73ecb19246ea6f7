//! The texts of the project are plain English: phrases that readers stumbled over do not come back.
//!
//! `docs/style.md` has the rules; this list has the phrases that were found and reworded, with what to write instead.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};

/// What not to write, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("not told before", "inlining of X is known for the after side only"),
    ("told of", "reported; described; named"),
    ("have no rows on either side", "so inlined functions are not split out on either side"),
    ("9 in 10 growths", "smallest detectable growth (90 % power)"),
    ("+- half of its width", "95 % confidence interval"),
    ("is the interval of the change", "95 % confidence interval"),
    ("more work from dearer work", "give --tps-before/--tps-after to get cost per operation"),
    ("fills idle CPU", "spinning inflates shares; see --denominator work"),
    ("freeing the spin", "removing the spinning gains at most"),
    ("the interval holds 0", "the gap is not significant"),
    ("nothing to divide", "so it is not divided up"),
    ("goes on into", "now also calls X (no such call was sampled before)"),
    ("did not enter from here", "no such call was sampled before"),
    ("in no form", "the before binary has no symbol, inlined copy or rename of it"),
    ("stands in it before", "was inlined there, is now called"),
    ("its own code -", "cost of its body -0.01"),
    ("only the after run enters it", "sampled only after"),
    ("its share changed as all", "its share moved with the whole profile"),
    ("moved between them", "0.28 points changed rows only"),
    ("makes of the gap", "Attribute the gap to settings"),
    ("booked self", "self (by symbol), as perf report shows it"),
    ("expanded self", "self (inlines split out)"),
    ("Forget the built-in", "Ignore the built-in renames"),
    ("Two traps in", "Two pitfalls in this table"),
    ("cannot support it does not claim", "It makes no claim without evidence"),
    ("it has no reason to", "Returns an error if serialisation fails."),
    ("is nothing for a terminal", "refusing to write Parquet to a terminal; use -o FILE"),
    ("that holds speaks", "the first matching rule wins"),
    ("Which file it is for good", "stable identity of the file"),
    ("was come by", "how the file was found"),
    ("Races of the present code", "Record the benchmark results of DATE"),
    ("what became of", "what happened to"),
    ("and the like", "and similar"),
    ("that are no libraries", "libraries left aside"),
    ("that is no library", "every object is a library"),
    ("that are no time", "that do not measure time"),
    ("for who needs", "for callers that need"),
    ("that they speak of", "they apply to"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Texts that people read: documents, help pages and sources, but for recordings, knowledge and this list.
fn texts(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "fixtures", "presets", "corpus"].contains(&name) {
                texts(&path, found);
            }
        } else if ["rs", "md", "txt"].iter().any(|of| path.extension().is_some_and(|is| is == *of))
            && !["english.rs", "style.md"].contains(&name)
        {
            found.push(path);
        }
    }
}

/// The words of a text with one blank between them, and the line where each begins. Marks of comments and of strings that
/// go on in the next line are no words.
fn words(text: &str) -> (String, Vec<usize>) {
    let (mut joined, mut lines) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (number, line) in text.lines().enumerate() {
        for word in line.split_whitespace().filter(|word| !["///", "//!", "//", "\\"].contains(word)) {
            joined.push_str(word);
            joined.push(' ');
            lines.resize(joined.len(), number + 1);
        }
    }
    (joined.to_ascii_lowercase(), lines)
}

#[test]
fn phrases_that_readers_stumbled_over_are_reworded() {
    let mut files = Vec::new();
    texts(root(), &mut files);
    assert!(files.len() > 400, "only {} texts were found", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (joined, lines) = words(&text);
        for (phrase, instead) in PHRASES {
            for (at, _) in joined.match_indices(&phrase.to_lowercase()) {
                let line = lines.get(at).copied().unwrap_or_default();
                found.push(format!("{}:{line}: '{phrase}'; write: {instead}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
