#!/bin/sh
# Compares `treebeam eval` with udeval of udtools 0.2.9, to the last digit.
#
#   .ci/scorer.sh VENV TREEBEAM [GOLD.conllu...]
#
# VENV is a Python virtual environment, into which udtools is installed, and
# TREEBEAM the program. Without gold files the hand-made ones of the tests are
# used. Each is perturbed in many ways and both scorers see the same pairs.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: $0 VENV TREEBEAM [GOLD.conllu...]" >&2
    exit 64
fi
here=$(dirname "$0")
python=$1/bin/python
treebeam=$2
shift 2
if [ $# -eq 0 ]; then
    set -- "$here/../parser/eval/testdata/gold.conllu" "$here/../io/conllu/testdata/text.conllu"
fi
"$python" -m pip install --quiet --disable-pip-version-check udtools==0.2.9
exec "$python" "$here/scorer.py" "$treebeam" "$@"
