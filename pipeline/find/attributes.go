package find

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/pattern"
)

// An attribute is a column of a table: of a word of the pattern, or of its
// sentence.
type attribute struct {
	word   int    // in Pattern.Names; -1 is the sentence
	column string // of the row
	of     func(t *parquet.Tree, i int) string
}

// ParseAttributes checks a list such as "v.lemma,s.Number,sent_id": attributes of
// words by their names in the pattern, of which the name may be missing if there
// is only one, and sent_id, doc_id, source_uri, text and meta_KEY, a value kept of
// the input. An error names the remedy.
func ParseAttributes(p *pattern.Pattern, list string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	_, err := parseAttributes(p, names)
	return names, err
}

var ofSentence = map[string]func(*parquet.Tree) string{
	"sent_id":    func(t *parquet.Tree) string { return t.SentID },
	"doc_id":     func(t *parquet.Tree) string { return t.DocID },
	"source_uri": func(t *parquet.Tree) string { return t.SourceURI },
	"text":       func(t *parquet.Tree) string { return t.Text },
}

type wordColumn struct {
	column string
	of     func(*parquet.Tree, int) string
}

var ofWord = map[string]wordColumn{
	"form":   {"tokens", text(func(t *parquet.Tree) []string { return t.Tokens })},
	"lemma":  {"lemmas", text(func(t *parquet.Tree) []string { return t.Lemmas })},
	"upos":   {"upos", text(func(t *parquet.Tree) []string { return t.UPOS })},
	"xpos":   {"xpos", text(func(t *parquet.Tree) []string { return t.XPOS })},
	"feats":  {"feats", text(func(t *parquet.Tree) []string { return t.Feats })},
	"deprel": {"deprel", text(func(t *parquet.Tree) []string { return t.Deprel })},
	"misc":   {"misc", text(func(t *parquet.Tree) []string { return t.Misc })},
	"id":     {"head", func(_ *parquet.Tree, i int) string { return strconv.Itoa(i + 1) }},
	"head": {"head", func(t *parquet.Tree, i int) string {
		if i >= len(t.Head) || t.Head[i] < 0 {
			return ""
		}
		return strconv.Itoa(int(t.Head[i]))
	}},
	"head_conf":   {"head_conf", probability(func(t *parquet.Tree) []float32 { return t.HeadConf })},
	"deprel_conf": {"deprel_conf", probability(func(t *parquet.Tree) []float32 { return t.DeprelConf })},
	"upos_conf":   {"upos_conf", probability(func(t *parquet.Tree) []float32 { return t.UPOSConf })},
}

func text(list func(*parquet.Tree) []string) func(*parquet.Tree, int) string {
	return func(t *parquet.Tree, i int) string {
		if l := list(t); i < len(l) {
			return l[i]
		}
		return ""
	}
}

func probability(list func(*parquet.Tree) []float32) func(*parquet.Tree, int) string {
	return func(t *parquet.Tree, i int) string {
		if l := list(t); i < len(l) {
			return strconv.FormatFloat(float64(l[i]), 'f', 4, 32)
		}
		return ""
	}
}

func parseAttributes(p *pattern.Pattern, names []string) (list []attribute, err error) {
	for _, name := range names {
		a, err := parseAttribute(p, name)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func parseAttribute(p *pattern.Pattern, name string) (attribute, error) {
	if of, ok := ofSentence[name]; ok {
		return attribute{word: -1, column: name, of: func(t *parquet.Tree, _ int) string { return of(t) }}, nil
	}
	if key, ok := strings.CutPrefix(name, metaPrefix); ok && key != "" {
		return attribute{word: -1, column: name, of: func(t *parquet.Tree, _ int) string {
			v, _ := kept(t, key)
			return v
		}}, nil
	}
	word, attr, dotted := strings.Cut(name, ".")
	at := p.Index(word)
	if (!dotted || at < 0 && word == "misc") && len(p.Names()) == 1 {
		at, attr = 0, name
	}
	if at < 0 {
		return attribute{}, output.Refuse("%q: want a word of the pattern and an attribute, as in %s.lemma; the words are %s (v:VERB names one v)", name, p.Names()[0], strings.Join(p.Names(), ", "))
	}
	if c, ok := ofWord[attr]; ok {
		return attribute{word: at, column: c.column, of: c.of}, nil
	}
	column, key := "feats", attr
	if rest, ok := strings.CutPrefix(attr, "misc."); ok {
		column, key = "misc", rest
	} else if attr == "" || !unicode.IsUpper(rune(attr[0])) {
		known := make([]string, 0, len(ofWord))
		for name := range ofWord {
			known = append(known, name)
		}
		slices.Sort(known)
		return attribute{}, output.Refuse("%q: there is no attribute %q; of words there are %s, features such as Number and keys of MISC such as misc.SpaceAfter, of sentences sent_id, doc_id, source_uri, text and meta_KEY",
			name, attr, strings.Join(known, ", "))
	}
	return attribute{word: at, column: column, of: func(t *parquet.Tree, i int) string { return pattern.Item(ofWord[column].of(t, i), key) }}, nil
}

// metaPrefix begins the names of columns of values kept of the input.
var metaPrefix = parquet.MetaColumn("")

// kept returns the value that a row has under a key of the input, and whether it
// has such a column.
func kept(t *parquet.Tree, key string) (string, bool) {
	for _, kv := range t.Meta {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

// lacks returns the first of the columns of kept values that a row does not have,
// "" if it has all.
func lacks(attributes []attribute, t *parquet.Tree) string {
	for i := range attributes {
		if key, ok := strings.CutPrefix(attributes[i].column, metaPrefix); ok {
			if _, has := kept(t, key); !has {
				return attributes[i].column
			}
		}
	}
	return ""
}

// appendValues appends the attributes of a hit with tabs between them. "_" stands
// for what is missing, and a space for a control character, such as a tab.
func appendValues(dst []byte, attributes []attribute, t *parquet.Tree, h pattern.Hit) []byte {
	for i := range attributes {
		a := &attributes[i]
		if i > 0 {
			dst = append(dst, '\t')
		}
		v := ""
		if a.word < 0 {
			v = a.of(t, 0)
		} else if w := h.Words[a.word]; w > 0 {
			v = a.of(t, int(w)-1)
		}
		if v == "" {
			v = "_"
		}
		start := len(dst)
		dst = append(dst, v...)
		for j := start; j < len(dst); j++ {
			if dst[j] < ' ' || dst[j] == 0x7f {
				dst[j] = ' '
			}
		}
	}
	return dst
}
