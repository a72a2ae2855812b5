package serve

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// wordsFormat is the output format of sentences as objects, with their words.
const wordsFormat = "json"

// A wordsSentence is a sentence of that format. What is unknown is left out. The names
// are those of to_dict in Python.
type wordsSentence struct {
	ID         string      `json:"id,omitempty"`
	Text       string      `json:"text,omitempty"`
	Language   string      `json:"language,omitempty"`
	TreeConf   *float32    `json:"tree_conf,omitempty"` // probability that the whole tree is right
	Words      []wordsWord `json:"words"`
	Multiwords []multiword `json:"multiword_tokens,omitempty"`
}

type wordsWord struct {
	ID         int               `json:"id"` // 1, 2, ... in the sentence
	Form       string            `json:"form"`
	Lemma      string            `json:"lemma,omitempty"`
	UPOS       string            `json:"upos,omitempty"`
	XPOS       string            `json:"xpos,omitempty"`
	Feats      map[string]string `json:"feats,omitempty"`
	Head       *int32            `json:"head,omitempty"` // 0 is the root
	Deprel     string            `json:"deprel,omitempty"`
	UPOSConf   *float32          `json:"upos_conf,omitempty"`   // probabilities that the UPOS is right,
	HeadConf   *float32          `json:"head_conf,omitempty"`   // the head,
	DeprelConf *float32          `json:"deprel_conf,omitempty"` // and head and relation
	// The word covers code points Start to End-1 of the data. The words of a multiword
	// token share its span.
	Start *int `json:"start,omitempty"`
	End   *int `json:"end,omitempty"`
}

type multiword struct {
	First int32  `json:"first"` // word
	Last  int32  `json:"last"`
	Form  string `json:"form"`
}

// wordsWriter returns a writer of the elements of an array.
func wordsWriter() writer {
	separator := ""
	return func(dst []byte, s *syntax.Sentence) []byte {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.Encode(wordsOf(s)) // of plain data: there is no error
		dst = append(append(dst, separator...), strings.TrimSuffix(b.String(), "\n")...)
		separator = ",\n"
		return dst
	}
}

// wordsOf describes a sentence. Where its tokens are is in their MISC, as TokenRange.
func wordsOf(s *syntax.Sentence) wordsSentence {
	c := &s.Confidence
	found := wordsSentence{ID: s.ID, Text: s.Text, Language: s.Language, Words: make([]wordsWord, len(s.Words))}
	for _, comment := range s.Comments {
		if key, value := conllu.Comment(comment); key == "sent_id" {
			found.ID = value
		}
	}
	if c.HasTreeConf {
		found.TreeConf = &c.TreeConf
	}
	of := func(list []float32, i int, known bool) *float32 {
		if !known || i >= len(list) {
			return nil
		}
		return &list[i]
	}
	for i := range s.Words {
		w, v := &s.Words[i], &found.Words[i]
		*v = wordsWord{ID: i + 1, Form: w.Form, Lemma: w.Lemma, UPOS: w.UPOS, XPOS: w.XPOS, Deprel: w.Deprel, UPOSConf: of(c.UPOSConf, i, w.UPOS != "")}
		if w.Head != syntax.NoHead {
			v.Head, v.HeadConf, v.DeprelConf = &w.Head, of(c.HeadConf, i, true), of(c.DeprelConf, i, w.Deprel != "")
		}
		for feature := range strings.SplitSeq(w.Feats, "|") {
			if name, value, ok := strings.Cut(feature, "="); ok {
				if v.Feats == nil {
					v.Feats = map[string]string{}
				}
				v.Feats[name] = value
			}
		}
		v.Start, v.End = tokenRange(w.Misc)
	}
	for _, m := range s.MWTs {
		found.Multiwords = append(found.Multiwords, multiword{m.First, m.Last, m.Form})
		for i := m.First - 1; i < m.Last; i++ {
			found.Words[i].Start, found.Words[i].End = tokenRange(m.Misc)
		}
	}
	return found
}

// tokenRange reads TokenRange of MISC; nil if there is none.
func tokenRange(misc string) (start, end *int) {
	value, _ := syntax.Value(misc, "TokenRange")
	from, to, _ := strings.Cut(value, ":")
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if errA != nil || errB != nil {
		return nil, nil
	}
	return &a, &b
}
