package parquet

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Tree is one row of trees/: a parsed sentence. Rows are sorted by
// (SourceURI, StartByte). Where the tags say optional, "" and nil are null in
// the file. Lists with a tag word have one element per word, or none.
type Tree struct {
	// the input's own `sent_id`; otherwise `<doc_id>@<start_byte>`
	SentID string `parquet:"sent_id"`
	// the sentence as it stands in the source, with each line break as one space; of CoNLL without
	// `# text`, the tokens, with spaces except after `SpaceAfter=No`
	// Null: never in practice
	Text string `parquet:"text,optional"`
	// whole comment lines, including the `#`, in order; for raw text `# newdoc` and `# newpar` where a
	// document or paragraph begins
	Comments []string `parquet:"comments,list"`
	// FORM of every word
	Tokens []string `parquet:"tokens,list" word:"form"`
	// LEMMA
	// Null: `_` in CoNLL-U
	Lemmas []string `parquet:"lemmas,list" parquet-element:",dict,optional" word:"lemma"`
	// UPOS
	// Null: `_`
	UPOS []string `parquet:"upos,list" parquet-element:",dict,optional" word:"upos"`
	// XPOS
	// Null: `_`
	XPOS []string `parquet:"xpos,list" parquet-element:",dict,optional" word:"xpos"`
	// FEATS, such as `Case=Nom|Number=Sing`
	// Null: `_`
	Feats []string `parquet:"feats,list" parquet-element:",dict,optional" word:"feats"`
	// HEAD: 0 for the root, otherwise the number of a word, counted from 1. Each sentence has exactly one
	// 0
	Head []int32 `parquet:"head,list" word:"head"`
	// DEPREL, subtypes included
	// Null: never in practice
	Deprel []string `parquet:"deprel,list" parquet-element:",dict,optional" word:"deprel"`
	// DEPS of the input; treebeam adds none
	// Null: `_`
	Deps []string `parquet:"deps,list" parquet-element:",dict,optional" word:"deps"`
	// MISC; for raw text `SpaceAfter=No` or `SpacesAfter=...`, and with `--ranges` `TokenRange=start:end`
	// ([trees.md](trees.md#conll-u))
	// Null: `_`
	Misc []string `parquet:"misc,list" parquet-element:",dict,optional" word:"misc"`
	// multiword tokens; `id` is a range of words such as `2-3`. `rest` is null unless the line had values
	// in columns that should be `_`: then it holds LEMMA, UPOS, XPOS, HEAD, DEPREL and DEPS as they were,
	// joined by tabs
	MWT []MWT `parquet:"mwt,list"`
	// empty nodes of the input's enhanced graph; `id` is, for example, `8.1`
	EmptyNodes []EmptyNode `parquet:"empty_nodes,list"`
	// path of the input file relative to the input you named; the id of a record;
	// `<path>#<byte>` for records without an id, and for lines with `--document line`
	// ([input.md](input.md#formats))
	DocID string `parquet:"doc_id,dict" column:"bounded"`
	// path of the input file as it was found
	SourceURI string `parquet:"source_uri,dict" column:"bounded"`
	// first byte of the sentence in the decompressed source
	StartByte int64 `parquet:"start_byte"`
	// the byte after the last one
	EndByte int64 `parquet:"end_byte"`
	// per word: first character in `text`, counted in code points
	// Null: the tokens are not those of `text`
	StartChar []int32 `parquet:"start_char,list,optional" word:"start_char"`
	// per word: the character after the last one. The words of a multiword token share its span
	// Null: the tokens are not those of `text`
	EndChar []int32 `parquet:"end_char,list,optional" word:"end_char"`
	// see [Raw signals](#raw-signals)
	// Null: never in practice
	HeadMarginal []float32 `parquet:"head_marginal,list,optional" word:"head_marginal"`
	// as above
	HeadMargin []float32 `parquet:"head_margin,list,optional" word:"head_margin"`
	// as above
	LabelMarginal []float32 `parquet:"label_marginal,list,optional" word:"label_marginal"`
	// probability that the head is right
	// Null: the model is not calibrated
	HeadConf []float32 `parquet:"head_conf,list,optional" word:"head_conf"`
	// probability that head and deprel are right; never above `head_conf`
	// Null: as above
	DeprelConf []float32 `parquet:"deprel_conf,list,optional" word:"deprel_conf"`
	// probability that the UPOS is right
	// Null: as above
	UPOSConf []float32 `parquet:"upos_conf,list,optional" word:"upos_conf"`
	// see [Raw signals](#raw-signals)
	TreeMargin float32 `parquet:"tree_margin"`
	// as above
	TreeScore float32 `parquet:"tree_score"`
	// probability that all heads and deprels of the sentence are right
	// Null: as above
	TreeConf *float32 `parquet:"tree_conf,optional"`
	// [how we know](confidence.md#certificates) that no other tree over the candidate heads has a higher
	// `tree_score`: `all` or `bound`
	// Null: not known
	Certificate string `parquet:"certificate,dict,optional" column:"short"`
	// how many climbs the search made; 0 if all trees were scored
	Restarts int32 `parquet:"restarts"`
	// how many candidate arcs the pruner left in the sentence
	NCandidates int32 `parquet:"n_candidates"`
	// `ok`; `repaired`: contains U+FFFD where the source had invalid bytes, and a warning says where;
	// `long`: cut at `--max-words`, or over 1,000 words ([long sentences](input.md#long-sentences));
	// `budget`: the search was cut off by `--budget` and its best tree so far kept, whether or not the
	// sentence is `long`, too
	Status string `parquet:"status,dict" column:"short"`
	// the first 16 digits of the model's SHA-256
	ModelID string `parquet:"model_id,dict" column:"short"`
	// code of the language that the sentence was parsed in, such as `de`; `und`: none of those that
	// `treebeam languages` lists
	// Null: unknown
	Language string `parquet:"language,dict,optional" column:"short"`
	// how probable that language is, by the text of the document or, where a paragraph is in another
	// language, of the paragraph
	// Null: the language was not found in the text: the model, `--language` or the default says it
	LanguageConf float32 `parquet:"language_conf,optional" null:"LanguageConf"`

	// Meta are values of the input's record, in the order of their columns
	// (MetaColumn), "" for null: see Writer.
	Meta []KeyValue `parquet:"-"`
}

// An MWT is a multiword token; ID is "1-2".
type MWT struct {
	ID    string `parquet:"id"`
	Form  string `parquet:"form"`
	Feats string `parquet:"feats,optional"`
	Misc  string `parquet:"misc,optional"`
	// Rest is syntax.MultiwordToken.Rest, null as a rule.
	Rest string `parquet:"rest,optional"`
}

// An EmptyNode is a node of the enhanced graph; ID is "22.1".
type EmptyNode struct {
	ID     string `parquet:"id"`
	Form   string `parquet:"form,optional"`
	Lemma  string `parquet:"lemma,optional"`
	UPOS   string `parquet:"upos,optional" column:"short"`
	XPOS   string `parquet:"xpos,optional" column:"short"`
	Feats  string `parquet:"feats,optional"`
	Head   string `parquet:"head,optional" column:"short"`
	Deprel string `parquet:"deprel,optional" column:"short"`
	Deps   string `parquet:"deps,optional"`
	Misc   string `parquet:"misc,optional"`
}

// A Doc is the document of a sentence, for ToRow.
type Doc struct {
	DocID     string
	SourceURI string
	ModelID   string
	Meta      []KeyValue // kept values
}

// MadeUpID is the sent_id of a sentence that has none of its own: of the document's id and
// the sentence's first byte.
func MadeUpID(docID string, startByte int64) string {
	return docID + "@" + strconv.FormatInt(startByte, 10)
}

// ToRow returns the row of a parsed sentence. The row shares the sentence's
// slices where it can; neither may change afterwards.
func ToRow(s *syntax.Sentence, d *Doc) Tree {
	n := len(s.Words)
	columns := make([]string, 8*n)
	column := func(i int) []string { return columns[i*n : (i+1)*n : (i+1)*n] }
	numbers := make([]int32, 3*n)
	c := &s.Confidence
	t := Tree{
		SentID: s.ID, Text: s.Text, Comments: s.Comments,
		Tokens: column(0), Lemmas: column(1), UPOS: column(2), XPOS: column(3), Feats: column(4),
		Deprel: column(5), Deps: column(6), Misc: column(7), Head: numbers[:n:n],
		DocID: d.DocID, SourceURI: d.SourceURI, ModelID: d.ModelID,
		StartByte: s.StartByte, EndByte: s.EndByte, Status: s.Status.String(),
		HeadMarginal: c.HeadMarginal, HeadMargin: c.HeadMargin, LabelMarginal: c.LabelProb,
		HeadConf: c.HeadConf, DeprelConf: c.DeprelConf, UPOSConf: c.UPOSConf,
		TreeMargin: c.TreeMargin, TreeScore: c.TreeScore, Certificate: c.Certificate.String(),
		Restarts: c.Restarts, NCandidates: c.NCandidates, Meta: d.Meta,
		Language: s.Language, LanguageConf: s.LanguageConf,
	}
	if t.SentID == "" {
		t.SentID = MadeUpID(d.DocID, s.StartByte)
	}
	if c.HasTreeConf {
		conf := c.TreeConf
		t.TreeConf = &conf
	}
	if slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return w.EndChar > 0 }) {
		t.StartChar, t.EndChar = numbers[n:2*n:2*n], numbers[2*n:]
	}
	for i := range s.Words {
		w := &s.Words[i]
		t.Tokens[i], t.Lemmas[i], t.UPOS[i], t.XPOS[i], t.Feats[i] = w.Form, w.Lemma, w.UPOS, w.XPOS, w.Feats
		t.Head[i], t.Deprel[i], t.Deps[i], t.Misc[i] = w.Head, w.Deprel, w.Deps, w.Misc
		if t.StartChar != nil {
			t.StartChar[i], t.EndChar[i] = w.StartChar, w.EndChar
		}
	}
	if len(s.MWTs) > 0 {
		t.MWT = make([]MWT, len(s.MWTs))
		for i := range s.MWTs {
			m := &s.MWTs[i]
			t.MWT[i] = MWT{ID: fmt.Sprintf("%d-%d", m.First, m.Last), Form: m.Form, Feats: m.Feats, Misc: m.Misc, Rest: m.Rest}
		}
	}
	if len(s.Empty) > 0 {
		t.EmptyNodes = make([]EmptyNode, len(s.Empty))
		for i := range s.Empty {
			e := &s.Empty[i]
			t.EmptyNodes[i] = EmptyNode{fmt.Sprintf("%d.%d", e.After, e.Index), e.Form, e.Lemma, e.UPOS, e.XPOS,
				e.Feats, e.Head, e.Deprel, e.Deps, e.Misc}
		}
	}
	return t
}

// FromRow returns the sentence of a row: what ToRow was given, except Line and the
// candidates. A sent_id that ToRow generated is not set as the sentence's ID.
func FromRow(t *Tree) (syntax.Sentence, error) {
	s := syntax.Sentence{
		ID: t.SentID, Text: t.Text, StartByte: t.StartByte, EndByte: t.EndByte,
		Language: t.Language, LanguageConf: t.LanguageConf,
		Confidence: syntax.Confidence{
			HeadMarginal: t.HeadMarginal, HeadMargin: t.HeadMargin, LabelProb: t.LabelMarginal,
			HeadConf: t.HeadConf, DeprelConf: t.DeprelConf, UPOSConf: t.UPOSConf,
			TreeMargin: t.TreeMargin, TreeScore: t.TreeScore,
			Restarts: t.Restarts, NCandidates: t.NCandidates,
		},
	}
	if err := t.check(); err != nil {
		return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
	}
	if s.ID == MadeUpID(t.DocID, t.StartByte) {
		s.ID = ""
	}
	if len(t.Comments) > 0 {
		s.Comments = t.Comments
	}
	if t.TreeConf != nil {
		s.Confidence.TreeConf, s.Confidence.HasTreeConf = *t.TreeConf, true
	}
	for s.Status.String() != t.Status {
		s.Status++
		if s.Status > syntax.Budget {
			return s, fmt.Errorf("row of %s at byte %d: unknown status %q", t.SourceURI, t.StartByte, t.Status)
		}
	}
	for s.Confidence.Certificate.String() != t.Certificate {
		s.Confidence.Certificate++
		if s.Confidence.Certificate > syntax.Bound {
			return s, fmt.Errorf("row of %s at byte %d: unknown certificate %q", t.SourceURI, t.StartByte, t.Certificate)
		}
	}
	s.Words = make([]syntax.Word, len(t.Tokens))
	t.Words(s.Words)
	for _, m := range t.MWT {
		first, last, err := parseID(m.ID, "-")
		if err != nil {
			return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
		}
		s.MWTs = append(s.MWTs, syntax.MultiwordToken{First: first, Last: last, Form: m.Form, Feats: m.Feats, Misc: m.Misc, Rest: m.Rest})
	}
	for _, e := range t.EmptyNodes {
		after, index, err := parseID(e.ID, ".")
		if err != nil {
			return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
		}
		s.Empty = append(s.Empty, syntax.EmptyNode{After: after, Index: index, Form: e.Form, Lemma: e.Lemma,
			UPOS: e.UPOS, XPOS: e.XPOS, Feats: e.Feats, Head: e.Head, Deprel: e.Deprel, Deps: e.Deps, Misc: e.Misc})
	}
	return s, nil
}

// check returns an error unless lists have one element per word; lists that may be null
// may be empty.
func (t *Tree) check() error {
	row := reflect.ValueOf(t).Elem()
	for _, c := range tables[row.Type()].columns {
		if n := row.FieldByIndex(c.field); c.word != "" && n.Len() != len(t.Tokens) && (n.Len() > 0 || !c.optional) {
			return fmt.Errorf("%d tokens, but %d of %s", len(t.Tokens), n.Len(), c.name)
		}
	}
	if len(t.StartChar) != len(t.EndChar) {
		return fmt.Errorf("%d values of start_char, but %d of end_char", len(t.StartChar), len(t.EndChar))
	}
	return nil
}

// Len returns the number of words of a row, which may lack some of its columns.
func (t *Tree) Len() int {
	n, row := 0, reflect.ValueOf(t).Elem()
	for i := range tables[row.Type()].columns {
		if c := &tables[row.Type()].columns[i]; c.word != "" {
			n = max(n, row.FieldByIndex(c.field).Len())
		}
	}
	return n
}

// Words copies the words of a row into words, which must have the same length. Missing
// columns leave fields empty, and heads unknown.
func (t *Tree) Words(words []syntax.Word) {
	for i := range words {
		words[i] = syntax.Word{
			Form: at(t.Tokens, i), Lemma: at(t.Lemmas, i), UPOS: at(t.UPOS, i), XPOS: at(t.XPOS, i), Feats: at(t.Feats, i),
			Head: syntax.NoHead, Deprel: at(t.Deprel, i), Deps: at(t.Deps, i), Misc: at(t.Misc, i),
			StartChar: at(t.StartChar, i), EndChar: at(t.EndChar, i),
		}
		if i < len(t.Head) {
			words[i].Head = t.Head[i]
		}
	}
}

// at is element i of a list, zero if it has none there.
func at[T any](list []T, i int) (v T) {
	if i < len(list) {
		v = list[i]
	}
	return v
}

// parseID parses "3-4" or "3.1".
func parseID(id, sep string) (a, b int32, err error) {
	x, y, _ := strings.Cut(id, sep)
	i, err := strconv.ParseInt(x, 10, 32)
	if err == nil {
		var j int64
		if j, err = strconv.ParseInt(y, 10, 32); err == nil {
			return int32(i), int32(j), nil
		}
	}
	return 0, 0, fmt.Errorf("bad token id %q", id)
}
