package syntax

// Limits of a sentence. Readers refuse every sentence that exceeds one, with a failure
// for each. The parser relies on these limits. Sentences of treebanks are far below
// them.
const (
	// MaxWords is the largest number of words of a sentence.
	MaxWords = 65535
	// MaxMarginalWords is the largest number of words, in a sentence or window, for
	// which head marginals are marginals over trees. In longer ones, the probabilities
	// of the heads of each word are normalised separately.
	MaxMarginalWords = 512
	// MaxBytes is the largest size of a sentence in a file, with all its columns and
	// comments. A sentence of MaxWords words has room for 64 bytes a word.
	MaxBytes = 4 << 20
	// MaxColumn is the largest size of one column of a word, or of a comment, in bytes.
	MaxColumn = 1 << 20
	// MaxComments is the largest number of comment lines of a sentence.
	MaxComments = 10000
	// MaxEmpty is the largest number of empty nodes of a sentence.
	MaxEmpty = 10000
	// MaxItems is the largest number of items of one word's FEATS.
	MaxItems = 256
	// MaxFeats is the number of items of a word's FEATS that the parser reads, in
	// training and in parsing; it ignores further items. This bounds the features of a
	// pair of words, which combine every item of one word with every item of the other.
	MaxFeats = 16
)
