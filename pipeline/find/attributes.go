package find

import (
	"maps"
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
// words by their names in the pattern, which may be missing if there is only one,
// columns of the sentence such as sent_id, and meta_KEY, a value kept of the input.
// An error names the remedy.
func ParseAttributes(p *pattern.Pattern, list string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	_, err := parseAttributes(p, names)
	return names, err
}

// ofSentence and ofWord are the attributes that are columns of trees.
var ofSentence, ofWord = columns(false), columns(true)

func columns(ofWord bool) map[string]parquet.Attribute {
	list := map[string]parquet.Attribute{}
	for _, a := range parquet.Attributes() {
		if a.OfWord == ofWord {
			list[a.Name] = a
		}
	}
	return list
}

// value is what a column says of the sentence or of a word, counted from 0: "" if
// it is null or unknown.
func value(a parquet.Attribute, t *parquet.Tree, word int) string {
	share := func(v float32) string { return strconv.FormatFloat(float64(v), 'f', 4, 32) }
	switch v := a.Of(t).(type) {
	case *string:
		return *v
	case *int32:
		return strconv.Itoa(int(*v))
	case *int64:
		return strconv.FormatInt(*v, 10)
	case *float32:
		return share(*v)
	case **float32:
		if *v != nil {
			return share(**v)
		}
	case *[]string:
		if word < len(*v) {
			return (*v)[word]
		}
	case *[]int32:
		if word < len(*v) && (*v)[word] >= 0 {
			return strconv.Itoa(int((*v)[word]))
		}
	case *[]float32:
		if word < len(*v) {
			return share((*v)[word])
		}
	}
	return ""
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
	column := func(word int, a parquet.Attribute) (attribute, error) {
		return attribute{word, a.Column, func(t *parquet.Tree, i int) string { return value(a, t, i) }}, nil
	}
	if a, ok := ofSentence[name]; ok {
		return column(-1, a)
	}
	if key, ok := strings.CutPrefix(name, metaPrefix); ok && key != "" {
		of := func(t *parquet.Tree, _ int) string {
			v, _ := kept(t, key)
			return v
		}
		return attribute{-1, name, of}, nil
	}
	word, attr, dotted := strings.Cut(name, ".")
	at := p.Index(word)
	if (!dotted || at < 0 && word == "misc") && len(p.Names()) == 1 {
		at, attr = 0, name
	}
	if at < 0 {
		return attribute{}, output.Refuse("%q: want a word of the pattern and an attribute, as in %s.lemma; the words are %s (v:VERB names one v)", name, p.Names()[0], strings.Join(p.Names(), ", "))
	}
	if a, ok := ofWord[attr]; ok {
		return column(at, a)
	}
	if attr == "id" {
		return attribute{at, "head", func(_ *parquet.Tree, i int) string { return strconv.Itoa(i + 1) }}, nil
	}
	items, key := ofWord["feats"], attr
	if rest, ok := strings.CutPrefix(attr, "misc."); ok {
		items, key = ofWord["misc"], rest
	} else if attr == "" || !unicode.IsUpper(rune(attr[0])) {
		return attribute{}, output.Refuse("%q: there is no attribute %q; of words there are id, %s, features such as Number and keys of MISC such as misc.SpaceAfter, of sentences %s and meta_KEY",
			name, attr, names(ofWord), names(ofSentence))
	}
	return attribute{at, items.Column, func(t *parquet.Tree, i int) string { return pattern.Item(value(items, t, i), key) }}, nil
}

func names(list map[string]parquet.Attribute) string {
	return strings.Join(slices.Sorted(maps.Keys(list)), ", ")
}

// metaPrefix begins the names of columns of values kept of the input.
var metaPrefix = parquet.MetaColumn("")

// kept returns the value that a row has under a key of the input, and whether it
// has such a column.
func kept(t *parquet.Tree, key string) (string, bool) {
	i := slices.IndexFunc(t.Meta, func(kv parquet.KeyValue) bool { return kv.Key == key })
	if i < 0 {
		return "", false
	}
	return t.Meta[i].Value, true
}

// lacks returns the first of the columns of kept values that a row does not have,
// "" if it has all.
func lacks(attributes []attribute, t *parquet.Tree) string {
	for _, a := range attributes {
		if key, meta := strings.CutPrefix(a.column, metaPrefix); meta {
			if _, has := kept(t, key); !has {
				return a.column
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
