#!/bin/sh
# Sums a store with DataFusion Ballista and compares the rows with those of `pdiff store sums`.
#
#   deploy/ballista/sum-store.sh STORE [ROWS.tsv]
#
# Installs the pinned scheduler, executor and client with cargo where they are missing (that compiles about 450 crates), starts a
# scheduler and two executors that listen on 127.0.0.1 only, runs the query of `pdiff store sql`, writes the rows, and stops
# everything again. Exit status 0 if both give the same bytes, 1 if not, 2 if something failed.
#
# BALLISTA is the directory of the programs (default: ~/.cache/pdiff-ballista), PDIFF the pdiff to use (default: pdiff), PORT the first
# of seven ports (default: 50050). CARGO_PROFILE_RELEASE_OPT_LEVEL=1 compiles in less time.
set -eu

VERSION=55.0.0

name=$(basename "$0")
fail() { # MESSAGE [FILE]
    echo "$name: $1" >&2
    if [ $# -gt 1 ]; then tail -n 5 "$2" >&2; fi
    exit 2
}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 STORE [ROWS.tsv]" >&2
    exit 2
fi
ballista=${BALLISTA:-$HOME/.cache/pdiff-ballista}
pdiff=${PDIFF:-pdiff}
first=${PORT:-50050}
case $first in *[!0-9]*) fail "PORT is a number, not '$first'" ;; esac
[ -f "$1/pdiff-store" ] || fail "$1 is no store; hint: give the directory that \`pdiff store add\` made"
# Executors have working directories of their own.
store=$(cd "$1" && pwd)
case $store in *"'"*) fail "the path of the store has a quotation mark, which SQL would end the path at" ;; esac

# Programs. --locked: the versions that each release was tested with.
install() { # PACKAGE ARGUMENT..
    package=$1
    shift
    [ -x "$ballista/bin/$package" ] && "$ballista/bin/$package" --version | grep -q " $VERSION$" && return
    CARGO_TARGET_DIR=$ballista/target cargo install --locked --root "$ballista" "$package@$VERSION" "$@"
}
install ballista-scheduler --no-default-features --features build-binary
install ballista-executor
install ballista-cli --no-default-features --features cli

work=$(mktemp -d)
case $work in *"'"*) fail "the path of temporary files has a quotation mark, which SQL would end the path at: $work" ;; esac
rows=${2:-$work/rows.tsv}
processes=
# shellcheck disable=SC2329 # called by trap
stop() {
    # A second signal would end this.
    trap '' INT TERM
    # shellcheck disable=SC2086 # process ids are words
    [ -z "$processes" ] || kill $processes 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 2' INT TERM

start() { # LOG COMMAND..
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 &
    processes="$processes $!"
}
# Waits until a log has a line; a process that ended has failed.
await() { # LOG LINE
    tries=0
    until grep -qs "$2" "$work/$1.log"; do
        # shellcheck disable=SC2086 # process ids are words
        kill -0 $processes 2>/dev/null || fail "$1 ended; its last lines:" "$work/$1.log"
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || fail "$1 did not start within 60 s; its last lines:" "$work/$1.log"
        sleep 0.2
    done
}
# Thousands of runs make messages of more than the 16 MB that are allowed without this.
sizes="--grpc-server-max-decoding-message-size 1073741824 --grpc-server-max-encoding-message-size 1073741824"
# shellcheck disable=SC2086 # options are words
start scheduler "$ballista/bin/ballista-scheduler" $sizes --grpc-client-max-message-size 1073741824 \
    --bind-host 127.0.0.1 --external-host 127.0.0.1 --bind-port "$first"
await scheduler 'listening on'
# An executor needs three ports of its own: for rows, for orders and for questions about its health. Each plans with 70 % of the
# machine's memory by itself, which is too much for two.
for executor in 1 2; do
    port=$((first + 3 * executor - 2))
    mkdir "$work/executor-$executor"
    # shellcheck disable=SC2086 # options are words
    start "executor-$executor" "$ballista/bin/ballista-executor" $sizes \
        --scheduler-host 127.0.0.1 --scheduler-port "$first" --bind-host 127.0.0.1 --external-host 127.0.0.1 \
        --bind-port "$port" --bind-grpc-port $((port + 1)) --bind-health-port $((port + 2)) \
        --work-dir "$work/executor-$executor" --vcores 1 --scheduler-connect-timeout-seconds 60 \
        --memory-pool-fraction 0.4
done
for executor in 1 2; do await "executor-$executor" 'flight service'; done

{
    # The columns of a store are in its files; those that directories name would be there twice.
    echo 'SET datafusion.execution.listing_table_factory_infer_partitions = false;'
    echo 'SET datafusion.execution.listing_table_ignore_subdirectory = false;'
    # Strings as views are sent with the whole buffers that they are in. So an executor also writes the rows itself: to the client,
    # those of hundreds of runs would be gigabytes.
    echo 'SET datafusion.execution.parquet.schema_force_view_types = false;'
    echo 'SET ballista.client.grpc_max_message_size = 1073741824;'
    for table in runs samples stacks frames functions; do
        echo "CREATE EXTERNAL TABLE $table STORED AS PARQUET LOCATION '$store/$table/';"
    done
    echo 'COPY ('
    # Executors sort in memory, and need gigabytes for it. `sort` does not.
    "$pdiff" store sql | sed '/^ORDER BY/,$d'
    echo ") TO '$work/rows/' STORED AS CSV;"
} >"$work/query.sql"
began=$(date +%s.%N)
# In the background, so that a signal is not left waiting for the query.
"$ballista/bin/ballista-cli" --host 127.0.0.1 --port "$first" --quiet --format tsv --file "$work/query.sql" \
    >"$work/printed" 2>"$work/client.log" &
client=$!
processes="$processes $client"
wait "$client" || fail "the client failed; its last lines:" "$work/client.log"
ended=$(date +%s.%N)
# The client prints errors where the number of rows is expected, and ends well.
set -- "$work"/rows/*.csv
[ -s "$1" ] || fail "Ballista gave no rows; it printed:" "$work/printed"
# Options of CSV do not reach executors, which quote every value. Only values that have quotes themselves need them.
awk -v OFS='\t' 'NR > 1 && FNR == 1 { next }
{
    count = split(substr($0, 2, length($0) - 2), values, "\",\"")
    for (i = 1; i <= count; i++) $i = values[i] ~ /""/ ? "\"" values[i] "\"" : values[i]
    NF = count
    print
}' "$@" >"$work/unsorted.tsv"
{
    head -n 1 "$work/unsorted.tsv"
    tail -n +2 "$work/unsorted.tsv" | LC_ALL=C sort
} >"$rows"

"$pdiff" store sums "$store" >"$work/own.tsv"
echo "Ballista $VERSION, a scheduler and two executors: $(($(wc -l <"$rows") - 1)) rows in $(awk "BEGIN { print $ended - $began }") s"
if cmp -s "$rows" "$work/own.tsv"; then
    echo "the same bytes as \`pdiff store sums\`"
else
    echo "$name: the rows differ from those of \`pdiff store sums\`:" >&2
    diff "$rows" "$work/own.tsv" | head -n 10 >&2
    exit 1
fi
