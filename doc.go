// Package treebeam is the root of a dependency parser for raw text in any
// language of Universal Dependencies, and of the pipeline that brings a
// corpus through it into Parquet. It holds no code. The way of the data:
//
//	io/source    what the inputs are, and the plan that cuts them into ranges
//	io/text      raw text: encodings, blocks
//	io/conllu    CoNLL-U and CoNLL-X, byte for byte
//	io/parquet   the rows of the output
//	parser/...   segment, tag, prune, decode, label: the algorithm, without files, Beam or clock
//	parser/train a model of a treebank; parser/eval measures one
//	model        the model file, loaded once per process, and the embedded English
//	transforms   the stages as Beam DoFns
//	pipeline     the product in one function, Build; what a run is asked for
//	cmd/treebeam the command line
//
// To parse a sentence from Go, without Beam: model.Open gives a Model, whose
// Segment, Tag, Prune and Parse do the rest.
//
// docs/design.md says why it is so; layout_test.go holds the imports to it.
package treebeam
