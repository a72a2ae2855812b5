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

// An attribute is a column of a table: of a word of the pattern, of its sentence, or of
// the hit as a concordance shows it.
type attribute struct {
	columns []string // of the row, that it needs
	of      func(f *found, h pattern.Hit) string
	around  bool // of the sentence before or after
	divides bool // the corpus into parts, whose words are counted separately
}

// ParseAttributes checks a list such as "v.lemma,s.Number,sent_id". An attribute is one
// of a word, with the word's name in the pattern, which may be left out if there is
// only one; a column of the sentence such as sent_id; meta_KEY, a value kept from the
// input; or a column of a concordance. An error names the remedy.
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

// ofDocument are columns of sentences that say which part of a corpus they are in.
var ofDocument = []string{"doc_id", "source_uri", "language"}

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
	ofSome := func(at int, column string, of func(t *parquet.Tree, word int) string) (attribute, error) {
		return attribute{columns: []string{column}, of: func(f *found, h pattern.Hit) string {
			if w := h.Words[at]; w > 0 {
				return of(f.tree, int(w)-1)
			}
			return ""
		}}, nil
	}
	if a, ok := ofSentence[name]; ok {
		of := func(f *found, _ pattern.Hit) string { return value(a, f.tree, 0) }
		return attribute{columns: []string{a.Column}, of: of, divides: slices.Contains(ofDocument, name)}, nil
	}
	if a, ok := ofHit[name]; ok {
		return a, nil
	}
	if key, ok := strings.CutPrefix(name, metaPrefix); ok && key != "" {
		of := func(f *found, _ pattern.Hit) string {
			v, _ := kept(f.tree, key)
			return v
		}
		return attribute{columns: []string{name}, of: of, divides: true}, nil
	}
	word, attr, dotted := strings.Cut(name, ".")
	at := p.Index(word)
	if (!dotted || at < 0 && word == "misc") && len(p.Names()) == 1 {
		at, attr = 0, name
	}
	if at < 0 {
		return attribute{}, output.Refuse("%q: name a word of the pattern and an attribute, as in %s.lemma; the words are %s (v:VERB names one v)", name, p.Names()[0], strings.Join(p.Names(), ", "))
	}
	if a, ok := ofWord[attr]; ok {
		return ofSome(at, a.Column, func(t *parquet.Tree, i int) string { return value(a, t, i) })
	}
	if attr == "id" {
		return ofSome(at, "head", func(_ *parquet.Tree, i int) string { return strconv.Itoa(i + 1) })
	}
	items, key := ofWord["feats"], attr
	if rest, ok := strings.CutPrefix(attr, "misc."); ok {
		items, key = ofWord["misc"], rest
	} else if attr == "" || !unicode.IsUpper(rune(attr[0])) {
		return attribute{}, output.Refuse("%q: there is no attribute %q; of words there are id, %s, features such as Number and keys of MISC such as misc.SpaceAfter, of sentences %s and meta_KEY, of hits %s",
			name, attr, names(ofWord), names(ofSentence), names(ofHit))
	}
	return ofSome(at, items.Column, func(t *parquet.Tree, i int) string { return pattern.Item(value(items, t, i), key) })
}

func names[A any](list map[string]A) string {
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
		if key, meta := strings.CutPrefix(a.columns[0], metaPrefix); meta {
			if _, has := kept(t, key); !has {
				return a.columns[0]
			}
		}
	}
	return ""
}
