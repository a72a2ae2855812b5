#!/usr/bin/env bash
# The same job on Flink as on the local runner: the same bytes, whoever the
# workers are, also after a worker and a task manager were killed, and after the
# job was cancelled and continued. What the launcher says of a job that is not
# waited for, that is cancelled, or that goes on without it, is checked, too.
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
pool= launcher= workers= # processes that are under way, if any
finish() {
  bash "$flink" stop "$home" || true
  [ -z "$pool$launcher" ] || kill $pool $launcher 2>/dev/null || true
  [ -z "$workers" ] || kill -9 $workers 2>/dev/null || true
}
trap finish EXIT

# Some 60 ranges of our own pages, which nobody changes meanwhile.
mkdir "$tmp/input"
cp -r sample/text docs/*.md "$tmp/input"
input=(--input "$tmp/input" --range-bytes 2500)
on_flink=(--runner=flink --endpoint=localhost:8099 --parallelism=2)

# fail NAME WORDS: says what is wrong, and what the launcher has said.
fail() {
  echo "$1: $2" >&2
  cat "$tmp/$1.log" >&2
  return 1
}

# eventually NAME SECONDS WORDS COMMAND...: waits until a command succeeds.
eventually() {
  local name=$1 end=$((SECONDS + $2)) words=$3
  shift 3
  until "$@"; do
    [ $SECONDS -lt $end ] || { fail "$name" "timed out: $words"; return 1; }
    sleep 0.1
  done
}

# launch NAME FLAG...: runs the command of the output NAME.
launch() {
  local name=$1
  shift
  timeout 120 "$program" parse --quiet "${input[@]}" --output "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/$name.log"
}

# parse NAME FLAG...: runs the job and compares its digest with the local one.
parse() {
  local name=$1 began=$SECONDS status=0
  launch "$@" || status=$?
  [ $status -eq 0 ] || fail "$name" "status $status (124 is a timeout)"
  same "$name" "$name: $((SECONDS - began)) s"
}

# same NAME WORDS: the output NAME holds what the local runner has written.
same() {
  diff -rq --exclude token --exclude tmp "$tmp/local" "$tmp/$1"
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
  local of_pool=(--environment_type=EXTERNAL --environment_config=localhost:50123 --shared-filesystem)
  async "${on_flink[@]}" "${of_pool[@]}"
  # This Flink lives as long as the job, and says in the job server's log where it answers.
  cancelled cancelled embedded_cancel "${on_flink[@]}" "${of_pool[@]}"
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
  echo "apart: refused: $(grep "does not see the output folder" "$tmp/apart.log" | cut -c1-200)"
}

# parts NAME: how many ranges of the output are done.
parts() { { ls "$tmp/$1/trees" 2>/dev/null || true; } | wc -l; }

# at_least NAME N: that many are done.
at_least() { [ "$(parts "$1")" -ge "$2" ]; }

# gone PROCESS: it has ended.
gone() { ! kill -0 "$1" 2>/dev/null; }

# list_parts NAME SUFFIX: writes down which parts there are, to see whether
# they are made again.
list_parts() { find "$tmp/$1/trees" -type f -printf '%f %T@ %i\n' | sort >"$tmp/$1.$2"; }

# kept NAME: what was done before was not done again.
kept() {
  list_parts "$1" after
  local again
  again=$(comm -23 "$tmp/$1.before" "$tmp/$1.after" | wc -l)
  echo "$1: of $(wc -l <"$tmp/$1.before") finished ranges $again were done again"
  [ "$again" -eq 0 ]
}

# begin NAME FLAG...: starts the job in the background, as $launcher, and waits
# until a few parts are there. $job is its id, $shown its name in Flink.
begin() {
  local name=$1 before
  before=$(parts "$name")
  shift
  # Without env, what a script starts in the background ignores ctrl-C.
  env --default-signal=INT "$program" parse --quiet "${input[@]}" --output "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/$name.log" &
  launcher=$!
  some_or_gone() { at_least "$name" $((before + 3)) || gone $launcher; }
  eventually "$name" 100 "no parts" some_or_gone
  job=$(sed -n 's/^job \([^ ]*\) (treebeam-[0-9a-f]*) on flink at .*/\1/p' "$tmp/$name.log")
  shown=${job%%_*}
  if gone $launcher || [ -z "$job" ]; then fail "$name" "no job is under way"; fi
}

# ends NAME STATUS: how the launcher does. A launcher that does not is ended.
ends() {
  local status=0
  if ! eventually "$1" 60 "the launcher does not end" gone $launcher; then
    kill -9 $launcher
    return 1
  fi
  wait $launcher || status=$?
  launcher=
  [ $status -eq "$2" ] || fail "$1" "status $status instead of $2"
}

# says NAME WORDS: the launcher did.
says() { grep -qF -- "$2" "$tmp/$1.log" || fail "$1" "it should have said: $2"; }

# unfinished NAME: there is no manifest.
unfinished() { [ ! -e "$tmp/$1/manifest.json" ] || fail "$1" "it is complete: the job was not cancelled in time"; }

# number PORT: of the job $shown in the Flink whose REST service is there.
number() { curl -fsS "localhost:$1/jobs/overview" | tr '{' '\n' | sed -n "s/.*\"jid\":\"\([0-9a-f]*\)\",\"name\":\"$shown\".*/\1/p"; }

embedded_cancel() {
  local port
  port=$(sed -n 's/.*Rest endpoint listening at localhost:\([0-9]*\)$/\1/p' "$home/jobserver.log" | tail -1)
  curl -fsS -X PATCH "localhost:$port/jobs/$(number "$port")?mode=cancel" >/dev/null
}

# cancelled NAME COMMAND FLAG...: a job that the command cancels is a failed
# run, which the same command continues.
cancelled() {
  local name=$1 cancel=$2 began=$SECONDS
  shift 2
  begin "$name" "$@"
  "$cancel" "$name"
  ends "$name" 1
  says "$name" "job $job was cancelled"
  says "$name" "run the same command again to continue"
  unfinished "$name"
  list_parts "$name" before
  parse "$name" "$@"
  kept "$name"
  echo "$name: $((SECONDS - began)) s in all"
}

# async FLAG...: a job that is not waited for is named, and ends by itself. The
# same command then finds that all is done.
async() {
  local began=$SECONDS
  launch async "$@" --async || fail async "status $?"
  grep -q '^job .* (treebeam-[0-9a-f]*) on flink at localhost:8099$' "$tmp/async.log" || fail async "the job has no name"
  grep -q '^job .* is submitted; manifest.json in .* will mark its end$' "$tmp/async.log" || fail async "the job is not said to be submitted"
  [ ! -s "$tmp/async.json" ] || fail async "it has a summary"
  unfinished async
  local submitted=$((SECONDS - began))
  eventually async 100 "the job does not end" test -e "$tmp/async/manifest.json"
  same async "async: submitted in $submitted s, complete in $((SECONDS - began)) s"
  list_parts async before
  parse async "$@"
  kept async
  [ -s "$tmp/async.json" ] || fail async "it has no summary"
}

# flink_cli ARGUMENT...: Flink's own command.
flink_cli() {
  FLINK_CONF_DIR=$home/conf java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --add-opens=java.base/java.lang=ALL-UNNAMED \
    -cp "$home/flink/*" org.apache.flink.client.cli.CliFrontend "$@"
}

# state: of the job $shown, as the cluster's Flink has it.
state() { curl -fsS localhost:8081/jobs/overview | tr '{' '\n' | sed -n "s/.*\"name\":\"$shown\",\"state\":\"\([A-Z]*\)\".*/\1/p"; }
state_is() { [ "$(state)" = "$1" ]; }

# left NAME FLAG...: ctrl-C ends the launcher and not the job, which goes on
# until it is cancelled in the way that the launcher has named.
left() {
  local name=$1 began=$SECONDS done id
  shift
  begin "$name" "$@"
  kill -INT $launcher
  ends "$name" 130
  says "$name" "interrupted, but job $job on flink at localhost:8099 is still running and may cost money."
  says "$name" "To end it: flink list, then flink cancel with the number of $shown, or Flink's web page."
  says "$name" "the same command takes over what it has done"
  state_is RUNNING || fail "$name" "the job is $(state)"
  done=$(parts "$name")
  eventually "$name" 60 "the job does nothing without its launcher" at_least "$name" $((done + 1))
  # The workers rest while Java starts twice, so that the job is not over before.
  workers=$(pgrep -f "worker=true.*$tmp/worker-|$tmp/worker-.*--worker=true") || fail "$name" "there are no workers"
  kill -STOP $workers
  flink_cli list >"$tmp/$name.list" 2>&1 || { cat "$tmp/$name.list" >&2; fail "$name" "flink list failed"; }
  id=$(sed -n "s/.* : \([0-9a-f]*\) : $shown (RUNNING)$/\1/p" "$tmp/$name.list")
  [ -n "$id" ] || { cat "$tmp/$name.list" >&2; fail "$name" "flink list does not name the job"; }
  flink_cli cancel "$id" >"$tmp/$name.list" 2>&1 || { cat "$tmp/$name.list" >&2; fail "$name" "flink cancel failed"; }
  kill -CONT $workers # Flink waits for what they have begun
  workers=
  eventually "$name" 60 "the job is not cancelled" state_is CANCELED
  unfinished "$name"
  list_parts "$name" before
  parse "$name" "$@"
  kept "$name"
  echo "$name: $((SECONDS - began)) s in all"
}

# killing NAME PATTERN: runs the job, kills what matches the pattern when a few
# ranges are done, and runs it again if that has ended it.
killing() {
  local name=$1 pattern=$2 job status=0 victim
  launch "$name" "${on_flink[@]}" $(process boot.sh) &
  job=$!
  until [ "$(parts "$name")" -ge 5 ] || ! kill -0 "$job" 2>/dev/null; do sleep 0.1; done
  victim=$(pgrep -f "$pattern" | head -1 || true)
  [ -n "$victim" ] || { echo "$name: there is nothing to kill" >&2; cat "$tmp/$name.log" >&2; return 1; }
  kill -9 "$victim"
  local before
  before=$(parts "$name")
  wait "$job" || status=$?
  if [ $status -eq 124 ]; then
    fail "$name" "timed out"
  elif [ $status -ne 0 ]; then
    list_parts "$name" before
    parse "$name" # what is left, on the local runner: it is the same job
    echo "$name: killed at $before parts, status $status"
    kept "$name"
  else
    same "$name" "$name: killed at $before parts, the engine recovered"
  fi
}

run_cluster() {
  bash "$flink" cluster "$home" 2
  left left "${on_flink[@]}" $(process boot.sh)
  killing killed-worker "$tmp/worker-.*--worker=true|--worker=true.*$tmp/worker-"
  killing killed-manager "taskmanager.resource-id=tm1"
}

go build -trimpath -tags disable_grpc_modules -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
boot boot.sh
"$program" parse --quiet "${input[@]}" --output "$tmp/local" >"$tmp/local.json"
echo "local: $SECONDS s with what is built"
for part in "$@"; do
  began=$SECONDS
  "run_$part"
  echo "$part: $((SECONDS - began)) s in all"
  bash "$flink" stop "$home"
done
