package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/piece"
)

// tokenizer is what tokenizer.json says of a vocabulary.
type tokenizer struct {
	Added []struct {
		ID      int32  `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer   *part `json:"normalizer"`
	PreTokenizer *part `json:"pre_tokenizer"`
	Model        struct {
		Type    string          `json:"type"`
		Unknown *int32          `json:"unk_id"`
		Prefix  *string         `json:"continuing_subword_prefix"` // of WordPiece
		Vocab   json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// A part is a step of the processing of text; Sequence has several.
type part struct {
	Type          string `json:"type"`
	Normalizers   []part `json:"normalizers"`
	PreTokenizers []part `json:"pretokenizers"`

	Replacement string `json:"replacement"` // of Metaspace

	// Of BertNormalizer.
	Clean     bool  `json:"clean_text"`
	Chinese   bool  `json:"handle_chinese_chars"`
	Lowercase bool  `json:"lowercase"`
	Accents   *bool `json:"strip_accents"` // null: as Lowercase
}

// steps returns p's steps.
func (p *part) steps() (list []part) {
	if p == nil {
		return nil
	}
	if p.Type != "Sequence" {
		return []part{*p}
	}
	for _, inner := range append(p.Normalizers, p.PreTokenizers...) {
		if inner.Type == "Sequence" {
			inner.Type = "Sequence in a Sequence"
		}
		list = append(list, inner)
	}
	return list
}

func decodeTokenizer(data []byte) (*piece.Vocabulary, error) {
	var t tokenizer
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, err
	}
	decode := t.unigram
	switch t.Model.Type {
	case "Unigram":
	case "WordPiece":
		decode = t.wordPiece
	default:
		return nil, fmt.Errorf("a vocabulary of the kind %q is not read: want Unigram or WordPiece, as encoders of the kinds of XLM-R and BERT have them", t.Model.Type)
	}
	v, err := decode()
	if err != nil {
		return nil, err
	}
	for _, a := range t.Added {
		if a.ID >= 0 && int(a.ID) < len(v.Pieces) && a.Special && a.ID != v.Begin && a.ID != v.End && a.ID != v.Unknown {
			v.Pieces[a.ID] = "" // a mark that we do not set
		}
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	v.Scores[v.Unknown] = piece.UnknownScore(v.Scores)
	return v, nil
}

func (t *tokenizer) unigram() (*piece.Vocabulary, error) {
	for _, s := range t.Normalizer.steps() {
		switch s.Type {
		case "Precompiled", "Replace", "Strip", "NFKC", "Nmt":
		default:
			return nil, fmt.Errorf("the normalizer %q is not read: want that of XLM-R", s.Type)
		}
	}
	for _, s := range t.PreTokenizer.steps() {
		if s.Type != "WhitespaceSplit" && (s.Type != "Metaspace" || s.Replacement != "▁") {
			return nil, fmt.Errorf("the pre_tokenizer %q is not read: want Metaspace with U+2581", s.Type)
		}
	}
	var vocab [][2]any
	if err := json.Unmarshal(t.Model.Vocab, &vocab); err != nil {
		return nil, fmt.Errorf("the vocabulary is not a list of pairs: %w", err)
	}
	v := &piece.Vocabulary{Begin: -1, End: -1}
	for i, pair := range vocab {
		name, isName := pair[0].(string)
		score, isScore := pair[1].(float64)
		if !isName || !isScore {
			return nil, fmt.Errorf("entry %d of the vocabulary is not a piece and its score", i)
		}
		v.Pieces, v.Scores = append(v.Pieces, name), append(v.Scores, float32(score))
	}
	for _, a := range t.Added { // the ones found only here come after the others
		if int(a.ID) == len(v.Pieces) {
			v.Pieces, v.Scores = append(v.Pieces, a.Content), append(v.Scores, 0)
		}
	}
	if t.Model.Unknown == nil {
		return nil, errors.New("the vocabulary has no unk_id")
	}
	v.Unknown = *t.Model.Unknown
	for id, p := range v.Pieces {
		switch p {
		case "<s>":
			v.Begin = int32(id)
		case "</s>":
			v.End = int32(id)
		}
	}
	if v.Begin < 0 || v.End < 0 {
		return nil, errors.New("the vocabulary has no marks <s> and </s>")
	}
	return v, nil
}

// wordPiece gives pieces that begin a word the name of Unigram, with U+2581, and those that
// go on the name without a prefix. Pieces are in the order of their frequency, as in BERT.
func (t *tokenizer) wordPiece() (*piece.Vocabulary, error) {
	steps := t.Normalizer.steps()
	if len(steps) != 1 || steps[0].Type != "BertNormalizer" || !steps[0].Clean || !steps[0].Chinese {
		return nil, errors.New("the normalizer of WordPiece is not read: want BertNormalizer with clean_text and handle_chinese_chars")
	}
	lower := steps[0].Lowercase
	if a := steps[0].Accents; a != nil && *a != lower {
		return nil, errors.New("a BertNormalizer with strip_accents unlike lowercase is not read")
	}
	if steps := t.PreTokenizer.steps(); len(steps) != 1 || steps[0].Type != "BertPreTokenizer" {
		return nil, errors.New("the pre_tokenizer of WordPiece is not read: want BertPreTokenizer")
	}
	prefix := "##"
	if t.Model.Prefix != nil {
		prefix = *t.Model.Prefix
	}
	if prefix == "" {
		return nil, errors.New("the continuing_subword_prefix of WordPiece is empty: pieces that begin a word cannot be told")
	}
	var vocab map[string]int32
	if err := json.Unmarshal(t.Model.Vocab, &vocab); err != nil {
		return nil, fmt.Errorf("the vocabulary is not an object of pieces and ids: %w", err)
	}
	n := len(vocab)
	v := &piece.Vocabulary{Pieces: make([]string, n), Scores: make([]float32, n), Begin: -1, End: -1, Unknown: -1,
		WordPiece: true, Lower: lower}
	seen := make([]bool, n)
	for name, id := range vocab {
		if id < 0 || int(id) >= n || seen[id] {
			return nil, fmt.Errorf("the vocabulary has %d pieces, and %q is not the only one with the id %d", n, name, id)
		}
		seen[id], v.Scores[id] = true, -float32(id)
		inner, follows := strings.CutPrefix(name, prefix)
		switch {
		case name == "[CLS]":
			v.Begin = id
		case name == "[SEP]":
			v.End = id
		case name == "[UNK]":
			v.Unknown = id
		case len(name) > 2 && strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]"): // [PAD], [unused1]
			continue
		case follows && inner != "":
			v.Pieces[id] = inner
			continue
		}
		v.Pieces[id] = "▁" + name
	}
	if v.Begin < 0 || v.End < 0 || v.Unknown < 0 {
		return nil, errors.New("the vocabulary has no marks [CLS], [SEP] and [UNK]")
	}
	return v, nil
}
