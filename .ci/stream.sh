#!/usr/bin/env bash
# The transforms on unbounded input, in a program of a module of its own (.ci/stream):
# files arrive, and their trees are written in windows of five seconds, on the local
# runner and on a real Flink in streaming mode with checkpoints. There a worker is
# killed, and the job is stopped with a savepoint and started again from it while more
# files arrive. In the end every sentence of every file has one row.
#
#   .ci/stream.sh PROGRAM PYTHON FOLDER [FLINK]
#
# PROGRAM is treebeam, built for this machine, PYTHON has pyarrow, FOLDER is for what is
# made on the way, FLINK starts a Flink with Beam's job server (../shared/flink/flink).
set -euo pipefail
program=$(realpath "$1") python=$2 tmp=$(realpath "$3") flink=${4:-}
root=$PWD
home=${XDG_CACHE_HOME:-$HOME/.cache}/treebeam-flink
job= # the launcher that is under way, if any
finish() {
  [ -z "$flink" ] || bash "$flink" stop "$home" || true
  [ -z "$job" ] || kill -9 "$job" 2>/dev/null || true
  pkill -9 -f "$tmp/worker-" || true # boot and what it has started
  rm -rf "$home/staged" # the program of every job
}
trap finish EXIT

# build: the module of a user, which knows treebeam by its path only.
build() {
  mkdir "$tmp/module"
  cp .ci/stream/main.go go.sum "$tmp/module"
  sed 's|^module .*|module example.org/stream|' go.mod >"$tmp/module/go.mod"
  (cd "$tmp/module" &&
    go mod edit -require=github.com/treebeam/treebeam@v0.0.0 -replace=github.com/treebeam/treebeam="$root" &&
    go build -mod=mod -trimpath -tags disable_grpc_modules -o "$tmp/stream" .)
}

# arrive NAME FROM TO: files that are renamed into the folder of the stream NAME, one
# every half second.
arrive() {
  local i
  for i in $(seq "$2" "$3"); do
    printf 'File %d has come. It is not the last of them, says Ann%d.\n\nThe old dog sleeps.\n' "$i" "$i" >"$tmp/$1/.$i"
    mv "$tmp/$1/.$i" "$tmp/$1/in/$i.txt"
    sleep 0.5
  done
}

# rows NAME N: the files written by the stream NAME hold the trees of N files, each
# sentence once, as the command finds them.
rows() {
  "$program" parse --quiet "$tmp/$1/in" --output "$tmp/$1/parsed" >/dev/null 2>&1
  "$python" - "$tmp/$1" "$2" <<'END'
import glob, sys
import pyarrow.parquet as pq
folder, files = sys.argv[1], int(sys.argv[2])
columns = ["doc_id", "start_byte", "tokens", "head", "deprel"]
def rows(pattern):
    found = [tuple(map(str, row.values())) for name in glob.glob(f"{folder}/{pattern}", recursive=True)
             for row in pq.read_table(name, columns=columns, partitioning=None).select(columns).to_pylist()]
    return sorted(found)
got, want = rows("trees/**/*.parquet"), rows("parsed/trees/*.parquet")
assert len({r[0] for r in want}) == files, f"{len({r[0] for r in want})} files instead of {files}"
missing, more = set(want) - set(got), set(got) - set(want)
assert not missing and not more and len(got) == len(set(got)), \
    f"{len(want)} sentences, {len(missing)} missing, {len(more)} unknown, {len(got) - len(set(got))} doubled: {sorted(missing)[:3]} {sorted(more)[:3]}"
print(f"{folder.rsplit('/')[-1]}: {files} files, {len(got)} sentences, each once, in {len(glob.glob(f'{folder}/trees/**/*.parquet', recursive=True))} files of windows")
END
}

# eventually SECONDS WORDS COMMAND...: waits until a command succeeds.
eventually() {
  local end=$((SECONDS + $1)) words=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || { echo "timed out: $words" >&2; tail -20 "$tmp"/*.log >&2; return 1; }
    sleep 0.2
  done
}
written() { [ "$(find "$tmp/$1/trees" -name '*.parquet' 2>/dev/null | wc -l)" -ge "$2" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# begin NAME FLAG...: starts the program in the background.
begin() {
  local name=$1
  shift
  mkdir -p "$tmp/$name/in"
  "$tmp/stream" --folder "$tmp/$name/in" --trees "$tmp/$name/trees" --stop "$tmp/$name/stop" "$@" >>"$tmp/$name.log" 2>&1 &
  job=$!
}

# ends NAME: the job does, by itself, once it is told to stop.
ends() {
  local status=0
  eventually 90 "$1 does not end" gone "$job"
  wait "$job" || status=$?
  job=
  [ $status -eq 0 ] || { echo "$1: status $status" >&2; tail -20 "$tmp/$1.log" >&2; return 1; }
}

on_prism() {
  local began=$SECONDS
  begin prism
  arrive prism 1 16
  eventually 30 "no window is written while files arrive" written prism 1
  touch "$tmp/prism/stop"
  ends prism
  rows prism 16
  echo "prism: $((SECONDS - began)) s"
}

rest() { curl -fsS "localhost:8081/$1" "${@:2}"; }
running() { rest jobs/overview | tr '{' '\n' | sed -n 's/.*"jid":"\([0-9a-f]*\)".*"state":"RUNNING".*/\1/p'; }
is_running() { [ -n "$(running)" ]; }
savepoint() { find "$tmp/savepoints" -name _metadata 2>/dev/null | head -1 | xargs -r dirname; }
has_savepoint() { [ -n "$(savepoint)" ] && ! is_running; }
complete() { rows flink 30 >/dev/null 2>&1; }
checkpoints() { [ "$(rest "jobs/$(running)/checkpoints" | grep -o '"completed":[0-9]*' | head -1 | cut -d: -f2)" -ge "$1" ]; }

on_flink() {
  local began=$SECONDS victim
  go build -trimpath -tags disable_grpc_modules -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
  cat >"$tmp/boot.sh" <<END
#!/bin/sh
dir=\$(mktemp -d "$tmp/worker-XXXXXX")
cd "\$dir"
exec "$tmp/boot" --semi_persist_dir="\$dir" "\$@"
END
  chmod +x "$tmp/boot.sh"
  bash "$flink" cluster "$home" 1
  local flags=(--endpoint=localhost:8099 --environment_type=PROCESS "--environment_config={\"command\":\"$tmp/boot.sh\"}" "--worker_binary=$tmp/stream")
  engine() {
    echo "{\"beam:option:checkpointing_interval:v1\": 1000, \"beam:option:max_bundle_size:v1\": 1, \"beam:option:max_bundle_time_mills:v1\": 300,
      \"beam:option:state_backend:v1\": \"filesystem\", \"beam:option:state_backend_storage_path:v1\": \"file://$tmp/checkpoints\"${1:-}}"
  }
  begin flink "${flags[@]}" --engine "$(engine)"
  eventually 90 "the job does not run" is_running
  arrive flink 1 10
  eventually 90 "no window is written" written flink 1
  eventually 60 "there is no checkpoint" checkpoints 2
  victim=$(pgrep -f -- "$tmp/worker-.*--worker=true|--worker=true.*$tmp/worker-" | head -1) || { echo "there is no worker" >&2; return 1; }
  kill -9 "$victim"
  arrive flink 11 20
  eventually 90 "the job does not come back" is_running
  eventually 90 "nothing is written after the worker was killed" written flink 3
  rest "jobs/$(running)/stop" -X POST -H 'Content-Type: application/json' -d "{\"targetDirectory\": \"file://$tmp/savepoints\", \"drain\": false}" >/dev/null
  eventually 90 "there is no savepoint" has_savepoint
  eventually 30 "the launcher does not end" gone "$job"
  arrive flink 21 24 # while nobody looks
  begin flink "${flags[@]}" --engine "$(engine ", \"beam:option:savepoint_path:v1\": \"file://$(savepoint)\"")"
  eventually 90 "the job does not start again" is_running
  arrive flink 25 30
  touch "$tmp/flink/stop"
  # Flink 1.16 writes the last windows, but leaves a job that began from a savepoint running.
  eventually 90 "trees are missing" complete
  rest "jobs/$(running)?mode=cancel" -X PATCH >/dev/null
  eventually 60 "the launcher does not end" gone "$job"
  rows flink 30
  echo "flink: $((SECONDS - began)) s, a worker killed, stopped with a savepoint and started again"
}

build
on_prism
if [ -n "$flink" ]; then on_flink; fi
