//! The words of a name that have one spelling only.
//!
//! In: the text of a name and the place of a word. Out: where a run of such words ends, joined by `::`. Most of a name
//! consists of such runs, which are copied unchanged. The first byte and the length decide whether a word may have another
//! spelling, so a few words with only one spelling are not copied this way.

use super::brackets::word_end;
use super::integer_type::INTEGER_WORDS;

/// The words, but those of integer types, that [`normalize`](super::spelling::normalize) asks for.
const LOOKED_AT: [&str; 7] = ["operator", "const", "volatile", "__cxx11", "_V2", "__1", "__ndk1"];

/// By first byte: the lengths of words that may have another spelling, one bit each; the last bit is for all longer words.
/// `basic_string` and similar are among them, and numbers, whose suffix is dropped.
const LENGTHS: [u32; 256] = {
    let mut lengths = with_words(with_words([0; 256], &LOOKED_AT), &INTEGER_WORDS);
    let mut digit = b'0';
    while digit <= b'9' {
        lengths[digit as usize] = u32::MAX;
        digit += 1;
    }
    lengths[b'b' as usize] = u32::MAX << "basic_".len();
    lengths
};

const fn with_words(mut lengths: [u32; 256], words: &[&str]) -> [u32; 256] {
    let mut word = 0;
    while word < words.len() {
        let text = words[word].as_bytes();
        lengths[text[0] as usize] |= 1 << text.len();
        word += 1;
    }
    lengths
}

/// The end of the run of words that begins at `at`; `at` if its first word may have another spelling.
pub(super) fn plain_end(text: &str, at: usize) -> usize {
    let (mut plain, mut start) = (at, at);
    loop {
        let end = word_end(text, start);
        let word = text.as_bytes().get(start..end).unwrap_or_default();
        let Some(first) = word.first() else { return plain };
        if LENGTHS[usize::from(*first)] >> word.len().min(31) & 1 == 1 {
            return plain;
        }
        plain = end;
        if text.as_bytes().get(end..end + 2) != Some(b"::") {
            return plain;
        }
        start = end + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_may_be_respelled_end_a_run() {
        let others = ["basic_string", "basic_ostream", "16ul", "0"];
        for word in LOOKED_AT.into_iter().chain(INTEGER_WORDS).chain(others) {
            assert_eq!(plain_end(word, 0), 0, "{word}");
            assert_eq!(plain_end(&format!("a::b::{word}::c"), 0), "a::b".len(), "{word}");
        }
        assert_eq!(plain_end("boost::geometry::x_1<int>", 0), "boost::geometry::x_1".len());
        assert_eq!(plain_end("std::(anonymous namespace)", 0), "std".len());
    }
}
