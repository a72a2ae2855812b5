#!/usr/bin/env bash
# Makes the tables and plots of docs/confidence.md again: what the columns of
# confidence are worth on the test sets of four treebanks, with the fast and the
# accurate model of each. 15 minutes of processor time.
#
#   MODELS=dir lab/bench/confidence.sh            models dir/tr_imst-fast.tbm, dir/tr_imst-accurate.tbm and so on,
#                                             the embedded ones for English
#   PART=dev MODELS=dir lab/bench/confidence.sh   another part of the treebanks: what to look at while changing things
#   OUT=dir                                   write there, not to lab/notes
#   MODELS=dir lab/bench/confidence.sh raw few    print some of the tables only: tokens, raw, tags, genres,
#                                             languages, changed, few, searches
#
# The treebanks are those of ../shared/treebanks. OUT/confidence.md holds all tables.
set -euo pipefail
cd "$(dirname "$0")/../.."
banks=../shared/treebanks
part=${PART:-test}
out=${OUT:-lab/notes}
[ -d "$banks" ] && [ -n "${MODELS:-}" ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$out"
go build -C lab -trimpath -tags disable_grpc_modules -o "$dir/bench" ./bench
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
# spread N FILE: N sentences, evenly spread.
spread() {
  awk -v n="$1" 'BEGIN { RS = ""; ORS = "\n\n" } { s[NR] = $0 } END { for (i = 0; i < n; i++) print s[int((2 * i + 1) * NR / (2 * n)) + 1] }' "$2"
}
# calibrated NAME MODEL FILE FLAG...: a model with another calibrator.
calibrated() { "$dir/treebeam" calibrate --model "$2" --dev "$3" --output "$dir/$1.tbm" "${@:4}" >/dev/null 2>&1; }

table_tokens() {
  section "Gold tokens"
  "$dir/bench" confidence -output "$out/confidence" "${pairs[@]}"
}

table_raw() {
  section "Raw text"
  "$dir/bench" confidence -output "$out/confidence-raw" -setting raw "${pairs[@]}"
}

table_tags() {
  section "Given tags"
  "$dir/bench" confidence -output "$dir/tags" -setting gold-tags "${pairs[@]}"
}

table_genres() {
  section "Genres of English: calibrators of all five, of the other four, and of those adapted"
  # all: as embedded. others: fitted to the other four genres of dev alone.
  # adapted: the same, adapted to 200 sentences of this genre of dev.
  genrepairs=()
  for g in "${genres[@]}"; do
    for other in "${genres[@]}"; do [ "$other" = "$g" ] || cat "$dir/dev-$other.conllu"; done >"$dir/not-$g.conllu"
    spread 200 "$dir/dev-$g.conllu" >"$dir/own-$g.conllu"
    calibrated "others-$g" embedded "$dir/not-$g.conllu" --anew
    calibrated "adapted-$g" "$dir/others-$g.tbm" "$dir/own-$g.conllu"
    here=$dir/$part-$g.conllu
    genrepairs+=("$g/all=embedded:$here" "$g/others=$dir/others-$g.tbm:$here" "$g/adapted=$dir/adapted-$g.tbm:$here" "$g/accurate=embedded-accurate:$here")
  done
  "$dir/bench" confidence -output "$dir/genres" "${genrepairs[@]}"
}

table_languages() {
  section "Another language: the English models on French and Turkish"
  spread 200 "$(gold fr_sequoia dev)" >"$dir/french.conllu"
  calibrated french embedded "$dir/french.conllu"
  "$dir/bench" confidence -output "$dir/languages" "fr_sequoia/adapted=$dir/french.tbm:$(gold fr_sequoia)" \
    "fr_sequoia/fast=embedded:$(gold fr_sequoia)" "fr_sequoia/accurate=embedded-accurate:$(gold fr_sequoia)" \
    "tr_imst/fast=embedded:$(gold tr_imst)" "tr_imst/accurate=embedded-accurate:$(gold tr_imst)"
}

table_changed() {
  section "Changed text: true and expected figures"
  for bank in en_ewt tr_imst el_gdt fr_sequoia; do
    for name in fast accurate; do
      printf '\n%s, %s\n\n' "$bank" "$name"
      "$dir/bench" shift -model "$(model $bank $name)" -gold "$(gold $bank)" | sed 's/^/    /'
    done
  done
}

table_few() {
  section "Calibrated with 200 sentences alone, five times with different ones"
  own=()
  for k in 1 2 3 4 5; do
    awk -v k=$k 'BEGIN { RS = ""; ORS = "\n\n" } NR % 10 == k' "$(gold en_ewt dev)" >"$dir/tenth-$k.conllu"
    calibrated "tenth-$k" embedded "$dir/tenth-$k.conllu" --anew
    own+=("en_ewt/tenth-$k=$dir/tenth-$k.tbm:$(gold en_ewt)")
  done
  "$dir/bench" confidence -output "$dir/own" "${own[@]}"
}

table_searches() {
  section "Other searches: en_ewt, fast, gold tokens"
  for flags in "" "--restarts 1" "--restarts 20" "--certify 50000" "--certify -1"; do
    printf '\n%s\n\n' "${flags:-default}"
    "$dir/treebeam" eval --gold "$(gold en_ewt)" --model embedded --gold-tokens $flags | sed -n '/^Expected/,$p' | sed 's/^/    /'
  done
}

all=(tokens raw tags genres languages changed few searches)
if [ $# -gt 0 ]; then
  for s in "$@"; do "table_$s"; done
  exit
fi
{
  cat <<END
# Confidence: all tables

Made by \`lab/bench/confidence.sh\` from the ${part} sets, in percent except AUC. \`go doc -C lab ./bench/confidence\`
explains the columns, [confidence.md](../confidence.md) how to read them.
END
  for s in "${all[@]}"; do "table_$s"; done
} | tee "$out/confidence.md"
