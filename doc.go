// Package treebeam parses text from Go. Open returns a model; Model.Parse returns the
// sentences of a text with words, tags, lemmas, dependency trees and confidence, exactly
// as the command does. It works in memory, without Beam and without temporary files.
//
// The other packages of the module, in the order in which data pass through them:
//
//	io/source    finds the inputs and splits them into ranges
//	io/text      decodes raw text and cuts it into blocks
//	io/conllu    reads and writes CoNLL-U and CoNLL-X, byte for byte
//	io/parquet   the rows of the output
//	parser/...   segment, tag, prune, decode, label: the algorithm, without files, Beam or clock
//	parser/train trains a model on a treebank; parser/eval measures one
//	model        the model file, loaded once per process, and the built-in models
//	transforms   parsing in your own Beam pipeline; the stages of a run
//	pipeline     a run of treebeam parse: its options, its plan and its Beam pipeline
//	pipeline/serve  trees over HTTP, without Beam
//	cmd/treebeam the command line
//
// docs/design.md explains why; layout_test.go checks the imports.
package treebeam
