//! Tables of names: each topic one list of cases, read through the public API.

use super::parameters::{split_parameters, split_spelled};
use super::spelling::spell;
use super::{FunctionName, MatchLevel, collapse_instances, demangle, is_marker_symbol, split_clone_suffix};

/// Checks the qualified name of each symbol.
fn check_qualified(cases: &[(&str, &str)]) {
    for (symbol, expected) in cases {
        assert_eq!(FunctionName::parse(symbol).qualified(), *expected, "qualified name of `{symbol}`");
    }
}

/// Checks the loose name of each symbol.
fn check_loose(cases: &[(&str, &str)]) {
    for (symbol, expected) in cases {
        assert_eq!(FunctionName::parse(symbol).loose(), *expected, "loose name of `{symbol}`");
    }
}

/// Checks that a mangled name and a profiler's text for it have one qualified name.
fn check_same(cases: &[(&str, &str)]) {
    for (mangled, text) in cases {
        let (left, right) = (FunctionName::parse(mangled), FunctionName::parse(text));
        assert_eq!(left.qualified(), right.qualified(), "`{mangled}` and `{text}`");
        assert_eq!(left.loose(), right.loose(), "loosely, `{mangled}` and `{text}`");
    }
}

#[test]
fn clone_suffixes_come_off_whole() {
    let cases = [
        ("main", "main", ""),
        ("finish_task_switch.isra.0", "finish_task_switch", ".isra.0"),
        ("fold.constprop.0.isra.0", "fold", ".constprop.0.isra.0"),
        ("fold.isra.0.cold", "fold", ".isra.0.cold"),
        ("_ZN3fooC2Ev.part.0.constprop.0.isra.0.cold", "_ZN3fooC2Ev", ".part.0.constprop.0.isra.0.cold"),
        ("buf.lto_priv.12.lto_priv.3", "buf", ".lto_priv.12.lto_priv.3"),
        ("f.llvm.1234567890123456789", "f", ".llvm.1234567890123456789"),
        ("f.__uniq.98765.llvm.77", "f", ".__uniq.98765.llvm.77"),
        ("run.localalias", "run", ".localalias"),
        ("loop._omp_fn.3", "loop", "._omp_fn.3"),
        ("cache.1234", "cache", ".1234"),
        ("f(int) [clone .isra.0] [clone .cold]", "f(int)", " [clone .isra.0] [clone .cold]"),
        ("_GLOBAL__sub_I_log.cc", "_GLOBAL__sub_I_log.cc", ""),
        ("_GLOBAL__sub_I_log.cc.cold", "_GLOBAL__sub_I_log.cc", ".cold"),
        ("main.run.func1.2", "main.run.func1.2", ""),
        ("runtime.mcall", "runtime.mcall", ""),
        ("runtime.exit", "runtime.exit", ""),
        ("runtime.clone", "runtime.clone", ""),
        ("net/http.(*conn).part", "net/http.(*conn).part", ""),
        ("copy.clone.3", "copy", ".clone.3"),
        ("_Z1fv.resume", "_Z1fv", ".resume"),
        ("net::f.actor", "net::f", ".actor"),
        ("net::f(int).destroy", "net::f(int)", ".destroy"),
        (".cold", ".cold", ""),
        ("", "", ""),
    ];
    for (symbol, base, suffix) in cases {
        assert_eq!(split_clone_suffix(symbol), (base, suffix), "`{symbol}`");
    }
}

#[test]
fn markers_are_no_functions() {
    for marker in
        [".annobin_AccLock.cpp", "_annobin_x", "$x", "$d.12", "$xrv64i2p1", ".L42", ".text.unlikely"]
    {
        assert!(is_marker_symbol(marker), "`{marker}`");
    }
    for function in ["main", "_ZN1A1fEv", "$special", "$_0::operator()", "text", "", "Lorg/foo;::bar"] {
        assert!(!is_marker_symbol(function), "`{function}`");
    }
}

#[test]
fn versions_are_dropped_and_plt_stubs_keep_their_mark() {
    check_qualified(&[
        ("pthread_cond_broadcast@@GLIBC_2.3.2", "pthread_cond_broadcast"),
        ("memcpy@GLIBC_2.2.5", "memcpy"),
        ("io_submit@LIBAIO_0.1", "io_submit"),
        ("memcpy@plt", "memcpy@plt"),
        ("memcpy@@GLIBC_2.14@plt", "memcpy@plt"),
        ("_ZNSs6appendEPKcm@plt", "std::string::append@plt"),
        ("_ZNKSt11logic_error4whatEv@GLIBCXX_3.4", "std::logic_error::what"),
        ("@plt", "@plt"),
        ("onclick@page.js:1", "onclick@page.js:1"),
    ]);
}

#[test]
fn type_arguments_of_go_are_spelled_as_go_does() {
    let name = "slices.Index[go.shape.[]int,go.shape.struct { a int; b string }]";
    check_qualified(&[(name, name), ("f<int,char>", "f<int, char>")]);
}

#[test]
fn variants_of_a_libc_function_are_one() {
    check_qualified(&[
        ("__memmove_avx512_unaligned_erms", "memmove"),
        ("__memmove_sse2_unaligned_erms", "memmove"),
        ("__memmove_avx_unaligned_erms_rtm", "memmove"),
        ("__memmove_chk_avx_unaligned", "__memmove_chk"),
        ("__memcpy_ssse3_back", "memcpy"),
        ("__memset_evex_unaligned_erms", "memset"),
        ("__memset_erms", "memset"),
        ("__memcmp_evex_movbe", "memcmp"),
        ("__strlen_avx2", "strlen"),
        ("__strcmp_sse2_unaligned", "strcmp"),
        ("__strncasecmp_l_evex", "strncasecmp_l"),
        ("__strstr_avx512", "strstr"),
        ("__wmemset_avx2_unaligned", "wmemset"),
        ("__memcpy_thunderx2", "memcpy"),
        ("__GI_sched_yield", "sched_yield"),
        ("__GI___libc_write", "__libc_write"),
        ("__GI_", "__GI_"),
        ("__memcpy", "__memcpy"),
        ("__mem_cgroup_charge", "__mem_cgroup_charge"),
        ("memcpy_erms", "memcpy_erms"),
        ("__strtol_internal", "__strtol_internal"),
    ]);
}

#[test]
fn parameters_return_types_and_qualifiers_are_no_part_of_a_qualified_name() {
    check_qualified(&[
        ("row_search_mvcc", "row_search_mvcc"),
        ("f(int, char const*)", "f"),
        ("A::f(int) const", "A::f"),
        ("A::f() const &", "A::f"),
        ("A::f() &&", "A::f"),
        ("void foo<int>(int)", "foo<int>"),
        ("decltype(auto) foo<int>(int)", "foo<int>"),
        ("std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<< <char>"),
        ("std::function<void ()>::operator()() const", "std::function<void()>::operator()"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("X(THD*)::{lambda()#3}::operator()", "X(THD*)::{lambda()#3}::operator()"),
        ("f(int) const::{lambda(A)#1}::operator()(A) const", "f(int) const::{lambda(A)#1}::operator()"),
        ("non-virtual thunk to A::f(int) const", "non-virtual thunk to A::f(int) const"),
        ("main.(*T).Method", "main.(*T).Method"),
        ("LazyCompile:*run /a/b.js:10", "LazyCompile:*run /a/b.js:10"),
        ("Lorg/foo/Bar;::baz", "Lorg/foo/Bar;::baz"),
        ("[unknown]", "[unknown]"),
        ("(int)", "(int)"),
        ("", "[no name]"),
        ("  ", "[no name]"),
    ]);
}

#[test]
fn operators_are_names_not_brackets() {
    check_qualified(&[
        ("Item::operator new", "Item::operator new"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*)", "operator delete[]"),
        ("A::operator()(int) const", "A::operator()"),
        ("A::operator<(A const&) const", "A::operator<"),
        ("A::operator<<", "A::operator<<"),
        ("A::operator->", "A::operator->"),
        ("A::operator->*<int>", "A::operator->*<int>"),
        ("A::operator[](int)", "A::operator[]"),
        ("A::operator<=><int>", "A::operator<=><int>"),
        ("bool operator< <int>(A<int>, A<int>)", "operator< <int>"),
        ("operator\"\" _x(char const*)", "operator\"\"_x"),
        ("L::operator std::mutex*", "L::operator std::mutex*"),
        ("L::operator bool() const", "L::operator bool"),
        ("L::operator std::vector<int> const&() const", "L::operator std::vector<int> const&"),
        ("L::operator void (*)(int)", "L::operator void (*)(int)"),
        ("L::operator void (A::*)()() const", "L::operator void (A::*)()"),
        ("L::operator const A<false>&", "L::operator A<false> const&"),
        ("L::operator const A() const", "L::operator A const"),
    ]);
}

#[test]
fn one_spelling_for_every_type() {
    check_qualified(&[
        ("f<std::vector<int> >", "f<std::vector<int>>"),
        (
            "f<long unsigned int, short int, long long unsigned int>",
            "f<unsigned long, short, unsigned long long>",
        ),
        (
            "f<unsigned, char unsigned, long double, signed char>",
            "f<unsigned int, unsigned char, long double, signed char>",
        ),
        ("f<const char *, volatile int&>", "f<char const*, int volatile&>"),
        ("f<const std::vector<const int>&>", "f<std::vector<int const> const&>"),
        ("f<char const* const>", "f<char const* const>"),
        ("f<16ul, (unsigned long)16, (int)-1, 3u>", "f<16, 16, -1, 3>"),
        ("PTI_context<(enum_parsing_context)10>::itemize", "PTI_context<(enum_parsing_context)10>::itemize"),
        ("A::name[abi:cxx11]", "A::name"),
        ("A::name[abi:cxx11](int) const", "A::name"),
        ("std::__cxx11::list<int>::f", "std::list<int>::f"),
        ("std::chrono::_V2::system_clock::now()", "std::chrono::system_clock::now"),
        ("std::__1::vector<int>::f", "std::vector<int>::f"),
        ("mine::__1::f", "mine::__1::f"),
        ("f<decltype (nullptr)>", "f<std::nullptr_t>"),
        ("f<bool (int), void (*)(long)>", "f<bool(int), void (*)(long)>"),
        ("f<int, >", "f<int>"),
        ("f<&A::g(int), &(A::h() const)>", "f<&A::g, &A::h>"),
        ("f<void (A(int)::*)()>", "f<void(A::*(int))()>"),
        ("g(T*)::<lambda(const T*)>", "g(T*)::{lambda(T const*)}"),
        (
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append",
            "std::string::append",
        ),
        (
            "std::__cxx11::basic_string<char, std::char_traits<char>, Stateless_allocator<char> >::append",
            "std::basic_string<char, std::char_traits<char>, Stateless_allocator<char>>::append",
        ),
        ("std::basic_string<char>::~basic_string()", "std::string::~string"),
        ("f(A::operator() const::B)::g", "f(A::operator() const::B)::g"),
        ("mystd::basic_string<char>::f", "mystd::basic_string<char>::f"),
    ]);
}

#[test]
fn mangled_names_and_a_profilers_text_agree() {
    check_same(&[
        ("_ZN11PolicyMutexI9TTASMutexE5enterEjjPKcj.part.0", "PolicyMutex<TTASMutex>::enter"),
        ("_ZN3fooC1Ev", "foo::foo"),
        ("_ZN3fooC4Ev", "foo::foo"),
        ("_ZN3fooD0Ev", "foo::~foo"),
        ("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"),
        ("_ZThn8_N3foo3barEi", "non-virtual thunk to foo::bar(int)"),
        ("_ZTv0_n24_N3fooD1Ev", "virtual thunk to foo::~foo()"),
        ("_ZTch0_h16_N3foo3barEv", "covariant return thunk to foo::bar()"),
        ("_ZTV3foo", "vtable for foo"),
        ("_GLOBAL__I__ZN3foo3barEv", "global constructors keyed to foo::bar()"),
        ("_ZNSolsEi", "std::basic_ostream<char, std::char_traits<char> >::operator<<"),
        (
            "_ZNSsC1ERKSs",
            "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string",
        ),
        ("_Z3fooIiEvT_.isra.0", "foo<int>"),
        ("_ZN3foocvPFviEEv", "foo::operator void (*)(int)"),
        ("_ZN3fooIXadL_Z3barvEEE3runEv", "foo<&bar>::run"),
        ("_Z1fIJiEEvDpT_", "f<int>"),
        ("_ZZ1fiENKUlvE_clEv", "f(int)::{lambda()#1}::operator()"),
        ("_ZN5alloc3vec4push17h0123456789abcdefE", "alloc::vec::push"),
        ("_ZN5alloc3vec4push17h0123456789abcdefE.llvm.77", "alloc::vec::push::hfedcba9876543210"),
        ("_RNvCs1234_7mycrate3foo", "mycrate[1b6d9d]::foo"),
        ("_RNvXs_Cs1_7mycrateNtB4_3BarNtB4_3Foo3baz", "<mycrate::Bar as mycrate::Foo>::baz"),
    ]);
}

#[test]
fn constructors_have_one_signature() {
    let signature = |linkage| demangle(linkage).map(|name| name.signature);
    assert_eq!(signature("_ZN3fooC1Ei"), Some("foo::foo(int)".to_owned()));
    assert_eq!(signature("_ZN3fooC1Ei"), signature("_ZN3fooC2Ei"));
    assert_eq!(signature("_ZN3fooC1Ei"), signature("_ZN3fooC4Ei"));
    assert_eq!(signature("_ZN3fooD1Ev"), signature("_ZN3fooD4Ev"));
}

#[test]
fn constructor_templates_keep_their_first_parameter() {
    let name = demangle("_ZN2ib6loggerC2IJmEEE8logleveliDpOT_").unwrap();
    assert_eq!(name.qualified, "ib::logger::logger<unsigned long>");
    assert_eq!(name.signature, "ib::logger::logger<unsigned long>(loglevel, int, unsigned long&&)");
    // However many names stand in its arguments.
    let long = demangle(&format!("_ZN1AC2I{}EEi", "N1B1CE".repeat(50))).unwrap();
    assert!(long.signature.ends_with("B::C>(int)"), "{}", long.signature);
    // However many end at once.
    let deep = demangle(&format!("_ZN1AC2I{}EEi", "1BI1CI1DI1GIiEEEE".repeat(12))).unwrap();
    assert!(deep.signature.ends_with(">>>>>(int)"), "{}", deep.signature);
}

#[test]
fn a_name_whose_parameters_defeat_the_demangler_is_still_a_name() {
    let mangled = "_ZSt4swapI8ACL_USERENSt9enable_ifIXsrSt6__and_IJSt6__not_IT_EEE5valueEvE4typeERS3_";
    assert_eq!(FunctionName::parse(mangled).qualified(), "std::swap<ACL_USER>");
    assert_eq!(FunctionName::parse("_Znonsense!").qualified(), "_Znonsense!");
}

#[test]
fn loose_names_drop_what_instances_differ_in() {
    check_loose(&[
        ("PolicyMutex<TTASEventMutex<GenericPolicy> >::enter", "PolicyMutex::enter"),
        ("std::vector<int, std::allocator<int> >::~vector", "std::vector::~vector"),
        ("X(THD*)::{lambda()#3}::operator()", "X::{lambda}::operator()"),
        ("f() const::{lambda(A<int>)#2}::operator()", "f::{lambda}::operator()"),
        ("{unnamed type#1}::f", "{unnamed type}::f"),
        ("(anonymous namespace)::f<int>", "(anonymous namespace)::f"),
        ("operator<< <char>", "operator<<"),
        ("A<int>::operator<", "A::operator<"),
        ("A::operator()", "A::operator()"),
        ("A::operator->", "A::operator->"),
        ("A::operator std::vector<int>*", "A::operator std::vector*"),
        ("A::operator void (*)(int)", "A::operator void (*)(int)"),
        ("non-virtual thunk to A<int>::f(int) const", "non-virtual thunk to A::f"),
        (
            "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
            "<alloc::vec::Vec as core::ops::drop::Drop>::drop",
        ),
        (
            "core::fmt::num::<impl core::fmt::Debug for u32>::fmt",
            "core::fmt::num::<impl core::fmt::Debug for u32>::fmt",
        ),
        ("core::iter::fold::<u32, &mut [u8]>::{closure#0}", "core::iter::fold::{closure}"),
        (
            "core::ops::function::FnOnce::call_once{{vtable.shim}}",
            "core::ops::function::FnOnce::call_once{vtable.shim}",
        ),
        ("main.(*T).Method", "main.(*T).Method"),
        ("main", "main"),
        ("f<", "f"),
        ("<", "<"),
    ]);
}

#[test]
fn a_level_that_is_not_known_falls_back_to_the_next_looser_one() {
    let from_perf = FunctionName::parse("A<int>::f");
    let levels = MatchLevel::ALL.map(|level| from_perf.at(level));
    assert_eq!(levels, ["A<int>::f", "A<int>::f", "A<int>::f", "A::f"]);
    let from_elf = FunctionName::parse("_ZN1AIiE1fEv.cold");
    let levels = MatchLevel::ALL.map(|level| from_elf.at(level));
    assert_eq!(levels, ["_ZN1AIiE1fEv", "A<int>::f()", "A<int>::f", "A::f"]);
}

#[test]
fn debug_information_gives_linkage_names() {
    let c = FunctionName::with_linkage("log_write", Some("log_write"));
    assert_eq!((c.linkage(), c.signature(), c.qualified()), (Some("log_write"), None, "log_write"));
    let cpp = FunctionName::with_linkage("f", Some("_ZN1A1fEi"));
    assert_eq!((cpp.signature(), cpp.qualified()), (Some("A::f(int)"), "A::f"));
    let inlined = FunctionName::with_linkage("ns::f<const char*>", None);
    assert_eq!((inlined.linkage(), inlined.qualified()), (None, "ns::f<char const*>"));
}

#[test]
fn levels_have_words_and_order() {
    for level in MatchLevel::ALL {
        assert_eq!(level.as_str().parse(), Ok(level));
    }
    assert!(MatchLevel::ALL.is_sorted());
    let message = "fuzzy".parse::<MatchLevel>().unwrap_err().to_string();
    assert!(message.starts_with("unknown match level `fuzzy`; hint:"), "{message}");
}

/// Pieces that names are made of, well formed or not.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    "{",
    "}",
    " ",
    ",",
    "*",
    "&",
    "::",
    "operator",
    "const ",
    "long ",
    "f",
    "16ul",
    "{lambda(",
    "<lambda(",
    "#1",
    "::*)",
    "->",
    "[abi:",
    "std::",
    "__cxx11::",
    "(anonymous namespace)",
    "_Z",
    "N",
    "E",
    "1A",
    "I",
    "C1I",
    "S_",
    "17h0123456789abcdefE",
    ".cold",
    ".1",
    "@",
    " [clone ",
    "é",
];

#[test]
fn no_text_panics_or_gives_an_empty_name() {
    let mut state = 1_u64;
    for _ in 0..100_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
        }
        let spelled = spell(&text);
        assert_eq!(split_spelled(&spelled), split_parameters(&spelled.text), "`{text}`");
        let name = FunctionName::with_linkage(&text, Some(&text));
        assert!(MatchLevel::ALL.iter().all(|&level| !name.at(level).is_empty()), "`{text}`");
        assert_ne!(collapse_instances(name.qualified()), Some(String::new()), "`{text}`");
        let again = FunctionName::parse(&text);
        assert_eq!(again, FunctionName::parse(&text));
    }
}

#[test]
fn hostile_names_are_bounded() {
    let nested = format!("{}{}", "f<".repeat(100_000), ">".repeat(100_000));
    let doubled = format!("_Z1fI{}EvT_", (0..16).fold("i".to_owned(), |args, _| format!("1AI{args}{args}E")));
    for text in [nested, doubled, "é".repeat(100_000), "(".repeat(100_000), "_ZN1AC1I".repeat(10_000)] {
        let name = FunctionName::parse(&text);
        assert!(!name.qualified().is_empty() && name.qualified().len() <= 64 * 1024);
        collapse_instances(name.qualified());
    }
}
