//! How many bytes of the stack a function of x86-64 takes for itself: local records and arrays, and copies that it passes by value.

use iced_x86::{Decoder, DecoderOptions, Mnemonic, Register};

/// The most that one instruction of a function takes off the stack pointer. What it pushes does not count.
pub(super) fn frame_bytes(parts: &[(u64, &[u8])]) -> u64 {
    let of_part = |(start, bytes): &(u64, &[u8])| {
        let taken = Decoder::with_ip(64, bytes, *start, DecoderOptions::NONE).into_iter().filter_map(|of| {
            let is_of_stack = of.op_count() == 2 && of.op0_register() == Register::RSP;
            let number = of.try_immediate(1).ok()?.cast_signed();
            match of.mnemonic() {
                Mnemonic::Sub if is_of_stack => u64::try_from(number).ok(),
                // `add $-128,%rsp` is shorter.
                Mnemonic::Add if is_of_stack => u64::try_from(number.checked_neg()?).ok(),
                _ => None,
            }
        });
        taken.max().unwrap_or(0)
    };
    parts.iter().map(of_part).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_what_is_taken_off_the_stack_pointer() {
        // push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; leave; ret
        assert_eq!(frame_bytes(&[(0, b"\x55\x48\x89\xe5\x48\x83\xec\x20\xc9\xc3")]), 0x20);
        // add $-128,%rsp; add $8,%rsp; sub $0x40,%rax
        assert_eq!(frame_bytes(&[(0, b"\x48\x83\xc4\x80\x48\x83\xc4\x08\x48\x83\xe8\x40")]), 128);
        // sub %rax,%rsp, and a cold part: sub $0x118,%rsp
        assert_eq!(frame_bytes(&[(0, b"\x48\x29\xc4"), (9, b"\x48\x81\xec\x18\x01\x00\x00")]), 0x118);
        assert_eq!(frame_bytes(&[(0, b"\xc3")]), 0);
    }
}
