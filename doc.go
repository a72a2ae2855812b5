// Package treebeam parses text from Go: Open a model, and its Parse gives the
// sentences of a text with words, tags, lemmas, dependency trees and how sure
// they are, the same that the command gives. It works in memory, without Beam,
// files or temporary files.
//
// It is also the root of the command, which brings a corpus into Parquet. The
// way of the data:
//
//	io/source    what the inputs are, and the plan that cuts them into ranges
//	io/text      raw text: encodings, blocks
//	io/conllu    CoNLL-U and CoNLL-X, byte for byte
//	io/parquet   the rows of the output
//	parser/...   segment, tag, prune, decode, label: the algorithm, without files, Beam or clock
//	parser/train a model of a treebank; parser/eval measures one
//	model        the model file, loaded once per process, and the embedded English ones
//	transforms   the stages as Beam DoFns
//	pipeline     the product in one function, Build; what a run is asked for
//	cmd/treebeam the command line
//
// docs/design.md says why it is so; layout_test.go holds the imports to it.
package treebeam
