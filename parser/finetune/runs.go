package finetune

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A run is the text of a sentence that was cut without looking at its words. The "words"
// of a run are units (piece.Vocabulary.Units). They have neither trees nor tags. MISC of
// each says with begins which of its characters begin a word and which do not: "Begins=10"
// for two characters, the first of which does. A unit of a script with spaces has the
// first character alone.
const begins = "Begins="

func isRun(s *syntax.Sentence) bool {
	return len(s.Words) > 0 && strings.HasPrefix(s.Words[0].Misc, begins)
}

// eachBegin calls f with the characters of a unit of a run, by their place.
func eachBegin(misc string, f func(name, value string)) {
	list, _ := strings.CutPrefix(misc, begins)
	list, _, _ = strings.Cut(list, "|")
	for i := range min(len(list), encode.MaxBegins) {
		f(string(rune('0'+i)), list[i:i+1])
	}
}

// runs returns the runs of all languages in which spaces do not show what is a word.
func runs(v *piece.Vocabulary, list []syntax.Sentence) (out []syntax.Sentence) {
	sentences, hides := map[string][]syntax.Sentence{}, map[string]bool{} // by language
	for _, s := range list {
		sentences[s.Language] = append(sentences[s.Language], s)
	}
	for language, own := range sentences {
		hides[language] = syntax.HidesWords(own)
	}
	for i := range list {
		if s := &list[i]; len(s.MWTs) == 0 && hides[s.Language] {
			out = append(out, runOf(v, s))
		}
	}
	return out
}

// runOf returns the run of a sentence without multiword tokens.
func runOf(v *piece.Vocabulary, s *syntax.Sentence) syntax.Sentence {
	var text strings.Builder
	var starts []int32
	n := 0
	for _, w := range s.Words {
		starts = append(starts, int32(n))
		n += utf8.RuneCountInString(w.Form)
		text.WriteString(w.Form)
		if !syntax.NoSpaceAfter(w.Misc) {
			text.WriteByte(' ')
			n++
		}
	}
	run := v.Run(text.String())
	run.Language = s.Language
	for i := range run.Words {
		w := &run.Words[i]
		misc, at := []byte(begins), w.StartChar
		for _, r := range w.Form {
			begin := byte('0')
			if _, found := slices.BinarySearch(starts, at); found {
				begin = '1'
			}
			if misc = append(misc, begin); !piece.Unspaced(r) && at == w.StartChar {
				break
			}
			at++
		}
		w.Misc = string(misc) + "|" + w.Misc
	}
	return run
}
