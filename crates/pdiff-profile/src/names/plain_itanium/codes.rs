//! What the codes and words of mangled names stand for.

use crate::names::brackets::is_word_byte;

/// Inline namespaces that have no part in the spelling, and what must stand before them.
pub(super) const INLINE_NAMESPACES: [(&[u8], &str); 4] =
    [(b"__cxx11", ""), (b"_V2", ""), (b"__1", "std"), (b"__ndk1", "std")];

/// The symbol of an operator by its code, with the blank before a word.
pub(super) fn operator_symbol(code: [u8; 2]) -> Option<&'static str> {
    Some(match &code {
        b"nw" => " new",
        b"na" => " new[]",
        b"dl" => " delete",
        b"da" => " delete[]",
        b"ps" | b"pl" => "+",
        b"ng" | b"mi" => "-",
        b"ad" | b"an" => "&",
        b"de" | b"ml" => "*",
        b"co" => "~",
        b"dv" => "/",
        b"rm" => "%",
        b"or" => "|",
        b"eo" => "^",
        b"aS" => "=",
        b"pL" => "+=",
        b"mI" => "-=",
        b"mL" => "*=",
        b"dV" => "/=",
        b"rM" => "%=",
        b"aN" => "&=",
        b"oR" => "|=",
        b"eO" => "^=",
        b"ls" => "<<",
        b"rs" => ">>",
        b"lS" => "<<=",
        b"rS" => ">>=",
        b"eq" => "==",
        b"ne" => "!=",
        b"lt" => "<",
        b"gt" => ">",
        b"le" => "<=",
        b"ge" => ">=",
        b"nt" => "!",
        b"aa" => "&&",
        b"oo" => "||",
        b"pp" => "++",
        b"mm" => "--",
        b"pt" => "->",
        b"cl" => "()",
        b"ix" => "[]",
        _ => return None,
    })
}

/// A type that the language brings along, by its code.
pub(super) fn builtin_type(code: u8) -> Option<&'static str> {
    Some(match code {
        b'v' => "void",
        b'w' => "wchar_t",
        b'b' => "bool",
        b'c' => "char",
        b'a' => "signed char",
        b'h' => "unsigned char",
        b's' => "short",
        b't' => "unsigned short",
        b'i' => "int",
        b'j' => "unsigned int",
        b'l' => "long",
        b'm' => "unsigned long",
        b'x' => "long long",
        b'y' => "unsigned long long",
        b'n' => "__int128",
        b'o' => "unsigned __int128",
        b'f' => "float",
        b'd' => "double",
        b'e' => "long double",
        b'z' => "...",
        _ => return None,
    })
}

/// Names that GCC and Clang give to namespaces without one.
pub(super) fn is_unnamed_namespace(word: &[u8]) -> bool {
    matches!(word, [b'_', b'G', b'L', b'O', b'B', b'A', b'L', b'_', b'_', b'N', ..])
}

/// Words that are spelled otherwise than identifiers.
pub(super) fn is_keyword(word: &[u8]) -> bool {
    const KEYWORDS: [&[u8]; 16] = [
        b"operator",
        b"const",
        b"volatile",
        b"unsigned",
        b"signed",
        b"long",
        b"short",
        b"int",
        b"char",
        b"__int128",
        b"double",
        b"decltype",
        b"sizeof",
        b"alignof",
        b"noexcept",
        b"requires",
    ];
    KEYWORDS.contains(&word) || word.iter().any(|byte| !is_word_byte(*byte))
}
