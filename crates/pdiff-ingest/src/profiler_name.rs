//! What profilers of Python and Java write into the name of a frame: files, lines, threads, and how code was compiled.
//!
//! py-spy 0.4 (`--format raw`, and its pictures), root first:
//!
//! ```text
//! process 42:"python shop.py"            --subprocesses
//! thread (14967): worker 1               --threads; the name is missing while a thread starts
//! total (shop/basket.py:12)              the line that ran; with --function, the first line of the function
//! total (shop/basket.py)                 --nolineno
//! PyEval_EvalFrame (libpython3.11.so)    --native
//! ```
//!
//! async-profiler (`-o collapsed`, `-t`, `-a`):
//!
//! ```text
//! [main tid=42]                          a thread
//! java/util/HashMap.get_[j]              compiled; [0] interpreted, [1] compiled by C1, [i] inlined, [k] kernel
//! shop/Cart$$Lambda$14/0x0007f8.apply_[j]  a class made at run time: its numbers differ from run to run
//! ```
//!
//! Java's names get dots in packages, as Java writes them, but only where a mark says that they are Java's: Go's look alike.

use std::borrow::Cow;

/// The parts of a frame's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProfilerName<'a> {
    /// The function.
    pub(crate) function: Cow<'a, str>,
    /// Its file, and the line where it is known.
    pub(crate) file: Option<(&'a str, Option<u32>)>,
    /// Where its code is.
    pub(crate) code: Code<'a>,
}

/// Where the code of a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code<'a> {
    /// Not said.
    Unknown,
    Kernel,
    /// Made at run time, or interpreted.
    Generated,
    /// Inside the code of its caller.
    Inlined,
    /// In this library.
    Library(&'a str),
}

/// A thread that a root frame names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadName<'a> {
    pub(crate) comm: &'a str,
    pub(crate) tid: Option<u32>,
}

impl<'a> ProfilerName<'a> {
    /// The parts of a name.
    pub(crate) fn parse(text: &'a str) -> Self {
        let (name, code) = marked(text);
        if code != Code::Unknown {
            let is_java = !matches!(code, Code::Kernel);
            let function = if is_java { java(name) } else { Cow::Borrowed(name) };
            return Self { function, file: None, code };
        }
        let of = |function, file, code| Self { function: Cow::Borrowed(function), file, code };
        match in_brackets(name) {
            Some((function, Inside::File(file, line))) => of(function, Some((file, line)), Code::Unknown),
            Some((function, Inside::Library(library))) => of(function, None, Code::Library(library)),
            None => of(process(name).unwrap_or(name), None, Code::Unknown),
        }
    }
}

impl<'a> ThreadName<'a> {
    /// The thread of a root frame; `None` if the frame is something else.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("thread (") {
            let (id, name) = rest.split_once(')')?;
            let is_id = !id.is_empty() && id.bytes().all(|c| c.is_ascii_hexdigit() || c == b'x' || c == b'X');
            let comm = if name.is_empty() { Some("thread") } else { name.strip_prefix(": ") }?;
            // Where the id is none of the system's, it is an address.
            return is_id.then_some(Self { comm, tid: id.parse().ok() });
        }
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let (name, tid) = inner.rsplit_once("tid=")?;
        let tid = Some(tid.parse().ok()?);
        let comm = name.trim_end();
        (comm.is_empty() || name.ends_with(' ')).then_some(Self { comm, tid })
    }
}

/// A name without its mark, and what the mark says.
fn marked(text: &str) -> (&str, Code<'_>) {
    let marks = [
        ("_[k]", Code::Kernel),
        ("_[i]", Code::Inlined),
        ("_[j]", Code::Generated),
        ("_[0]", Code::Generated),
        ("_[1]", Code::Generated),
    ];
    let mark = marks.into_iter().find_map(|(mark, code)| Some((text.strip_suffix(mark)?, code)));
    mark.filter(|(name, _)| !name.is_empty()).unwrap_or((text, Code::Unknown))
}

/// What is in the brackets behind a function.
enum Inside<'a> {
    File(&'a str, Option<u32>),
    Library(&'a str),
}

/// `function (file:line)`, `function (file.py)` or `function (library.so)`. Anything else in brackets is part of a name, such
/// as the parameters of C++.
fn in_brackets(name: &str) -> Option<(&str, Inside<'_>)> {
    let (function, inside) = name.strip_suffix(')')?.rsplit_once(" (")?;
    if function.is_empty() || inside.contains(['(', ')']) {
        return None;
    }
    let is_path = |file: &str| file.contains('.') || (file.starts_with('<') && file.ends_with('>'));
    if let Some((file, line)) =
        inside.rsplit_once(':').filter(|(file, _)| is_path(file) && !file.ends_with(':'))
    {
        let line = line.parse::<u32>().ok()?;
        return Some((function, Inside::File(file, Some(line).filter(|line| *line > 0))));
    }
    let file_name = inside.rsplit('/').next().unwrap_or(inside);
    let is_python = [".py", ".pyx", ".pyc", ".ipynb"].iter().any(|extension| file_name.ends_with(extension));
    if is_python || (inside.starts_with("<frozen ") && inside.ends_with('>')) {
        return Some((function, Inside::File(inside, None)));
    }
    let is_library = file_name.ends_with(".so") || file_name.contains(".so.");
    is_library.then_some((function, Inside::Library(inside)))
}

/// Whether a name is that of a process, with its id.
pub(crate) fn is_process(name: &str) -> bool {
    process(name).is_some()
}

/// The command of a process, without its id.
fn process(name: &str) -> Option<&str> {
    let (pid, command) = name.strip_prefix("process ")?.split_once(':')?;
    let command = command.strip_prefix('"')?.strip_suffix('"')?;
    (!pid.is_empty() && pid.bytes().all(|c| c.is_ascii_digit())).then_some(command).filter(|c| !c.is_empty())
}

/// A method of Java with dots in its package, and without the numbers of classes made at run time.
fn java(name: &str) -> Cow<'_, str> {
    // Parameters, where they are shown, have packages of their own; what follows them is left as it is.
    let (path, rest) = name.find('(').map_or((name, ""), |at| name.split_at(at));
    let is_java = |c: char| c.is_alphanumeric() || "_$/.<>-+".contains(c);
    let Some((class, method)) = path.rsplit_once('.').filter(|_| path.chars().all(is_java)) else {
        return Cow::Borrowed(name);
    };
    // `Cart$$Lambda$14/0x0007f8`, `LambdaForm$MH/0x0008`: the name, and where its class was made.
    let class = match class.rsplit_once(['/', '+', '.']) {
        Some((made, at)) if at.strip_prefix("0x").unwrap_or("no").bytes().all(|c| c.is_ascii_hexdigit()) => {
            made
        }
        _ => class,
    };
    let class = match class.rsplit_once("$$Lambda") {
        Some((outer, number)) if number.trim_start_matches('$').bytes().all(|c| c.is_ascii_digit()) => {
            Cow::Owned(format!("{outer}$$Lambda"))
        }
        _ => Cow::Borrowed(class),
    };
    if !class.contains('/') && class.len() + method.len() + 1 == path.len() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{}.{method}{rest}", class.replace('/', ".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, function: &str, file: Option<(&str, Option<u32>)>, code: Code<'_>) {
        let expected = ProfilerName { function: Cow::Borrowed(function), file, code };
        assert_eq!(ProfilerName::parse(text), expected, "{text}");
    }

    #[test]
    fn names_of_python_have_a_function_a_file_and_a_line() {
        let of = |text, function, file, line| check(text, function, Some((file, line)), Code::Unknown);
        of("total (shop/basket.py:12)", "total", "shop/basket.py", Some(12));
        of("<module> (app.py:3)", "<module>", "app.py", Some(3));
        of("run (<string>:1)", "run", "<string>", Some(1));
        of("_call (<frozen importlib._bootstrap>:241)", "_call", "<frozen importlib._bootstrap>", Some(241));
        of("total (shop/basket.py)", "total", "shop/basket.py", None);
        of("_load (<frozen importlib._bootstrap>)", "_load", "<frozen importlib._bootstrap>", None);
        of("Basket.total (C:\\shop\\basket.py:7)", "Basket.total", "C:\\shop\\basket.py", Some(7));
        of("fast (fast.pyx:0)", "fast", "fast.pyx", None);
        check("PyEval (libpython3.11.so.1.0)", "PyEval", None, Code::Library("libpython3.11.so.1.0"));
        check("process 42:\"python -m shop\"", "python -m shop", None, Code::Unknown);
    }

    #[test]
    fn names_of_other_languages_stay_as_they_are() {
        for name in [
            "f(int, char const*)",
            "operator() (int)",
            "std::function<void (int)>",
            "f (.isra.0)",
            "main.run.func1",
            "net/http.(*conn).serve",
            "github.com/foo/bar.Baz",
            "process 4:",
            "(shop.py:1)",
            "f (a:b:c)",
            "f (ns::g:3)",
            "_[j]",
            "[unknown]",
            "",
        ] {
            check(name, name, None, Code::Unknown);
        }
    }

    #[test]
    fn names_of_java_lose_their_marks_and_the_numbers_of_a_run() {
        check("java/util/HashMap.get_[j]", "java.util.HashMap.get", None, Code::Generated);
        check("java/util/HashMap.get_[0]", "java.util.HashMap.get", None, Code::Generated);
        check("java/util/HashMap.get_[1]", "java.util.HashMap.get", None, Code::Generated);
        check("java/util/HashMap.hash_[i]", "java.util.HashMap.hash", None, Code::Inlined);
        check("java.util.HashMap.get_[j]", "java.util.HashMap.get", None, Code::Generated);
        check("shop/Cart$$Lambda$14/0x0007f8a.apply_[j]", "shop.Cart$$Lambda.apply", None, Code::Generated);
        check("shop/Cart$$Lambda/0x0007f8a.apply_[j]", "shop.Cart$$Lambda.apply", None, Code::Generated);
        check("shop/Cart$$Lambda.0x0007f8a.apply_[j]", "shop.Cart$$Lambda.apply", None, Code::Generated);
        check(
            "shop/A.<init>(Ljava/lang/String;)V_[j]",
            "shop.A.<init>(Ljava/lang/String;)V",
            None,
            Code::Generated,
        );
        check("Interpreter_[j]", "Interpreter", None, Code::Generated);
        check("tcp_sendmsg_[k]", "tcp_sendmsg", None, Code::Kernel);
        check("std::swap<int>_[i]", "std::swap<int>", None, Code::Inlined);
    }

    #[test]
    fn root_frames_may_be_threads() {
        let of =
            |text, comm, tid| assert_eq!(ThreadName::parse(text), Some(ThreadName { comm, tid }), "{text}");
        of("thread (0x7F31A2): MainThread", "MainThread", None);
        of("thread (4242): worker 1", "worker 1", Some(4242));
        of("thread (0x7F31A2)", "thread", None);
        of("[main tid=42]", "main", Some(42));
        of("[GC Thread#0 tid=7]", "GC Thread#0", Some(7));
        of("[tid=9]", "", Some(9));
        for other in ["thread", "thread (x y)", "[unknown]", "[main]", "[xtid=3]", "main", "[a tid=b]"] {
            assert_eq!(ThreadName::parse(other), None, "{other}");
        }
    }
}
