package syntax

// A Judgement says what is right in a parsed sentence, by gold trees of the
// same text. Lists are by word minus 1 of the parsed sentence. A word that gold
// does not have is wrong in all of them.
type Judgement struct {
	UPOS   []bool // the tag is
	Head   []bool // the head is that of the gold word, as in UAS
	LAS    []bool // so are head and deprel without its subtype
	Deprel []bool // so are head and deprel with it
	Tree   bool   // all words, heads and deprels are those of a gold sentence

	Sentence int // index of the gold sentence that the first character is of
}
