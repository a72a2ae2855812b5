# What the checks of engines share: .ci/flink.sh and .ci/spark.sh source it. They set
#   engine    flink or spark
#   program   treebeam
#   tmp       a folder for what is made on the way
#   home      the folder of the engine
pool= launcher= resting= # processes that are under way, if any
end_all() {
  [ -z "$pool$launcher" ] || kill $pool $launcher 2>/dev/null || true
  [ -z "$resting" ] || kill -9 $resting 2>/dev/null || true
  local copy # of the program: boot makes one for every worker and leaves it
  for copy in /tmp/bin[0-9]*/worker; do
    if cmp -s "$program" "$copy"; then rm -rf "${copy%/worker}"; fi
  done
  # Engines keep the program of every job, and Spark its own for every executor: a gigabyte a run.
  rm -rf "$home"/staged "$home"/work* /tmp/beam-artifact-staging
}

# prepare: some hundred ranges of our own pages, which nobody changes meanwhile, what the local
# runner makes of them, and a starter of workers.
prepare() {
  mkdir "$tmp/input"
  cp -r sample/text docs/*.md "$tmp/input"
  input=(--input "$tmp/input" --range-bytes 2500 --fast)
  go build -trimpath -tags disable_grpc_modules -o "$tmp/boot" github.com/apache/beam/sdks/v2/go/container
  boot boot.sh
  "$program" parse --quiet --json "${input[@]}" --output "$tmp/local" >"$tmp/local.json"
  echo "local: $SECONDS s with what is built"
}

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

# launch NAME FLAG...: runs the command of the output NAME. On a busy machine an engine takes
# over a minute to replace what was killed.
launch() {
  local name=$1
  shift
  timeout 240 "$program" parse --quiet --json "${input[@]}" --output "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/$name.log"
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
# until a few parts are there. $job is its id, $shown its beginning, which is its name in Flink.
begin() {
  local name=$1 before
  before=$(parts "$name")
  shift
  # Without env, what a script starts in the background ignores ctrl-C.
  env --default-signal=INT "$program" parse --quiet --json "${input[@]}" --output "$tmp/$name" "$@" >"$tmp/$name.json" 2>"$tmp/$name.log" &
  launcher=$!
  some_or_gone() { at_least "$name" $((before + 3)) || gone $launcher; }
  eventually "$name" 100 "no parts" some_or_gone
  job=$(sed -n "s/^job \([^ ]*\) (treebeam-[0-9a-f]*) on $engine at .*/\1/p" "$tmp/$name.log")
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

# cancelled NAME COMMAND WORDS FLAG...: a job that the command cancels is a failed
# run, of which the launcher says the words, and which the same command continues.
cancelled() {
  local name=$1 cancel=$2 words=$3 began=$SECONDS
  shift 3
  begin "$name" "$@"
  "$cancel" "$name"
  ends "$name" 1
  says "$name" "job $job"
  says "$name" "$words"
  says "$name" "run the same command again to continue"
  unfinished "$name"
  list_parts "$name" before
  parse "$name" "$@"
  kept "$name"
  echo "$name: $((SECONDS - began)) s in all"
}

# killing NAME PATTERN FLAG...: runs the job, kills what matches the pattern when a few
# ranges are done, and runs it again if that has ended it.
killing() {
  local name=$1 pattern=$2 job status=0 victim
  shift 2
  launch "$name" "$@" &
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

# workers: the processes of this check's workers, which boot has started.
workers() { pgrep -f "worker=true.*$tmp/worker-|$tmp/worker-.*--worker=true"; }
no_workers() { ! workers >/dev/null; }

# all_ended: no worker outlives its engine.
all_ended() {
  : >"$tmp/workers.log"
  eventually workers 30 "these go on without their engine: $(workers | tr '\n' ' ')" no_workers
  echo "no worker is left"
}
