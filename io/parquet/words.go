package parquet

// A Word is one row of words/: a syntactic word of a tree, with what the lists of
// its Tree have of it. Rows stand in the order of trees and of their words.
type Word struct {
	// as in trees
	DocID string `parquet:"doc_id,dict" column:"bounded"`
	// as in trees
	SourceURI string `parquet:"source_uri,dict" column:"bounded"`
	// as in trees
	SentID string `parquet:"sent_id,dict"`
	// number of the word in its sentence, from 1
	ID int32 `parquet:"id"`
	// FORM
	Form string `parquet:"form,dict"`
	// LEMMA
	// Null: `_`
	Lemma string `parquet:"lemma,dict,optional"`
	// UPOS
	// Null: `_`
	UPOS string `parquet:"upos,dict,optional"`
	// XPOS
	// Null: `_`
	XPOS string `parquet:"xpos,dict,optional"`
	// FEATS
	// Null: `_`
	Feats string `parquet:"feats,dict,optional"`
	// HEAD: the `id` of another word of the sentence, or 0
	// Null: never in practice
	Head *int32 `parquet:"head,optional"`
	// DEPREL
	// Null: never in practice
	Deprel string `parquet:"deprel,dict,optional"`
	// first character in the `text` of the tree
	// Null: the text is unknown
	StartChar *int32 `parquet:"start_char,optional"`
	// the character after the last one
	// Null: the text is unknown
	EndChar *int32 `parquet:"end_char,optional"`
	// probability that the head is right
	// Null: the model is not calibrated
	HeadConf *float32 `parquet:"head_conf,optional"`
	// probability that head and deprel are right
	// Null: as above
	DeprelConf *float32 `parquet:"deprel_conf,optional"`
	// probability that the UPOS is right
	// Null: as above
	UPOSConf *float32 `parquet:"upos_conf,optional"`

	// Meta are the values that were kept of the document: see Tree.Meta.
	Meta []KeyValue `parquet:"-"`
}

// AppendWords appends the words of a tree to dst. They share its memory.
func AppendWords(dst []Word, t *Tree) []Word {
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

// element returns an element of a list, nil if the list has none there.
func element[T any](list []T, i int) *T {
	if i >= len(list) {
		return nil
	}
	return &list[i]
}
