#!/usr/bin/env bash
# A program of another module imports package transforms and parses a collection of its
# own, on prism. It sees nothing but this repository and the module cache.
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
cat >main.go <<'EOF'
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/treebeam/treebeam/transforms"
)

func init() { register.Function1x0(show) }

func show(t transforms.Tree) { fmt.Println(t.SentID, t.Tokens, t.Head, t.Meta) }

func main() {
	flag.Parse()
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	docs := beam.Create(s, transforms.NewDocument("d", "The cat sat.", transforms.KeyValue{Key: "by", Value: "me"}))
	trees, _ := transforms.ParseDocuments(s, docs, transforms.Options{})
	beam.ParDo0(s, show, beam.Reshuffle(s, trees))
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}
}
EOF
got=$(GOFLAGS="-mod=mod -trimpath -tags=disable_grpc_modules" GOPROXY=off go run . 2>err) || { cat err; exit 1; }
[ "$got" = "d@0 [The cat sat .] [2 3 0 3] [{by me}]" ] || { echo "got: $got"; exit 1; }
