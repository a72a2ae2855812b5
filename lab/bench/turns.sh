#!/usr/bin/env bash
# Times two programs in turns on one core: the processor time of 'treebeam parse'
# on the same text, so that what a change costs is not lost in what else the
# machine does.
#
#   lab/bench/turns.sh OLD NEW [FLAG...]   such as out/before bin/treebeam; the flags are NEW's only
#   ROUNDS=9                           of each program
#   CORPUS=folder                      of text (../shared/corpora/state_union)
#   CORE=0                             where to run
#
# A row for each program: the median of its seconds, the least, the most, and
# tokens per second; then how much more NEW takes, by the medians and by the least.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
old=$1 new=$2
shift 2
corpus=${CORPUS:-../shared/corpora/state_union}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
pin() { if command -v taskset >/dev/null; then taskset -c "${CORE:-0}" "$@"; else "$@"; fi; }

# once NAME PROGRAM FLAG...: adds the seconds of one run to the file NAME.
once() {
  local name=$1 program=$2
  shift 2
  rm -rf "$dir/out"
  TIMEFORMAT='%U %S'
  { time GOMAXPROCS=1 pin "$program" parse "$@" --input "$corpus" --output "$dir/out" --quiet >"$dir/log" 2>&1; } 2>"$dir/time" ||
    { tail -n 20 "$dir/log" >&2; exit 1; }
  awk '{ print $1 + $2 }' "$dir/time" >>"$dir/$name"
}

for _ in $(seq "${ROUNDS:-9}"); do
  once old "$old"
  once new "$new" "$@"
done
words=$(grep -o '"words": *[0-9]*' "$dir/out/summary.json" | head -n 1 | grep -o '[0-9]*$')
for name in old new; do
  sort -n "$dir/$name" | awk -v name=$name -v words="$words" '
    { s[NR] = $1 }
    END { m = s[int((NR + 1) / 2)]; printf "%s: median %.2f s, least %.2f, most %.2f: %.0f tokens/s\n", name, m, s[1], s[NR], words / m; print m, s[1] > "/dev/stderr" }' 2>"$dir/$name.sum"
done
paste -d ' ' "$dir/old.sum" "$dir/new.sum" | awk '{ printf "new takes %+.1f %% by the medians, %+.1f %% by the least\n", 100 * ($3 / $1 - 1), 100 * ($4 / $2 - 1) }'
