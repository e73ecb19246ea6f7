#!/bin/sh
# Records two builds of one program in turns on one machine, so that what the machine does hits both alike.
#
#   share/record-pair.sh OUT RUNS 'COMMAND OF THE BASE BUILD' 'COMMAND OF THE OTHER BUILD'
#
# Writes OUT/before-1.data .. OUT/before-RUNS.data and OUT/after-1.data .. OUT/after-RUNS.data, for
#   pdiff ci --before OUT/before-*.data --after OUT/after-*.data --fail-on 'delta_self_pp > 0.5'
#
# Each command does the load once and ends. PERF_FLAGS replaces `-F 499 -g`; the first turn of each build, which warms caches, is
# not recorded.
set -eu

if [ $# -ne 4 ]; then
    echo "usage: $0 OUT RUNS 'COMMAND OF THE BASE BUILD' 'COMMAND OF THE OTHER BUILD'" >&2
    exit 2
fi
out=$1 runs=$2 before=$3 after=$4
case $runs in '' | *[!0-9]* | 0) echo "$0: RUNS is a whole number from 1, not '$runs'" >&2 && exit 2 ;; esac
command -v perf >/dev/null || { echo "$0: perf is not installed; on Debian it is in linux-perf" >&2 && exit 2; }
mkdir -p "$out"

record() { # SIDE NUMBER COMMAND
    # shellcheck disable=SC2086 # flags are words
    perf record ${PERF_FLAGS:--F 499 -g} -o "$out/$1-$2.data" -- sh -c "$3" >"$out/$1-$2.log" 2>&1 || {
        echo "$0: recording $1-$2 failed:" >&2
        tail -n 5 "$out/$1-$2.log" >&2
        exit 1
    }
}

sh -c "$before" >/dev/null
sh -c "$after" >/dev/null
run=1
while [ "$run" -le "$runs" ]; do
    # Every other pair begins with the other build: what grows over time hits both alike, too.
    if [ $((run % 2)) -eq 1 ]; then
        record before "$run" "$before"
        record after "$run" "$after"
    else
        record after "$run" "$after"
        record before "$run" "$before"
    fi
    run=$((run + 1))
done
echo "recorded $runs runs of each build in $out"
