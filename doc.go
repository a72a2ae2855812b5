// Package treebeam parses text from Go. Open a model; its method Parse returns the
// sentences of a text with words, tags, lemmas, dependency trees and confidence,
// exactly as the command does. It works in memory, without Beam and without
// temporary files.
//
// The package is also the root of the command, which parses a corpus into Parquet.
// The packages, in the order in which data pass through them:
//
//	io/source    what the inputs are, and the plan that splits them into ranges
//	io/text      raw text: encodings, blocks
//	io/conllu    CoNLL-U and CoNLL-X, byte for byte
//	io/parquet   the rows of the output
//	parser/...   segment, tag, prune, decode, label: the algorithm, without files, Beam or clock
//	parser/train a model of a treebank; parser/eval measures one
//	model        the model file, loaded once per process, and the embedded English ones
//	transforms   the stages as Beam DoFns
//	pipeline     the product in one function, Build; the options of a run
//	pipeline/serve  trees over HTTP, without Beam
//	cmd/treebeam the command line
//
// docs/design.md explains why; layout_test.go checks the imports.
package treebeam
