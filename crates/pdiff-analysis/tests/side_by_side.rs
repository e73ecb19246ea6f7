//! Code blocks of both builds: which are pairs, which are new, vanished or unclear, and that no sample is lost.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;

use pdiff_analysis::{
    BlockState, CodeBlock, CodeMeasure, CodeUnit, FunctionCode, RowFunction, Sampled, SampledCode,
};
use pdiff_profile::{CodePlace, Instruction, MachineCode, NoCode, ObjectAddr, PerSide, Side, Weight};
use proptest::prelude::*;

/// Code, one instruction a line: opcode, line, and the number of its samples, which may be left out. `call f` calls `f`. A
/// blank line ends a code block; `g:` before a line number says that it is of an inlined function.
fn sampled_code(text: &str) -> SampledCode {
    let (mut instructions, mut places, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    let mut starts = BTreeSet::new();
    let mut is_start = true;
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        let Some(opcode) = words.next() else {
            is_start = true;
            continue;
        };
        let addr = ObjectAddr(0x1000 + 4 * instructions.len() as u64);
        let callee = (opcode == "call").then(|| words.next().unwrap().into());
        let at = words.next();
        let (function, line) = at.map_or(("", "-"), |at| at.split_once(':').unwrap_or(("", at)));
        let place = CodePlace {
            function: if function.is_empty() { "f" } else { function }.into(),
            inlined: !function.is_empty(),
            file: Some("/src/f.c".into()),
            line: line.parse().ok(),
        };
        places.push(place);
        if let Some(count) = words.next() {
            let count = count.parse().unwrap();
            samples.push((Some(addr), Sampled { weight: Weight(10 * count), samples: count }));
        }
        if std::mem::take(&mut is_start) {
            starts.insert(addr);
        }
        let (text, opcode) = (line.into(), opcode.into());
        let place = Some(places.len() - 1);
        instructions.push(Instruction { addr, length: 4, text, opcode, callee, place });
    }
    let mut once: Vec<CodePlace> = places.clone();
    once.sort();
    once.dedup();
    for (instruction, place) in instructions.iter_mut().zip(&places) {
        instruction.place = once.iter().position(|of| of == place);
    }
    SampledCode { code: Ok(MachineCode::new(instructions, once, &starts)), samples }
}

const MEASURE: CodeMeasure = CodeMeasure { unit: CodeUnit::Percent, factors: PerSide::new(1.0, 1.0) };

fn side_by_side(before: SampledCode, after: SampledCode) -> FunctionCode {
    let of = RowFunction { name: "f".to_owned(), object: "app".to_owned(), file: None };
    FunctionCode::new(of, MEASURE, PerSide::new(before, after))
}

/// The code blocks as their first line on each side, their state and their change, in order.
fn words(of: &FunctionCode) -> Vec<String> {
    let line = |block: &CodeBlock, side: Side| {
        let at = block.rows.iter().find_map(|row| row[side])?;
        let code = of.sides[side].code.as_ref().unwrap();
        code.place(&code.instructions()[at])?.line
    };
    let word = |block: &CodeBlock| {
        let [before, after] =
            Side::BOTH.map(|side| line(block, side).map_or_else(|| "-".to_owned(), |line| line.to_string()));
        let change = block.change(&MEASURE).map_or_else(|| "?".to_owned(), |change| change.to_string());
        format!("{before} {after} {:?} {change}", block.state)
    };
    of.blocks.iter().map(word).collect()
}

const LOOP: &str = "push 10 1
                    xor 11
                    mov 11

                    load 12 40
                    add 12 5
                    sub 13 5
                    jcc 13

                    call finish 15
                    pop 16 1
                    ret 16";

#[test]
fn the_code_of_one_build_is_its_own_counterpart() {
    let of = side_by_side(sampled_code(LOOP), sampled_code(LOOP));
    assert_eq!(words(&of), ["12 12 Aligned 0", "10 10 Aligned 0", "15 15 Aligned 0"]);
}

#[test]
fn a_change_of_one_line_in_a_hot_loop_comes_first_though_lines_moved() {
    let after = "push 30 1
                 xor 31
                 mov 31

                 load 32 41
                 div 32 60
                 add 32 5
                 sub 33 5
                 jcc 33

                 call finish 35
                 pop 36 1
                 ret 36";
    let of = side_by_side(sampled_code(LOOP), sampled_code(after));
    assert_eq!(words(&of), ["12 32 Aligned 610", "10 30 Aligned 0", "15 35 Aligned 0"]);
    let alone: Vec<_> = of.blocks[0].rows.iter().filter(|row| row.before.is_none()).collect();
    assert_eq!(alone, [&PerSide::new(None, Some(4))], "{:?}", of.blocks[0].rows);
}

#[test]
fn a_fast_path_that_is_gone_has_vanished() {
    let before = "push 10
                  xor 11
                  mov 11

                  cmp 12 3
                  test 12
                  jcc 12

                  load 14 9
                  shl 14
                  store 14

                  call slow 16 7
                  ret 17";
    let after = "push 10
                 xor 11
                 mov 11

                 load 12 9
                 shl 12
                 store 12

                 call slow 14 70
                 ret 15";
    let of = side_by_side(sampled_code(before), sampled_code(after));
    assert_eq!(words(&of), ["16 14 Aligned 630", "12 - OneSided -30", "14 12 Aligned 0", "10 10 Aligned 0"]);
    let swapped = side_by_side(sampled_code(after), sampled_code(before));
    assert!(words(&swapped).contains(&"- 12 OneSided 30".to_owned()), "{:?}", words(&swapped));
}

#[test]
fn where_lines_and_instructions_disagree_nothing_is_paired() {
    // The code of g looks like that of h in the other build, and the other way round.
    let [before, after] = [("g:50", "h:60"), ("h:60", "g:50")].map(|(first, second)| {
        sampled_code(&format!(
            "push 10\nxor 11\nmov 11\nsub 11\nneg 11\nbsr 11\n\n
             load {first} 9\nshl {first}\nstore {first}\n\n
             cmp {second} 5\nsete {second}\nand {second}"
        ))
    });
    let of = side_by_side(before, after);
    let states: Vec<BlockState> = of.blocks.iter().map(|block| block.state).collect();
    assert_eq!(words(&of).last().unwrap(), "10 10 Aligned 0");
    assert_eq!(states[..4], [BlockState::Unclear; 4], "{:?}", words(&of));
}

#[test]
fn of_calls_of_other_functions_nothing_is_a_pair() {
    let of = |callee: &str| {
        sampled_code(&format!("push 10\nmov 10\nxor 10\n\nload 11 5\ncall {callee} 11\ntest 11"))
    };
    let changed = side_by_side(of("fast"), of("slow"));
    assert_eq!(words(&changed), ["11 - Unclear ?", "- 11 Unclear ?", "10 10 Aligned 0"]);
    let same = side_by_side(of("fast"), of("fast"));
    assert!(same.blocks.iter().all(|block| block.state == BlockState::Aligned));
}

#[test]
fn copies_that_are_equally_good_are_paired_in_order_or_not_at_all() {
    let copy = "load 12 3\nadd 12\njcc 12\n\n";
    let start = "push 10\nxor 11\nmov 11\nneg 11\n\n";
    let of = |count: usize| sampled_code(&format!("{start}{}", copy.repeat(count)));
    let states =
        |of: &FunctionCode| of.blocks.iter().filter(|block| block.state == BlockState::Aligned).count();
    assert_eq!(states(&side_by_side(of(2), of(2))), 3);
    assert_eq!(states(&side_by_side(of(2), of(3))), 1);
}

#[test]
fn a_rewritten_function_has_no_new_code() {
    let after = "sete 90\nbsr 91\nsete 92\nbsr 93\n\nsete 94\nsete 95\nbsr 96\n\nnot 97\nnot 98";
    let of = side_by_side(sampled_code(LOOP), sampled_code(after));
    assert!(of.blocks.iter().all(|block| block.state == BlockState::Unclear), "{:?}", words(&of));
}

#[test]
fn a_side_without_code_keeps_its_weight() {
    let samples = vec![(Some(ObjectAddr(0x1000)), Sampled { weight: Weight(70), samples: 7 })];
    let of = side_by_side(SampledCode { code: Err(NoCode::Packed), samples }, sampled_code(LOOP));
    assert_eq!(of.sides.before.whole, Sampled { weight: Weight(70), samples: 7 });
    assert_eq!(of.sides.before.unplaced, of.sides.before.whole);
    assert!(of.blocks.iter().all(|block| block.state == BlockState::Unclear && block.sides.before.is_none()));
}

/// Some code with samples at some addresses, also beside the code and nowhere.
fn any_code() -> impl Strategy<Value = SampledCode> {
    let instruction = (0..5_u8, 0..6_u32, any::<bool>(), 0..3_u8);
    let samples = proptest::collection::vec((0..200_u64, 1..9_u64), 0..12);
    (proptest::collection::vec(instruction, 0..40), samples).prop_map(|(instructions, samples)| {
        let line = |(opcode, line, ends, function): (u8, u32, bool, u8)| {
            let function = ["", "g:", "h:"][usize::from(function)];
            let end = if ends { "\n" } else { "" };
            format!("op{opcode} {function}{line}\n{end}")
        };
        let mut code = sampled_code(&instructions.into_iter().map(line).collect::<String>());
        let sample = |(at, count): (u64, u64)| {
            let sampled = Sampled { weight: Weight(3 * count), samples: count };
            ((at < 190).then_some(ObjectAddr(0xff8 + at)), sampled)
        };
        code.samples = samples.into_iter().map(sample).collect();
        code
    })
}

proptest! {
    #[test]
    fn code_blocks_and_what_has_no_place_sum_to_all_samples(before in any_code(), after in any_code()) {
        let given = PerSide::new(before.clone(), after.clone());
        let of = side_by_side(before, after);
        for (side, code) in of.sides.iter() {
            let given: u64 = given[side].samples.iter().map(|(_, sampled)| sampled.weight.0).sum();
            let in_blocks: u64 = of.blocks.iter().filter_map(|block| block.sides[side].as_ref()).map(|of| of.sampled.weight.0).sum();
            prop_assert_eq!(code.whole.weight.0, given);
            prop_assert_eq!(in_blocks + code.unplaced.weight.0, given);
            let mut rows: Vec<usize> = of.blocks.iter().flat_map(|block| &block.rows).filter_map(|row| row[side]).collect();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..code.sampled.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn any_code_is_its_own_counterpart(code in any_code()) {
        let of = side_by_side(code.clone(), code);
        prop_assert!(of.blocks.iter().all(|block| block.change(&MEASURE).is_none_or(|change| change == 0.0)));
    }
}
