#!/usr/bin/env bash
# The same job on Flink as on the local runner: the same bytes, whoever the
# workers are, and also after a worker and a task manager were killed.
#
#   .ci/flink.sh FLINK PROGRAM FOLDER [embedded|cluster]...
#
# FLINK starts a Flink with Beam's job server (../shared/flink/flink), PROGRAM
# is treebeam, built for this machine, FOLDER is for what is made on the way.
# Flink's programs are kept under the user's cache folder.
set -euo pipefail
flink=$1 program=$(realpath "$2") tmp=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- embedded cluster
home=${XDG_CACHE_HOME:-$HOME/.cache}/treebeam-flink
mkdir -p "$home"
trap 'bash "$flink" stop "$home" || true; [ -z "${pool:-}" ] || kill "$pool" 2>/dev/null || true' EXIT

# Some 60 ranges of our own pages, which nobody changes meanwhile.
mkdir "$tmp/input"
cp -r sample/text docs "$tmp/input"
input=(--input "$tmp/input" --range-bytes 2500)
on_flink=(--runner=flink --endpoint=localhost:8099 --parallelism=2)

# parse NAME FLAG...: runs the job and compares its digest with the local one.
parse() {
  local name=$1 began=$SECONDS
  shift
  "$program" parse --quiet "${input[@]}" --output "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/$name.log" || return 1
  if [ "$name" = async ]; then
    grep -q '^job .* is submitted; ' "$tmp/$name.log" || { cat "$tmp/$name.log" >&2; return 1; }
    for _ in $(seq 120); do [ ! -e "$tmp/$name/manifest.json" ] || break; sleep 1; done
  fi
  same "$name" "$name: $((SECONDS - began)) s"
}

# same NAME WORDS: the output NAME holds what the local runner has written.
same() {
  diff -rq --exclude token --exclude tmp --exclude running.json "$tmp/local" "$tmp/$1"
  echo "$2, $(ls "$tmp/$1/trees" | wc -l) parts, the same bytes"
}

# boot WRAPPER-NAME [COMMAND...]: a starter of workers, each with a folder of
# its own, perhaps below another command.
boot() {
  local name=$1
  shift
  cat >"$tmp/$name" <<END
#!/bin/sh
dir=\$(mktemp -d "$tmp/worker-XXXXXX")
cd "\$dir"
exec $* "$tmp/boot" --semi_persist_dir="\$dir" "\$@"
END
  chmod +x "$tmp/$name"
}
process() { echo "--environment_type=PROCESS --environment_config={\"command\":\"$tmp/$1\"} --shared-filesystem"; }

run_embedded() {
  bash "$flink" embedded "$home"
  parse loopback "${on_flink[@]}" --environment_type=LOOPBACK
  "$program" worker-pool --port 50123 2>"$tmp/pool.log" &
  pool=$!
  parse pool "${on_flink[@]}" --environment_type=EXTERNAL --environment_config=localhost:50123 --shared-filesystem
  # A job that is not waited for is named, and ends by itself.
  parse async "${on_flink[@]}" --environment_type=EXTERNAL --environment_config=localhost:50123 --shared-filesystem --async
  kill "$pool"
  wait "$pool" || { echo "the worker pool ended with status $?" >&2; return 1; }
  pool=
  # Workers of another process know what the launcher was told.
  local changed=(--from text --encoding latin1 --lines paragraph --document line --max-words 20 --retag --keep-heads
    --text-key body --id-key key --restarts 2 --exact -1 --budget 50 --seed 7 --projective)
  "$program" parse --quiet "${input[@]}" --output "$tmp/changed-local" "${changed[@]}" >"$tmp/changed-local.json"
  "$program" parse --quiet "${input[@]}" --output "$tmp/changed" "${changed[@]}" "${on_flink[@]}" $(process boot.sh) >"$tmp/changed.json"
  diff -rq --exclude token --exclude tmp "$tmp/changed-local" "$tmp/changed"
  if diff -q "$tmp"/changed/trees "$tmp"/local/trees >/dev/null; then echo "the options changed nothing" >&2; return 1; fi
  echo "changed: every option at another value, the same bytes as the local runner with them"
  # A worker with another disk under the same path must not pretend.
  if ! unshare -m true 2>/dev/null; then
    echo "not run: workers without the launcher's disk (no mount namespaces here)"
    return
  fi
  mkdir -p "$tmp/apart"
  boot apart.sh unshare -m sh -c "'mount -t tmpfs none \"$tmp/apart\" && exec \"\$0\" \"\$@\"'"
  if "$program" parse --quiet "${input[@]}" --output "$tmp/apart/out" "${on_flink[@]}" $(process apart.sh) >"$tmp/apart.json" 2>"$tmp/apart.log"; then
    echo "workers without the launcher's disk: the run should have failed" >&2
    return 1
  fi
  if ! grep -q "does not see the output folder" "$tmp/apart.log"; then
    echo "workers without the launcher's disk: the message should say so:" >&2
    cat "$tmp/apart.log" >&2
    return 1
  fi
  echo "apart: refused: $(head -1 "$tmp/apart.log" | cut -c1-200)"
}

# parts NAME: how many ranges of the output are done.
parts() { ls "$tmp/$1/trees" 2>/dev/null | wc -l; }

# killing NAME PATTERN: runs the job, kills what matches the pattern when a few
# ranges are done, and runs it again if that has ended it.
killing() {
  local name=$1 pattern=$2 job status=0 victim
  "$program" parse --quiet "${input[@]}" --output "$tmp/$name" "${on_flink[@]}" $(process boot.sh) >"$tmp/$name.json" 2>"$tmp/$name.log" &
  job=$!
  until [ "$(parts "$name")" -ge 5 ] || ! kill -0 "$job" 2>/dev/null; do sleep 0.1; done
  victim=$(pgrep -f "$pattern" | head -1 || true)
  [ -n "$victim" ] || { echo "$name: there is nothing to kill" >&2; cat "$tmp/$name.log" >&2; return 1; }
  kill -9 "$victim"
  local before
  before=$(parts "$name")
  wait "$job" || status=$?
  if [ $status -ne 0 ]; then
    find "$tmp/$name/trees" -type f -printf '%f %T@ %i\n' | sort >"$tmp/$name.before"
    parse "$name" # what is left, on the local runner: it is the same job
    find "$tmp/$name/trees" -type f -printf '%f %T@ %i\n' | sort >"$tmp/$name.after"
    echo "$name: killed at $before parts, status $status; of $(wc -l <"$tmp/$name.before") finished ranges $(comm -23 "$tmp/$name.before" "$tmp/$name.after" | wc -l) were done again"
    [ -z "$(comm -23 "$tmp/$name.before" "$tmp/$name.after")" ]
  else
    same "$name" "$name: killed at $before parts, the engine recovered"
  fi
}

run_cluster() {
  bash "$flink" cluster "$home" 2
  parse cluster "${on_flink[@]}" $(process boot.sh)
  killing killed-worker "$tmp/worker-.*--worker=true|--worker=true.*$tmp/worker-"
  killing killed-manager "taskmanager.resource-id=tm1"
}

go build -trimpath -tags disable_grpc_modules -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
boot boot.sh
"$program" parse --quiet "${input[@]}" --output "$tmp/local" >"$tmp/local.json"
GOMAXPROCS=1 "$program" parse --quiet "${input[@]}" --output "$tmp/one-core" >"$tmp/one-core.json"
same one-core "one core"
for part in "$@"; do
  "run_$part"
  bash "$flink" stop "$home"
done
