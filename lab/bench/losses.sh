#!/bin/sh
# Prints and draws which stages lose the points of dev (lab/notes/family.md), from raw
# text: the built-in English models, and with MODELS=DIR those of DIR/{tr,el,fr}-{fast,accurate}.tbm.
#
#	MODELS=models lab/bench/losses.sh [OUTPUT.svg]
set -eu
banks=${TREEBANKS:-../shared/treebanks}
out=${1:-lab/notes/losses.svg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -trimpath -tags disable_grpc_modules -o "$work/treebeam" ./cmd/treebeam
bars=
measure() { # name, model, treebank
	"$work/treebeam" eval --gold "$banks/$3/$3-ud-dev.conllu" --model "$2" --causes --json >"$work/$1.json"
	bars="$bars $1=$work/$1.json"
}
measure en-fast embedded en_ewt
measure en-accurate embedded-accurate en_ewt
if [ -n "${MODELS:-}" ]; then
	for pair in tr:tr_imst el:el_gdt fr:fr_sequoia; do
		for kind in fast accurate; do
			measure "${pair%%:*}-$kind" "$MODELS/${pair%%:*}-$kind.tbm" "${pair#*:}"
		done
	done
fi
go run -C lab -trimpath -tags disable_grpc_modules ./bench losses -o "$out" $bars
