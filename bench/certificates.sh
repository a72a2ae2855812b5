#!/usr/bin/env bash
# Makes the tables of docs/results/certificates.md again: how many trees of the
# dev sets of four treebanks a proof shows to be the best ones, by steps and by
# length (two minutes of processor time). The first argument is the output folder.
#
#   bench/certificates.sh out                    models of 'bench/results.sh' (seed 1), the embedded one for English
#   MODELS=dir bench/certificates.sh out         models dir/tr_imst.tbm, dir/el_gdt.tbm, dir/fr_sequoia.tbm
#   SET=test BANKS=en_ewt bench/certificates.sh out
set -euo pipefail
cd "$(dirname "$0")/.."
banks=../shared/treebanks
[ -d "$banks" ] || { echo "no treebanks in $banks" >&2; exit 64; }
args=()
for bank in ${BANKS:-en_ewt tr_imst el_gdt fr_sequoia}; do
  model=${MODELS:+$MODELS/$bank.tbm}
  model=${model:-out/models/$bank-seed1.tbm}
  [ $bank = en_ewt ] && model=embedded
  args+=(-model "$model" -input "$banks/$bank/$bank-ud-${SET:-dev}.conllu")
done
go run -trimpath -tags disable_grpc_modules ./bench/optima -certify "${args[@]}" -sample 0 -workers 1 -output "${1:?name the output folder}"
