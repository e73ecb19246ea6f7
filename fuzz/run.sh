#!/usr/bin/env bash
# Runs the fuzz targets from their seeds: run.sh [EXECUTIONS [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")"
executions=${1:-}
shift || true
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    for file in fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
for target in "${targets[@]}"; do
    runs=${executions:-$([ "$target" = perf_script ] && echo 10000000 || echo 1000000)}
    mkdir -p "corpus/$target"
    # What the fuzzer finds goes to corpus/, which is not kept; seeds are only read.
    features=(); [ "$target" != tables ] || features=(--features tables)
    # pdiff's own code is safe Rust: panics are what is looked for, and without a sanitizer the cases are many times more.
    more=(); case $target in perf_data | branches | waits) more=(../fixtures/perf-data) ;; esac
    cargo +nightly fuzz run --sanitizer none "${features[@]}" "$target" "corpus/$target" "seeds/$target" "${more[@]}" -- \
        -runs="$runs" -max_len=16384 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
done
