package treebeam

import (
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Sentence is a sentence with its tree. Its root is the word whose Head is 0;
// there is exactly one.
type Sentence struct {
	Text       string // on one line: a line break becomes a space
	Start, End int    // place in the text given to Parse: bytes, half open
	Paragraph  bool   // whether the sentence begins a paragraph
	Words      []Word // at least one
	Multiword  []MultiwordToken

	// Status is "ok"; "repaired" if invalid bytes became U+FFFD; "long" if the
	// sentence was cut or parsed in windows; "budget" if the search was cut
	// short.
	Status string

	TreeMargin float32 // score minus the score of the second-best final tree of the search, in [0, 64]; 0 if there was none
	TreeConf   float32 // calibrated probability that all heads and deprels are right, or -1 (see Word)

	// Certificate says why no other tree over the candidate heads scores higher: "all"
	// (every tree was scored) or "bound" (an upper bound proves it). It is "" if that
	// is unknown. The tree with the highest score may still be wrong.
	Certificate string

	// Language is the code of the language as which the sentence was parsed.
	// LanguageConf is its probability, or -1 if it was not found in the text.
	Language     string
	LanguageConf float32
	note         string // comment with the language
}

// A Word is a syntactic word. Absent values are "".
type Word struct {
	Form  string
	Lemma string
	UPOS  string
	XPOS  string
	Feats string // "Case=Nom|Number=Sing"
	Misc  string // "SpaceAfter=No" and the like, if no single space follows the word

	Head   int // 0 for the root, otherwise Words[Head-1] is the head
	Deprel string

	// Start and End are bytes of the text given to Parse, StartChar and EndChar
	// code points of the sentence's Text, all half open. The words of a multiword
	// token share its place.
	Start, End         int
	StartChar, EndChar int

	// The confidence in Head, Deprel and UPOS; see docs/parquet.md. HeadConf,
	// DeprelConf and UPOSConf are probabilities, calibrated on the model's dev
	// treebank, or -1 if the model has no calibrator. The others are raw signals.
	HeadConf       float32 // probability that Head is right
	DeprelConf     float32 // probability that Head and Deprel are right
	UPOSConf       float32 // probability that UPOS is right
	HeadMarginal   float32 // probability of Head in the model
	HeadMargin     float32 // score minus the score of the best tree with another head, in [0, 64]; 64 if there is none
	DeprelMarginal float32 // probability of Deprel, given the tree
}

// A MultiwordToken is a token of the text, such as "don't", that consists of
// several words: Words[First-1:Last].
type MultiwordToken struct {
	Form        string
	First, Last int
	Misc        string // as in Word
}

// AppendCoNLLU appends the sentences of one call of Parse as CoNLL-U to dst and returns
// the extended buffer. The bytes are those that the command writes for a file with the
// given document id, without the comments generator and model at the head of the file.
// The ids of sentences are made from the document id.
func AppendCoNLLU(dst []byte, docID string, sentences []Sentence) []byte {
	for i := range sentences {
		s := &sentences[i]
		newDoc := ""
		if i == 0 {
			newDoc = docID
		}
		r := syntax.Sentence{
			Comments: conllu.TextComments(newDoc, s.Paragraph, docID+"@"+strconv.Itoa(s.Start), s.Text),
			Words:    make([]syntax.Word, len(s.Words)),
		}
		if s.note != "" {
			r.Comments = slices.Insert(r.Comments, len(r.Comments)-2, s.note)
		}
		for j := range s.Words {
			w := &s.Words[j]
			r.Words[j] = syntax.Word{Form: w.Form, Lemma: w.Lemma, UPOS: w.UPOS, XPOS: w.XPOS, Feats: w.Feats,
				Head: int32(w.Head), Deprel: w.Deprel, Misc: w.Misc}
		}
		for _, t := range s.Multiword {
			r.MWTs = append(r.MWTs, syntax.MultiwordToken{First: int32(t.First), Last: int32(t.Last), Form: t.Form, Misc: t.Misc})
		}
		dst = conllu.Append(dst, &r)
	}
	return dst
}

// newSentence is a parsed sentence as the caller sees it.
func (m *Model) newSentence(s *syntax.Sentence, bounds []int, paragraph bool) Sentence {
	c := &s.Confidence
	out := Sentence{
		Text: s.Text, Start: int(s.StartByte), End: int(s.EndByte), Paragraph: paragraph, Status: s.Status.String(),
		Words: make([]Word, len(s.Words)), TreeMargin: c.TreeMargin, TreeConf: -1, Certificate: c.Certificate.String(),
		Language: s.Language, LanguageConf: -1, note: m.languages.Note(s.Language),
	}
	if s.LanguageConf > 0 {
		out.LanguageConf = s.LanguageConf
	}
	if c.HasTreeConf {
		out.TreeConf = c.TreeConf
	}
	for i := range s.Words {
		w := &s.Words[i]
		out.Words[i] = Word{
			Form: w.Form, Lemma: w.Lemma, UPOS: w.UPOS, XPOS: w.XPOS, Feats: w.Feats, Misc: w.Misc,
			Head: int(w.Head), Deprel: w.Deprel,
			Start: bounds[w.StartChar], End: bounds[w.EndChar], StartChar: int(w.StartChar), EndChar: int(w.EndChar),
			HeadConf: signal(c.HeadConf, i), DeprelConf: signal(c.DeprelConf, i), UPOSConf: signal(c.UPOSConf, i),
			HeadMarginal: signal(c.HeadMarginal, i), HeadMargin: signal(c.HeadMargin, i), DeprelMarginal: signal(c.LabelProb, i),
		}
	}
	for _, t := range s.MWTs {
		out.Multiword = append(out.Multiword, MultiwordToken{Form: t.Form, First: int(t.First), Last: int(t.Last), Misc: t.Misc})
	}
	return out
}

// signal is list[i], or -1 if the sentence has none.
func signal(list []float32, i int) float32 {
	if i < len(list) {
		return list[i]
	}
	return -1
}

// boundsOf returns the bytes of the source at which the code points of a sentence's
// text begin, and the end of the last one. The sentence was found in b and is not placed
// yet.
func boundsOf(b *text.Block, s *syntax.Sentence) []int {
	list := text.Bounds(make([]int, 0, len(s.Text)+1), b.Text[s.StartByte:s.EndByte])
	for i := range list {
		list[i] = int(b.Offset(int(s.StartByte) + list[i]))
	}
	return list
}
