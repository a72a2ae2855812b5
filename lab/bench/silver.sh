#!/usr/bin/env bash
# Uptraining: an accurate model parses raw text, and a fast one learns from
# that beside the treebank (docs/training.md, "Silver text").
#
#   lab/bench/silver.sh TREEBANK ACCURATE.tbm FAST.tbm     such as tr_imst; prints their rows on test
#   CORPUS="F..."  files of raw text, a paragraph a line (../shared/corpora/LANGUAGE/*.txt)
#   WORDS=N        parse about so many words, every so-manieth line of all files (300000)
#   WEIGHT=W       --silver-weight (the program's)
#   SEED=N         of the fast model (1)
#   REUSE=dir      phases that trainings share
#   TREEBEAM=p     a program that is built already
#
# FAST.silver.conllu is used again if it is there. The treebanks are those of
# ../shared/treebanks.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# = 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
bank=$1 accurate=$2 fast=$3
read -r -a corpus <<<"${CORPUS:-$(echo ../shared/corpora/${bank%%_*}/*.txt)}"
gold=../shared/treebanks/$bank/$bank-ud
silver=${fast%.tbm}.silver.conllu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
treebeam=${TREEBEAM:-$dir/treebeam}
[ -n "${TREEBEAM:-}" ] || go build -trimpath -tags disable_grpc_modules -o "$treebeam" ./cmd/treebeam

if [ ! -f "$silver" ]; then
  total=$(cat "${corpus[@]}" | wc -w)
  keep=$((total / ${WORDS:-300000} + 1))
  for f in "${corpus[@]}"; do awk -v keep="$keep" 'NR % keep == 0' "$f" >"$dir/$(basename "$f")"; done
  begun=$SECONDS
  "$treebeam" parse "$dir"/*.txt --model "$accurate" --to conllu --conf --output "$silver"
  echo "# $silver: every ${keep}th line of $total words, parsed in $((SECONDS - begun)) s"
fi
options=(--seed "${SEED:-1}" --tag-seed 1)
[ "$bank" != en_ewt ] || options+=(--weights 1050000) # as in the embedded model
[ -z "${WEIGHT:-}" ] || options+=(--silver-weight "$WEIGHT")
[ -z "${REUSE:-}" ] || options+=(--reuse "$REUSE")
begun=$SECONDS
"$treebeam" train --train "$gold-train.conllu" --dev "$gold-dev.conllu" --silver "$silver" --model "$fast" "${options[@]}" --resume
echo "# $fast trained in $((SECONDS - begun)) s"
for model in "$accurate" "$fast"; do
  for setting in "" --gold-tokens; do
    "$treebeam" eval --gold "$gold-test.conllu" --model "$model" $setting --row "$bank $(basename "$model" .tbm) ${setting:---raw}"
  done
done
