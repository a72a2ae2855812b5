package encoder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

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
		Mark    string          `json:"unk_token"`
		Prefix  string          `json:"continuing_subword_prefix"`
		Vocab   json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// A part is a step of what is done to text; Sequence has several.
type part struct {
	Type          string `json:"type"`
	Normalizers   []part `json:"normalizers"`
	PreTokenizers []part `json:"pretokenizers"`

	Replacement string `json:"replacement"` // of Metaspace

	Lower   *bool `json:"lowercase"` // of BertNormalizer
	Accents *bool `json:"strip_accents"`
	Chinese *bool `json:"handle_chinese_chars"`
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
	var v *piece.Vocabulary
	var err error
	switch t.Model.Type {
	case "Unigram":
		v, err = t.unigram()
	case "WordPiece":
		v, err = t.wordPiece()
	default:
		return nil, fmt.Errorf("a vocabulary of the kind %q is not read: want Unigram or WordPiece", t.Model.Type)
	}
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
	if v.Kind == piece.Unigram {
		v.Scores[v.Unknown] = piece.UnknownScore(v.Scores)
	}
	return v, nil
}

// extend adds pieces that are only among the added ones, after the others.
func (t *tokenizer) extend(v *piece.Vocabulary) {
	for _, a := range t.Added {
		if int(a.ID) == len(v.Pieces) {
			v.Pieces = append(v.Pieces, a.Content)
			if v.Kind == piece.Unigram {
				v.Scores = append(v.Scores, 0)
			}
		}
	}
}

// marks finds the marks around a sentence.
func marks(v *piece.Vocabulary, begin, end string) error {
	v.Begin, v.End = -1, -1
	for id, p := range v.Pieces {
		switch p {
		case begin:
			v.Begin = int32(id)
		case end:
			v.End = int32(id)
		}
	}
	if v.Begin < 0 || v.End < 0 {
		return fmt.Errorf("the vocabulary has no marks %s and %s", begin, end)
	}
	return nil
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
	v := &piece.Vocabulary{Kind: piece.Unigram}
	for i, pair := range vocab {
		name, isName := pair[0].(string)
		score, isScore := pair[1].(float64)
		if !isName || !isScore {
			return nil, fmt.Errorf("entry %d of the vocabulary is not a piece and its score", i)
		}
		v.Pieces, v.Scores = append(v.Pieces, name), append(v.Scores, float32(score))
	}
	t.extend(v)
	if t.Model.Unknown == nil {
		return nil, errors.New("the vocabulary has no unk_id")
	}
	v.Unknown = *t.Model.Unknown
	return v, marks(v, "<s>", "</s>")
}

func (t *tokenizer) wordPiece() (*piece.Vocabulary, error) {
	v := &piece.Vocabulary{Kind: piece.WordPiece}
	steps := t.Normalizer.steps()
	if len(steps) != 1 || steps[0].Type != "BertNormalizer" {
		return nil, errors.New("the normalizer is not read: want one BertNormalizer")
	}
	n := steps[0]
	v.Lower = n.Lower == nil || *n.Lower
	if n.Accents != nil && *n.Accents != v.Lower || n.Chinese != nil && !*n.Chinese {
		return nil, errors.New("the BertNormalizer is not read: want strip_accents as lowercase is, and handle_chinese_chars")
	}
	if steps = t.PreTokenizer.steps(); len(steps) != 1 || steps[0].Type != "BertPreTokenizer" {
		return nil, errors.New("the pre_tokenizer is not read: want BertPreTokenizer")
	}
	if t.Model.Prefix != "##" {
		return nil, fmt.Errorf("the continuing_subword_prefix %q is not read: want ##", t.Model.Prefix)
	}
	var vocab map[string]int
	if err := json.NewDecoder(bytes.NewReader(t.Model.Vocab)).Decode(&vocab); err != nil {
		return nil, fmt.Errorf("the vocabulary is not a list of ids: %w", err)
	}
	v.Pieces = make([]string, len(vocab))
	seen := make([]bool, len(vocab))
	for name, id := range vocab {
		if id < 0 || id >= len(vocab) || id > math.MaxInt32 || seen[id] {
			return nil, fmt.Errorf("the ids of the vocabulary are not 0 to %d, each once", len(vocab)-1)
		}
		v.Pieces[id], seen[id] = name, true
	}
	t.extend(v)
	if v.Unknown = -1; t.Model.Mark != "" {
		if id, found := vocab[t.Model.Mark]; found {
			v.Unknown = int32(id)
		}
	}
	return v, marks(v, "[CLS]", "[SEP]")
}
