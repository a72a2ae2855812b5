package transforms

import (
	"strconv"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// noteRanges puts the place of every token into MISC, as TokenRange=start:end does for
// UDPipe: in code points of the document, half open. Words of a multiword token have
// none, the token has it. The sentences are those that b was cut into, before
// they are placed: StartByte is in b.Text.
func noteRanges(b *Block, sentences []syntax.Sentence) {
	if b.Char < 0 {
		return
	}
	char, at := b.Char, 0
	var bounds []int
	var places []int64 // in the document, of bounds
	for i := range sentences {
		s := &sentences[i]
		char += int64(utf8.RuneCountInString(b.Text[at:s.StartByte]))
		source := b.Text[s.StartByte:s.EndByte]
		bounds = text.Bounds(bounds[:0], source)
		places = append(places[:0], char)
		for k, end := range bounds[1:] {
			char += int64(utf8.RuneCountInString(source[bounds[k]:end]))
			places = append(places, char)
		}
		at = int(s.EndByte)
		token := func(misc *string, w *syntax.Word) {
			if w.EndChar <= w.StartChar || int(w.EndChar) >= len(places) {
				return
			}
			note := "TokenRange=" + strconv.FormatInt(places[w.StartChar], 10) + ":" + strconv.FormatInt(places[w.EndChar], 10)
			if *misc != "" {
				note = *misc + "|" + note
			}
			*misc = note
		}
		inside := int32(0) // words up to this one are parts of a token
		mwts := s.MWTs
		for j := range s.Words {
			if len(mwts) > 0 && int(mwts[0].First) == j+1 {
				token(&mwts[0].Misc, &s.Words[j])
				inside, mwts = mwts[0].Last, mwts[1:]
			}
			if int32(j+1) > inside {
				token(&s.Words[j].Misc, &s.Words[j])
			}
		}
	}
}
