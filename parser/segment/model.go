package segment

import (
	"fmt"
	"sync"

	"github.com/treebeam/treebeam/parser/pack"
)

// A Model is a trained segmenter. It is read-only and safe for concurrent
// use.
type Model struct {
	weights   table
	lexicon   lexicon
	pairs     table // pairKey of tokens that a space may join
	joins     bool  // pairs holds any
	multi     *multiword
	threshold int32 // added to the score that a sentence end needs

	scratch sync.Pool // *workspace
}

// A workspace is the scratch memory of one call.
type workspace struct {
	layout  layout
	chunker chunker
	tokens  []token
	outlook outlook
	ends    []int32
	scores  []int32
	buf     []uint64
	splits  []split
}

// header is what the model file holds beside arrays.
type header struct {
	Version   int   `json:"version"`
	Threshold int32 `json:"threshold"`
}

const version = 1

// Pack puts the model's arrays.
func (m *Model) Pack(s *pack.Sub) {
	s.PutJSON("header", header{version, m.threshold})
	pack.Put(s, "weights", m.weights.cells)
	pack.Put(s, "lexicon", m.lexicon.table.cells)
	pack.Put(s, "pairs", m.pairs.cells)
	pack.Put(s, "mwt.index", m.multi.index.cells)
	s.PutStrings("mwt.forms", m.multi.forms)
	s.PutStrings("mwt.words", m.multi.expansions)
	s.PutStrings("mwt.rules", m.multi.codes)
}

// Open reads a model that Pack put under the component's name. The model
// aliases the view's bytes. An error names the section that does not fit.
func Open(v *pack.View, component string) (*Model, error) {
	var h header
	if err := v.GetJSON(component, "header", &h); err != nil {
		return nil, err
	}
	if h.Version != version {
		return nil, fmt.Errorf("segmenter of version %d, this program reads version %d: train the model again", h.Version, version)
	}
	m := &Model{threshold: h.Threshold, multi: &multiword{}}
	for _, section := range []struct {
		name string
		to   *table
	}{{"weights", &m.weights}, {"lexicon", &m.lexicon.table}, {"pairs", &m.pairs}, {"mwt.index", &m.multi.index}} {
		cells, err := pack.Get[uint32](v, component, section.name)
		if err != nil {
			return nil, err
		}
		if *section.to, err = openTable(cells); err != nil {
			return nil, fmt.Errorf("model section %q: %w", component+"."+section.name, err)
		}
	}
	for _, section := range []struct {
		name string
		to   *[]string
	}{{"mwt.forms", &m.multi.forms}, {"mwt.words", &m.multi.expansions}, {"mwt.rules", &m.multi.codes}} {
		list, err := v.GetStrings(component, section.name)
		if err != nil {
			return nil, err
		}
		*section.to = list
	}
	return m, m.finishOpen(component)
}

func (m *Model) finishOpen(component string) error {
	if len(m.multi.forms) != len(m.multi.expansions) {
		return fmt.Errorf("model section %q: its length is not that of mwt.forms", component+".mwt.words")
	}
	for _, code := range m.multi.codes {
		r, ok := decodeRule(code)
		if !ok {
			return fmt.Errorf("model section %q: a rule cannot be read", component+".mwt.rules")
		}
		m.multi.rules = append(m.multi.rules, r)
	}
	m.setJoins()
	return nil
}

func (m *Model) setJoins() {
	m.joins = false
	for _, c := range m.pairs.cells {
		m.joins = m.joins || c != 0
	}
}
