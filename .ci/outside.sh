#!/usr/bin/env bash
# The program of docs/beam.md, in a module of its own, parses a collection and writes its
# trees, on prism. It sees nothing but this repository and the module cache.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
{
  echo "module example.org/outside"
  sed 1d "$repo/go.mod"
  echo "require github.com/treebeam/treebeam v0.0.0"
  echo "replace github.com/treebeam/treebeam => $repo"
} >go.mod
cp "$repo/go.sum" .
sed -n '/^```go$/,/^```$/{/^```/!p}' "$repo/docs/beam.md" >main.go
got=$(GOFLAGS="-mod=mod -trimpath -tags=disable_grpc_modules" GOPROXY=off go run . 2>err) || { cat err; exit 1; }
[ "$got" = "d@0 [The cat sat .] [2 3 0 3] [{by me}]" ] || { echo "got: $got"; exit 1; }
ls trees/*.parquet
