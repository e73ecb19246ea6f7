#!/usr/bin/env bash
# Runs the fuzz targets from their seeds: run.sh [EXECUTIONS [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")"
executions=${1:-}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(perf_script recording pack elf knowledge arguments settings names)
for target in "${targets[@]}"; do
    runs=${executions:-$([ "$target" = perf_script ] && echo 10000000 || echo 1000000)}
    mkdir -p "corpus/$target"
    # What the fuzzer finds goes to corpus/, which is not kept; seeds are only read.
    cargo +nightly fuzz run "$target" "corpus/$target" "seeds/$target" -- \
        -runs="$runs" -max_len=16384 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
done
