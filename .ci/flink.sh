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
engine=flink
source .ci/engine.sh
trap 'bash "$flink" stop "$home" || true; end_all' EXIT
on_flink=(--runner=flink --endpoint=localhost:8099 --parallelism=2)

run_embedded() {
  bash "$flink" embedded "$home"
  parse loopback "${on_flink[@]}" --environment_type=LOOPBACK --runner-option max_bundle_size=500
  if launch unknown "${on_flink[@]}" --environment_type=LOOPBACK --runner-option no_such_option=1; then fail unknown "it was not refused"; fi
  says unknown "the runner has no option no_such_option"
  "$program" worker-pool --port 50123 2>"$tmp/pool.log" &
  pool=$!
  local of_pool=(--environment_type=EXTERNAL --environment_config=localhost:50123 --shared-filesystem)
  async "${on_flink[@]}" "${of_pool[@]}"
  # This Flink lives as long as the job, and says in the job server's log where it answers.
  cancelled cancelled embedded_cancel " was cancelled" "${on_flink[@]}" "${of_pool[@]}"
  kill "$pool"
  wait "$pool" || { echo "the worker pool ended with status $?" >&2; return 1; }
  pool=
  # Workers of another process know what the launcher was told.
  local changed=(--from text --encoding latin1 --lines paragraph --document line --max-words 20 --retag --keep-heads
    --text body --id key --strip-html --rule 'harbour.txt: lines=sentence encoding=utf-8' --restarts 2 --exact -1 --budget 50 --seed 7 --projective)
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

# number PORT: of the job $shown in the Flink whose REST service is there.
number() { curl -fsS "localhost:$1/jobs/overview" | tr '{' '\n' | sed -n "s/.*\"jid\":\"\([0-9a-f]*\)\",\"name\":\"$shown\".*/\1/p"; }

embedded_cancel() {
  local port
  port=$(sed -n 's/.*Rest endpoint listening at localhost:\([0-9]*\)$/\1/p' "$home/jobserver.log" | tail -1)
  curl -fsS -X PATCH "localhost:$port/jobs/$(number "$port")?mode=cancel" >/dev/null
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
  resting=$(workers) || fail "$name" "there are no workers"
  kill -STOP $resting
  flink_cli list >"$tmp/$name.list" 2>&1 || { cat "$tmp/$name.list" >&2; fail "$name" "flink list failed"; }
  id=$(sed -n "s/.* : \([0-9a-f]*\) : $shown (RUNNING)$/\1/p" "$tmp/$name.list")
  [ -n "$id" ] || { cat "$tmp/$name.list" >&2; fail "$name" "flink list does not name the job"; }
  flink_cli cancel "$id" >"$tmp/$name.list" 2>&1 || { cat "$tmp/$name.list" >&2; fail "$name" "flink cancel failed"; }
  kill -CONT $resting # Flink waits for what they have begun
  resting=
  eventually "$name" 60 "the job is not cancelled" state_is CANCELED
  unfinished "$name"
  list_parts "$name" before
  parse "$name" "$@"
  kept "$name"
  echo "$name: $((SECONDS - began)) s in all"
}

run_cluster() {
  bash "$flink" cluster "$home" 2
  left left "${on_flink[@]}" $(process boot.sh)
  killing killed-worker "$tmp/worker-.*--worker=true|--worker=true.*$tmp/worker-" "${on_flink[@]}" $(process boot.sh)
  killing killed-manager "taskmanager.resource-id=tm1" "${on_flink[@]}" $(process boot.sh)
}

prepare
for part in "$@"; do
  began=$SECONDS
  "run_$part"
  echo "$part: $((SECONDS - began)) s in all"
  bash "$flink" stop "$home"
  all_ended
done
