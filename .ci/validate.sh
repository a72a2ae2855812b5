#!/bin/sh
# Holds the CoNLL-U that the program writes against udvalidate of udtools,
# level 2: for texts of ours, and for one with all that is odd.
#
#   .ci/validate.sh VENV TREEBEAM FOLDER
#
# VENV is a Python virtual environment that has udtools, TREEBEAM the program,
# FOLDER an empty one for what is written.
set -eu
here=$(dirname "$0")
validate=$1/bin/udvalidate
treebeam=$2
out=$3

# check NAME INPUT [TEST...]: what is written for INPUT, by all ways, is valid
# but for what the tests of these names find.
check() {
    name=$1
    input=$2
    shift 2
    "$treebeam" parse "$input" --to conllu >"$out/$name.conllu"
    "$treebeam" parse --quiet "$input" --output "$out/$name" >"$out/$name.log" 2>&1 || { cat "$out/$name.log"; return 1; }
    "$treebeam" convert "$out/$name" --to conllu >"$out/$name-converted.conllu"
    cmp "$out/$name.conllu" "$out/$name-converted.conllu"
    if [ -f "$input" ]; then
        "$treebeam" parse - --to conllu <"$input" >"$out/$name-streamed.conllu"
    fi
    "$treebeam" parse "$input" --to conllu --ranges --conf >"$out/$name-noted.conllu"
    for file in "$out/$name.conllu" "$out/$name"-*.conllu; do
        if ! "$validate" --level 2 --lang ud ${1:+--exclude "$@"} -- "$file" >"$out/report" 2>&1; then
            head -40 "$out/report"
            echo "$file is not valid" >&2
            return 1
        fi
    done
    echo "$name: $(grep -c '^# sent_id' "$out/$name.conllu") sentences are valid"
}

check sample "$here/../sample/text"
# The text is never altered: characters that are not normalized stay, and U+FFFD
# stands for invalid bytes. The validator dislikes both, and nothing else.
check nasty "$here/../cmd/treebeam/testdata/nasty.txt" unicode-normalization invalid-utf
if "$validate" --quiet --level 2 --lang ud "$out/nasty.conllu"; then
    echo "udvalidate finds nothing in a text that is not normalized: it does not work" >&2
    exit 1
fi
