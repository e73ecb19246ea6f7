#!/usr/bin/env bash
# check.sh [OLD [NEW]]: compares the speed of two commits turn by turn on this machine, and fails if NEW takes over 5 %
# more of the processor in any race.
#
#   OLD, NEW   commits, or programs that are built already [the last tag, HEAD]
#
#   RUNS=9     turns of each race; the median of the ratios of all turns counts
#   LIMIT=5    per cent that a race may be slower
#   RACES=RE   only races whose name matches
#   OUT=FILE   results, one JSON object a line [target/bench-check/results.jsonl]
#   PDIFF_BENCH_BINARY_BEFORE, PDIFF_BENCH_BINARY
#              programs of the captures 56 and 80 of fixtures/mysql: without them races with binaries are left out, which is said
#
# Exit status: 0 no race is slower, 1 a race is, 2 it could not be measured.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-9} limit=${LIMIT:-5} races=${RACES:-.} work=$PWD/target/bench-check
out=${OUT:-$work/results.jsonl}
mkdir -p "$work"

fail() { echo "check.sh: $*" >&2; exit 2; }

# The program of a commit, built in a worktree of its own that is kept for the next time.
program() {
    if [[ -f $1 && -x $1 ]]; then realpath "$1"; return; fi
    local commit tree
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || fail "there is no commit or program '$1'"
    tree=$work/$commit
    if [[ ! -x $tree/target/release/pdiff ]]; then
        [[ -d $tree ]] || git worktree add --quiet --detach "$tree" "$commit" >&2
        echo "building $1 (${commit:0:9})" >&2
        (cd "$tree" && cargo build --quiet --release --locked --bin pdiff) >&2 || fail "'$1' does not build"
    fi
    echo "$tree/target/release/pdiff"
}

old_name=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)} new_name=${2:-HEAD}
[[ -n $old_name ]] || fail "there is no tag to compare with; hint: give a commit"
old=$(program "$old_name") new=$(program "$new_name")

# Input: the shipped captures, unpacked and put one after another to about 60 MB each.
for version in 56 80; do
    text=$work/$version.perf
    [[ -s $text ]] && continue
    command -v zstd >/dev/null || fail "zstd is not installed"
    zstd -dcq "fixtures/mysql/$version"-aligned-r[123].perf.zst >"$text.part"
    mv "$text.part" "$text"
done

# Seconds of the processor, user and system, of a command; its standard output is thrown away.
seconds() {
    local TIMEFORMAT='%U %S' times
    times=$({ time "$@" >/dev/null 2>"$work/errors"; } 2>&1) || { cat "$work/errors" >&2; fail "failed: $*"; }
    awk '{print $1 + $2}' <<<"$times"
}

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

slower=0
# race NAME BEFORE-EACH-RUN ARGUMENT...: in the arguments @ stands for a directory of the program's own.
race() {
    local name=$1 prepare=$2 turn who own s ratio old_s new_s
    shift 2
    [[ $name =~ $races ]] || return 0
    : >"$work/old.s"; : >"$work/new.s"
    # The first turn fills caches and is not counted; every other turn begins with the other one.
    for ((turn = 0; turn <= runs; turn++)); do
        for who in $( ((turn % 2)) && echo old new || echo new old); do
            own=$work/cache-$who
            mkdir -p "$own"
            [[ $prepare == cold ]] && rm -rf "${own:?}"/*
            s=$(seconds "${!who}" "${@//@/$own}")
            ((turn)) && echo "$s" >>"$work/$who.s"
        done
    done
    ratio=$(paste "$work/new.s" "$work/old.s" | awk '{print $1 / ($2 > 0 ? $2 : 0.001)}' | median)
    old_s=$(median <"$work/old.s") new_s=$(median <"$work/new.s")
    printf '%-36s %8.3f s %8.3f s  %5.2fx\n' "$name" "$old_s" "$new_s" "$ratio"
    printf '{"race":"%s","old":"%s","new":"%s","old_cpu_s":%s,"new_cpu_s":%s,"ratio":%s,"runs":%d,"date":"%s"}\n' \
        "$name" "$old_name" "$new_name" "$old_s" "$new_s" "$ratio" "$runs" "$(date -u +%F)" >>"$out"
    if awk -v ratio="$ratio" -v limit="$limit" 'BEGIN {exit !(ratio > 1 + limit / 100)}'; then
        echo "    slower than $limit % allow" >&2
        slower=1
    fi
}

: >"$out"
printf '%-36s %10s %10s  %s\n' "seconds of the processor, medians" old new ratio
before=$work/56.perf after=$work/80.perf
race "compare" warm compare "$before" "$after" --no-symbolize
race "compare, one thread" warm compare "$before" "$after" --no-symbolize --threads 1
race "classify, packs" warm classify fixtures/mysql/56-aligned-r1.pdiff fixtures/mysql/80-aligned-r1.pdiff
race "flame, two sides" warm flame --diff "$before" "$after" --no-symbolize -o @/flame.svg
if [[ -n ${PDIFF_BENCH_BINARY_BEFORE:-} && -n ${PDIFF_BENCH_BINARY:-} ]]; then
    binaries=(--binary-before "$PDIFF_BENCH_BINARY_BEFORE" --binary-after "$PDIFF_BENCH_BINARY" --cache-dir @)
    for state in cold warm; do
        race "compare, binaries, $state" $state compare "$before" "$after" "${binaries[@]}"
        race "classify, binaries, $state" $state classify --inline-check "$before" "$after" "${binaries[@]}"
    done
    race "inlines" warm inlines "$PDIFF_BENCH_BINARY_BEFORE" "$PDIFF_BENCH_BINARY" --no-cache
else
    echo "(left out: races with binaries; hint: set PDIFF_BENCH_BINARY_BEFORE and PDIFF_BENCH_BINARY)"
fi
echo "results: $out"
exit $slower
