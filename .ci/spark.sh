#!/usr/bin/env bash
# The same job on Spark as on the local runner: the same bytes, also after an executor was
# killed, and after the job was cancelled and continued.
#
#   .ci/spark.sh SPARK PROGRAM FOLDER [embedded|cluster]...
#
# SPARK starts a Spark with Beam's job server (../shared/spark/spark), PROGRAM is treebeam,
# built for this machine, FOLDER is for what is made on the way. Spark's programs are kept
# under the user's cache folder.
set -euo pipefail
spark=$1 program=$(realpath "$2") tmp=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- embedded cluster
home=${XDG_CACHE_HOME:-$HOME/.cache}/treebeam-spark
mkdir -p "$home"
engine=spark
source .ci/engine.sh
trap 'bash "$spark" stop "$home" || true; end_all' EXIT
on_spark=(--runner=spark --endpoint=localhost:8098)

# start ARGUMENT...: starts Spark. On a busy machine, Java may at first be too slow for it.
start() { bash "$spark" "$@" || bash "$spark" "$@"; }

run_embedded() {
  start embedded "$home"
  parse loopback "${on_spark[@]}" --environment_type=LOOPBACK
}

# kill_link NAME: ends the application of a job in the way that the launcher names.
kill_link() {
  local app
  app=$(curl -fsS localhost:8181/json/ | grep -o 'app-[0-9]*-[0-9]*' | head -1) # active ones come first
  [ -n "$app" ] || fail "$1" "Spark's master has no application"
  curl -fsS -X POST "localhost:8181/app/kill/" --data "id=$app&terminate=true" >/dev/null
}

run_cluster() {
  start cluster "$home" 2
  local by_boot=("${on_spark[@]}" $(process boot.sh))
  killing killed-executor "CoarseGrainedExecutorBackend.*--executor-id 0" "${by_boot[@]}"
  cancelled cancelled kill_link "Master removed our application: KILLED" "${by_boot[@]}"
}

prepare
for part in "$@"; do
  began=$SECONDS
  "run_$part"
  echo "$part: $((SECONDS - began)) s in all"
  bash "$spark" stop "$home"
  all_ended
done
