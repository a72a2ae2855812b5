#!/usr/bin/env bash
# Makes the tables and plots of docs/confidence.md again: what the columns of
# confidence are worth on the test sets of four treebanks, with the fast and the
# accurate model of each. 15 minutes of processor time.
#
#   MODELS=dir bench/confidence.sh            models dir/tr_imst-fast.tbm, dir/tr_imst-accurate.tbm and so on,
#                                             the embedded ones for English
#   PART=dev MODELS=dir bench/confidence.sh   another part of the treebanks: what to look at while changing things
#   OUT=dir                                   write there, not to docs/results
#
# The treebanks are those of ../shared/treebanks. OUT/confidence.md holds all
# tables; only what the documentation shows is kept in docs/results.
set -euo pipefail
cd "$(dirname "$0")/.."
banks=../shared/treebanks
part=${PART:-test}
out=${OUT:-docs/results}
[ -d "$banks" ] && [ -n "${MODELS:-}" ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$out"
go build -trimpath -tags disable_grpc_modules -o "$dir/confidence" ./bench/confidence
go build -trimpath -tags disable_grpc_modules -o "$dir/shift" ./bench/shift
go build -trimpath -tags disable_grpc_modules -o "$dir/treebeam" ./cmd/treebeam

gold() { echo "$banks/$1/$1-ud-${2:-$part}.conllu"; }
model() { # TREEBANK NAME
  case $1/$2 in
  en_ewt/fast) echo embedded ;;
  en_ewt/accurate) echo embedded-accurate ;;
  *) echo "$MODELS/$1-$2.tbm" ;;
  esac
}
section() { printf '\n## %s\n\n' "$1"; }

pairs=()
for name in fast accurate; do
  for bank in en_ewt tr_imst el_gdt fr_sequoia; do
    pairs+=("$bank/$name=$(model $bank $name):$(gold $bank)")
  done
done

# Of every genre of English the sentences, by the first word of their ids.
genres=(answers email newsgroup reviews weblog)
for p in "$part" dev; do
  for g in "${genres[@]}"; do
    awk -v g="$g" 'BEGIN { RS = ""; ORS = "\n\n" } $0 ~ "(^|\n)# sent_id = " g "-"' "$(gold en_ewt "$p")" >"$dir/$p-$g.conllu"
  done
done
# bygenre NAME MODEL: the pairs of a model with all genres.
bygenre() { for g in "${genres[@]}"; do echo "$g/$1=$2:$dir/$part-$g.conllu"; done; }

# tenth K FILE: every tenth sentence, from number K on.
tenth() { awk -v k="$1" 'BEGIN { RS = ""; ORS = "\n\n" } NR % 10 == k' "$2"; }
# calibrated NAME FILE: the fast English model with a calibrator of its own.
calibrated() { "$dir/treebeam" calibrate --model embedded --dev "$2" --output "$dir/$1.tbm" >&2; }

{
  section "Gold tokens"
  "$dir/confidence" -output "$out/confidence" "${pairs[@]}"
  section "Raw text"
  "$dir/confidence" -output "$out/confidence-raw" -setting raw "${pairs[@]}"
  section "Given tags"
  "$dir/confidence" -output "$dir/tags" -setting gold-tags "${pairs[@]}"
  section "Genres of English"
  calibrated from-reviews "$dir/dev-reviews.conllu"
  "$dir/confidence" -output "$dir/genres" $(bygenre fast embedded) $(bygenre accurate embedded-accurate) $(bygenre from-reviews "$dir/from-reviews.tbm")
  section "Another language: the English models on French and Turkish"
  "$dir/confidence" -output "$dir/languages" \
    "fr_sequoia/fast=embedded:$(gold fr_sequoia)" "fr_sequoia/accurate=embedded-accurate:$(gold fr_sequoia)" \
    "tr_imst/fast=embedded:$(gold tr_imst)" "tr_imst/accurate=embedded-accurate:$(gold tr_imst)"
  section "Changed text: what is true, what was expected"
  for bank in en_ewt tr_imst el_gdt fr_sequoia; do
    for name in fast accurate; do
      printf '\n%s, %s\n\n' "$bank" "$name"
      "$dir/shift" -model "$(model $bank $name)" -gold "$(gold $bank)" | sed 's/^/    /'
    done
  done
  section "Calibrated again with 200 sentences of English dev, five times with others"
  own=()
  for k in 1 2 3 4 5; do
    tenth $k "$(gold en_ewt dev)" >"$dir/own-$k.conllu"
    calibrated "own-$k" "$dir/own-$k.conllu"
    own+=("en_ewt/own-$k=$dir/own-$k.tbm:$(gold en_ewt)")
  done
  "$dir/confidence" -output "$dir/own" "${own[@]}"
} | tee "$out/confidence.md"
