#!/usr/bin/env bash
# What a night costs beside a full run: a state of many small files, of which
# 1 % change.
#
#   lab/bench/nightly.sh               10,000 files, 30 MB, on one core: 15 minutes
#   FILES=1000 lab/bench/nightly.sh    fewer
#   BYTES=N                        about how large each is (3,000)
#   MODEL=m.tbm                    with another model than the embedded one
#   TREEBEAM=bin/treebeam          with a program that is built already
#
# The text is ../shared/corpora/state_union, again and again; CORPUS names
# another folder of text files. Nothing else should run on the machine; the
# processor time says what it would take if something does. All that is made is
# deleted afterwards.
set -euo pipefail
cd "$(dirname "$0")/../.."
corpus=${CORPUS:-../shared/corpora/state_union}
files=${FILES:-10000}
bytes=${BYTES:-3000}
[ -d "$corpus" ] || { echo "no text in $corpus: set CORPUS to a folder of text files" >&2; exit 64; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMAXPROCS=1

treebeam=${TREEBEAM:-}
if [ -z "$treebeam" ]; then
  treebeam=$dir/treebeam
  go build -trimpath -tags disable_grpc_modules -ldflags "-s -w" -o "$treebeam" ./cmd/treebeam
fi
model=()
[ -z "${MODEL:-}" ] || model=(--model "$MODEL")

# The corpus, cut at ends of lines into files of about $bytes, 100 a folder.
mkdir "$dir/in"
for ((round = 0, made = 0; made < files; round++)); do
  LC_ALL=C awk -v dir="$dir/in" -v bytes="$bytes" -v made="$made" -v files="$files" '
    function open_next() {
      if (made == files) exit
      folder = sprintf("%s/%04d", dir, made / 100)
      if (made % 100 == 0) system("mkdir -p " folder)
      name = sprintf("%s/%06d.txt", folder, made++)
      size = 0
    }
    name == "" || size >= bytes { if (name != "") close(name); open_next() }
    { print > name; size += length($0) + 1 }' "$corpus"/*.txt
  made=$(find "$dir/in" -type f | wc -l)
done
total=$(find "$dir/in" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
changed=$((files / 100))
echo "$files files, $total bytes; $changed of them change"

# night WHAT ARG...: runs a night and prints its times and what it found.
TIMEFORMAT='%R %U %S'
declare -A wall cpu
night() {
  local what=$1
  shift
  { time "$treebeam" --state "$dir/state" --input "$dir/in" --quiet "${model[@]}" "$@" >"$dir/out" 2>"$dir/err"; } 2>"$dir/time"
  read -r w u s <"$dir/time"
  wall[$what]=$w
  cpu[$what]=$(awk "BEGIN { print $u + $s }")
  printf '%-12s %8.2f s  %8.2f s of processor  %s\n' "$what" "$w" "${cpu[$what]}" "$(tail -1 "$dir/err" | cut -d';' -f1-2)"
}

night full
night unchanged
find "$dir/in" -type f | sort | awk -v n="$changed" -v files="$files" 'NR % int(files / n) == 0' | while read -r f; do
  echo "This sentence was added in the night." >>"$f"
done
night changed
find "$dir/in" -type f -exec touch {} +
night touched
awk -v full="${cpu[full]}" -v wfull="${wall[full]}" -v night="${cpu[changed]}" -v wnight="${wall[changed]}" 'BEGIN {
  printf "a night with 1 %% changed: %.2f %% of the time of the full run, %.2f %% of its processor time\n", 100 * wnight / wfull, 100 * night / full }'
du -sh "$dir/state" | cut -f1 | sed 's/$/ in the state/'
