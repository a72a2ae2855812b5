package encoder

import (
	"encoding/json"
	"errors"
	"fmt"

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
		Vocab   json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// A part is a step of the processing of text; Sequence has several.
type part struct {
	Type          string `json:"type"`
	Normalizers   []part `json:"normalizers"`
	PreTokenizers []part `json:"pretokenizers"`

	Replacement string `json:"replacement"` // of Metaspace
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
	if t.Model.Type != "Unigram" {
		return nil, fmt.Errorf("a vocabulary of the kind %q is not read: want Unigram, as encoders of the kind of XLM-R have it", t.Model.Type)
	}
	v, err := t.unigram()
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
