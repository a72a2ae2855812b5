#!/usr/bin/env bash
# Trains the models and prints every accuracy figure of docs/results.md, one
# line a row: the CoNLL-18 F1 of test, with the figure to reach.
#
#   lab/bench/results.sh                 all treebanks
#   lab/bench/results.sh tr_imst el_gdt  these only
#   SEEDS="1 2 3" lab/bench/results.sh   tr, el and fr with three seeds (en with the first);
#                                    segmenter, tagger and jackknifed tags are those of the first
#   OUT=dir lab/bench/results.sh         keep the models in dir (default out/models)
#   ENCODER=e5-small.whl LAYERS="8 12" lab/bench/results.sh
#                                    also the models with that many layers of a pretrained encoder
#
# A model that is there is used again; remove it to train it anew. The
# treebanks are those of ../shared/treebanks.
set -euo pipefail
cd "$(dirname "$0")/../.."
banks=../shared/treebanks
out=${OUT:-out/models}
read -r -a seeds <<<"${SEEDS:-1}"
[ -d "$banks" ] || { echo "no treebanks in $banks" >&2; exit 64; }
mkdir -p "$out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -trimpath -tags disable_grpc_modules -o "$dir/treebeam" ./cmd/treebeam
treebeam() { "$dir/treebeam" "$@"; }

list=("$@")
[ $# -gt 0 ] || list=(en_ewt tr_imst el_gdt fr_sequoia)

gold() { echo "$banks/$1/$1-ud-$2.conllu"; }

# trained TREEBANK SEED [FLAG]: trains a model unless it is there; sets model.
trained() {
  local kind=${3:-}
  model=$out/$1${kind#-}-seed$2.tbm
  [ -f "$model" ] && return
  local begun=$SECONDS
  local weights=()
  [ "$1" = en_ewt ] && [ -z "$kind" ] && weights=(--weights 1050000) # as in the embedded model
  treebeam train --train "$(gold "$1" train)" --dev "$(gold "$1" dev)" --model "$model" \
    --seed "$2" --tag-seed "${seeds[0]}" "${weights[@]}" ${3:+"$3"} --reuse "$out/phases-$1" --resume 2>"$model.log" >/dev/null || { tail -n 5 "$model.log" >&2; exit 1; }
  echo "# $model trained in $((SECONDS - begun)) s"
}

# accurate TREEBANK SEED LAYERS: tunes an encoder onto the default model unless
# that was done; sets model.
accurate() {
  local from=$out/$1-seed$2.tbm
  model=$out/$1-accurate$3-seed$2.tbm
  [ -f "$model" ] && return
  local begun=$SECONDS
  treebeam train --only encoder --from "$from" --encoder "$ENCODER" --layers "$3" --train "$(gold "$1" train)" --dev "$(gold "$1" dev)" \
    --model "$model" --seed "$2" --reuse "$out/phases-$1" --resume 2>"$model.log" >/dev/null || { tail -n 5 "$model.log" >&2; exit 1; }
  echo "# $model trained in $((SECONDS - begun)) s"
}

# row TREEBANK NAME WANT EVALFLAG...: one line of figures of the model.
row() {
  local bank=$1 name=$2 want=$3
  shift 3
  treebeam eval --gold "$(gold "$bank" test)" --model "$model" --row "$bank test, $name" "$@" | sed "s|\$|${want:+  want $want}|"
}

for bank in "${list[@]}"; do
  echo "# $bank: gold sha256 $(sha256sum "$(gold "$bank" test)" | cut -c1-64)"
  case $bank in
  en_ewt) raw="LAS 80.5" tokens="LAS 82.6 UPOS 95.0" tags="LAS 87.0"
    accurateraw="LAS 87.5" accuratetokens="LAS 89.5 UPOS 97.0" ;;
  tr_imst) raw="LAS 61.5" tokens="LAS 63.0 UPOS 93.4" tags="LAS 69.5; no-punct UAS 75.3 LAS 68.0"
    accurateraw="LAS 67.0" accuratetokens="LAS 70.7 UPOS 94.7" ;;
  el_gdt) raw="LAS 84.2" tokens="LAS 85.2 UPOS 96.6" tags="LAS 88.5"
    accurateraw="LAS 89.7" accuratetokens="LAS 90.5 UPOS 98.0" ;;
  fr_sequoia) raw="LAS 83.6" tokens="LAS 85.6 UPOS 97.4" tags="LAS 88.7"
    accurateraw="LAS 90.3" accuratetokens="LAS 91.7 UPOS 98.7" ;;
  *) raw="" tokens="" tags="" accurateraw="" accuratetokens="" ;;
  esac
  use=("${seeds[@]}")
  [ "$bank" = en_ewt ] && use=("${seeds[0]}")
  for seed in "${use[@]}"; do
    trained "$bank" "$seed"
    row "$bank" "raw, seed $seed" "$raw"
    row "$bank" "gold tokens, seed $seed" "$tokens" --gold-tokens
    row "$bank" "gold tags, default model, seed $seed" "" --gold-tags
    trained "$bank" "$seed" --gold-tags
    row "$bank" "gold tags, gold-tags model, seed $seed" "$tags" --gold-tags
    row "$bank" "gold tokens, gold-tags model, seed $seed" "" --gold-tokens
    for layers in ${ENCODER:+${LAYERS:-12}}; do
      accurate "$bank" "$seed" "$layers"
      row "$bank" "raw, $layers layers, seed $seed" "$accurateraw"
      row "$bank" "gold tokens, $layers layers, seed $seed" "$accuratetokens" --gold-tokens
    done
  done
done
