package parquet

import (
	pq "github.com/parquet-go/parquet-go"
)

// A Word is one row of words/: a syntactic word of a tree, with what the lists of
// its Tree have of it. Rows stand in the order of trees and of their words.
type Word struct {
	DocID      string   `parquet:"doc_id,dict"`
	SourceURI  string   `parquet:"source_uri,dict"`
	SentID     string   `parquet:"sent_id,dict"`
	ID         int32    `parquet:"id"` // 1, 2, 3, as HEAD counts them
	Form       string   `parquet:"form,dict"`
	Lemma      string   `parquet:"lemma,dict,optional"`
	UPOS       string   `parquet:"upos,dict,optional"`
	XPOS       string   `parquet:"xpos,dict,optional"`
	Feats      string   `parquet:"feats,dict,optional"`
	Head       *int32   `parquet:"head,optional"` // 0 is the root
	Deprel     string   `parquet:"deprel,dict,optional"`
	StartChar  *int32   `parquet:"start_char,optional"` // code points into the text of the sentence
	EndChar    *int32   `parquet:"end_char,optional"`
	HeadConf   *float32 `parquet:"head_conf,optional"` // null until calibrated
	DeprelConf *float32 `parquet:"deprel_conf,optional"`
	UPOSConf   *float32 `parquet:"upos_conf,optional"`

	// Meta are the values that were kept of the document: see Tree.Meta.
	Meta []KeyValue `parquet:"-"`
}

// AppendWords appends the words of a tree to dst. They share its memory.
func AppendWords(dst []Word, t *Tree) []Word {
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	for i, form := range t.Tokens {
		w := Word{
			DocID: t.DocID, SourceURI: t.SourceURI, SentID: t.SentID, ID: int32(i + 1), Form: form,
			Lemma: at(t.Lemmas, i), UPOS: at(t.UPOS, i), XPOS: at(t.XPOS, i), Feats: at(t.Feats, i), Deprel: at(t.Deprel, i),
			StartChar: element(t.StartChar, i), EndChar: element(t.EndChar, i),
			HeadConf: element(t.HeadConf, i), DeprelConf: element(t.DeprelConf, i), UPOSConf: element(t.UPOSConf, i), Meta: t.Meta,
		}
		if h := element(t.Head, i); h != nil && *h >= 0 {
			w.Head = h
		}
		dst = append(dst, w)
	}
	return dst
}

// element is that of a list, nil if it has none there.
func element[T any](list []T, i int) *T {
	if i >= len(list) {
		return nil
	}
	return &list[i]
}

func (w *Word) kept() *[]KeyValue { return &w.Meta }

func (w *Word) columns(b *rowBuilder) {
	b.text(w.DocID)
	b.text(w.SourceURI)
	b.text(w.SentID)
	b.int32(w.ID)
	b.text(w.Form)
	for _, s := range [...]string{w.Lemma, w.UPOS, w.XPOS, w.Feats} {
		b.optionalText(s)
	}
	b.optionalInt(w.Head)
	b.optionalText(w.Deprel)
	b.optionalInt(w.StartChar)
	b.optionalInt(w.EndChar)
	for _, v := range [...]*float32{w.HeadConf, w.DeprelConf, w.UPOSConf} {
		if v != nil {
			b.optional(pq.FloatValue(*v), true)
		} else {
			b.optional(pq.Value{}, false)
		}
	}
}

// optionalInt appends a number that is null if it is nil.
func (b *rowBuilder) optionalInt(v *int32) {
	if v != nil {
		b.optional(pq.Int32Value(*v), true)
	} else {
		b.optional(pq.Value{}, false)
	}
}

func (w *Word) size() int {
	return 40 + len(w.DocID) + len(w.SourceURI) + len(w.SentID) + len(w.Form) + len(w.Lemma) + len(w.UPOS) + len(w.XPOS) +
		len(w.Feats) + len(w.Deprel) + keptSize(w.Meta)
}
