//! Input of absurd size: memory stays bounded, and a note says what was cut.

use pdiff_profile::{NoteKind, StackTable};

use super::{profile, profile_dealt, profile_with};

fn count(text: &str, kind: NoteKind) -> u64 {
    profile(text.as_bytes()).notes.get(kind).map_or(0, |note| note.count)
}

#[test]
fn a_line_of_ten_megabytes_is_cut() {
    let long = "x".repeat(10 << 20);
    let header = "x 7 1.000001: 8 c: \n";
    assert_eq!(count(&format!("{header}\t1 {long} (/x)\n\t2 b (/x)\n\n"), NoteKind::LineTooLong), 1);
    assert_eq!(
        count(&format!("{header}\t1 a (/x)\n\n{long}\n{header}\t1 a (/x)\n\n"), NoteKind::LineTooLong),
        1
    );
}

#[test]
fn equal_headers_of_any_length_mean_the_same() {
    let long = format!("x 7 1.000001: 8 c: {:>17} {} (/x)\n", "1000", "f".repeat(100_000));
    let profile = profile(long.repeat(2).as_bytes());
    assert_eq!((profile.stacks.len(), profile.events[0].samples), (1, 2));
}

#[test]
fn a_line_longer_than_a_block_is_cut() {
    let long = "x".repeat(40 << 20);
    let sample = "x 7 1.000001: 8 c: \n\t1 a (/x)\n\n";
    let text = format!("{sample}{long}\n{sample}");
    assert_eq!(profile(text.as_bytes()).events[0].samples, 2);
    assert_eq!(count(&text, NoteKind::LineTooLong), 1);
}

#[test]
fn any_number_of_threads_may_be_asked_for() {
    let text = "x 7 1.000001: 8 c: \n\t1 a (/x)\n\n".repeat(100);
    assert_eq!(profile_with(text.as_bytes(), 100, usize::MAX), profile(text.as_bytes()));
}

#[test]
fn more_cells_than_are_sorted_at_once_are_counted_however_they_are_dealt() {
    let sample = |i: u32| format!("x 7 {}.000001: 8 c: \n\t{:x} f (/x)\n\n", i % 80_000, i % 5);
    let text: String = (0..100_000).map(sample).collect();
    let whole = profile(text.as_bytes());
    assert_eq!((whole.cells.len(), whole.events[0].samples), (80_000, 100_000));
    assert_eq!(profile_dealt(text.as_bytes(), 1 << 16, &[1, 0, 2, 0]), whole);
}

#[test]
fn a_stack_of_a_hundred_thousand_frames_keeps_those_near_the_leaf() {
    let frames: String = (0..100_000).map(|i| format!("\t{i:x} f{i} (/x)\n")).collect();
    let profile = profile(format!("x 7 1.000001: 8 c: \n{frames}\n").as_bytes());
    let stack = profile.stacks.get(profile.cells[0].stack);
    assert!(stack.len() <= StackTable::MAX_DEPTH, "{}", stack.len());
    let leaf = profile.frames[stack.last().unwrap().index()];
    assert_eq!(profile.string(leaf.symbol.unwrap()), "f0");
    assert_eq!(profile.notes.get(NoteKind::StackTooDeep).unwrap().weight.0, 8);
}

#[test]
fn a_stack_that_is_the_kept_part_of_a_deeper_one_has_its_own_lines() {
    let chain = |frames: usize| -> String { (0..frames).map(|i| format!("\t{i:x} f{i} (/x)\n")).collect() };
    let header = "x 7 1.000001: 8 c: \n";
    let (deep, kept) = (chain(StackTable::MAX_DEPTH + 900), chain(StackTable::MAX_DEPTH));
    let text = format!("{header}{deep}\n{header}{kept}\nwhat is this\n");
    let profile = profile(text.as_bytes());
    assert_eq!(profile.stacks.len(), 1);
    let note = profile.notes.get(NoteKind::UnparsedLine).unwrap();
    assert_eq!(*note.examples[0], *format!("line {}: what is this", text.lines().count()));
}

#[test]
fn a_stack_longer_than_a_block_is_one_sample() {
    let name = "f".repeat(4000);
    let frames: String = (0..10_000).map(|i| format!("\t{i:x} {name} (/x)\n")).collect();
    let text = format!("x 7 1.000001: 8 c: \n{frames}\nx 7 1.000001: 8 c: \n\t1 a (/x)\n\n");
    let profile = profile(text.as_bytes());
    assert_eq!(profile.events[0].samples, 2);
    assert!(profile.notes.get(NoteKind::StackTooDeep).is_some());
    assert!(profile.notes.get(NoteKind::UnparsedLine).is_none());
}
