package syntax

// Limits of a sentence. Readers refuse sentences that exceed them, with one
// failure for each, and the parser relies on them. Sentences of treebanks are
// far below all limits.
const (
	// MaxWords is the most words of a sentence.
	MaxWords = 65535
	// MaxMarginalWords is the most words, of a sentence or a window of one, for
	// which head marginals are marginals of trees. Above it, the heads of every
	// word are normalised word by word.
	MaxMarginalWords = 512
	// MaxBytes is the most bytes of a sentence as it stands in a file, with all
	// its columns and comments. One of all words has room for 64 bytes a word.
	MaxBytes = 4 << 20
	// MaxColumn is the most bytes of one column of a word, and of a comment.
	MaxColumn = 1 << 20
	// MaxComments is the most comment lines of a sentence.
	MaxComments = 10000
	// MaxEmpty is the most empty nodes of a sentence.
	MaxEmpty = 10000
	// MaxItems is the most items of one word's FEATS.
	MaxItems = 256
	// MaxFeats is how many items of a word's FEATS the parser looks at, the
	// first ones, in training as in parsing: features of a pair of words are
	// made of every item of the one with every item of the other.
	MaxFeats = 16
)
