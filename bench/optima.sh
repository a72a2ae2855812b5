#!/usr/bin/env bash
# Makes docs/results/optima.md and its plots again: local optima, starts and
# restarts of the search on the dev sets of four treebanks.
#
#   bench/optima.sh                    models of 'bench/results.sh' (seed 1), the embedded one for English
#   MODELS=dir bench/optima.sh         models dir/tr_imst.tbm, dir/el_gdt.tbm, dir/fr_sequoia.tbm
#   SAMPLE=30 bench/optima.sh          fewer sentences a treebank (default 90; about 6 minutes of processor time)
#
# The treebanks are those of ../shared/treebanks.
set -euo pipefail
cd "$(dirname "$0")/.."
banks=../shared/treebanks
[ -d "$banks" ] || { echo "no treebanks in $banks" >&2; exit 64; }
args=()
for bank in en_ewt tr_imst el_gdt fr_sequoia; do
  model=${MODELS:+$MODELS/$bank.tbm}
  model=${model:-out/models/$bank-seed1.tbm}
  [ $bank = en_ewt ] && model=embedded
  args+=(-model "$model" -input "$banks/$bank/$bank-ud-dev.conllu")
done
go run -trimpath -tags disable_grpc_modules ./bench/optima "${args[@]}" -sample "${SAMPLE:-90}" -output docs/results
