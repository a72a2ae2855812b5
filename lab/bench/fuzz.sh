#!/usr/bin/env bash
# Fuzzes every target of the repository in turn, each with one worker, and
# keeps what it finds: inputs that fail in the package's testdata/fuzz, where
# every later test runs them again, and the corpus in Go's cache.
#
#   lab/bench/fuzz.sh [PATTERN]     targets whose package or name matches
#
# FUZZTIME is the time for each, 1m by default: FUZZTIME=10m lab/bench/fuzz.sh io/
set -uo pipefail
cd "$(dirname "$0")/../.."
pattern=${1:-.}
failed=()
while IFS=: read -r file target; do
  package=./$(dirname "$file")
  [[ "$package/$target" =~ $pattern ]] || continue
  echo "=== $package $target"
  nice -n 19 go test -tags disable_grpc_modules -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-1m}" -parallel 1 "$package" \
    || failed+=("$package $target")
done < <(git ls-files '*_test.go' | xargs grep -o '^func Fuzz[A-Za-z0-9]*' | sed 's/:func /:/' | sort)
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
