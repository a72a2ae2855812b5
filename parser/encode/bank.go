package encode

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// Anywhere is the bank for text from an unknown treebank. In training, every sentence
// is sometimes read as one of this bank.
const Anywhere = "und"

const maxBanks = 1024

func checkBanks(banks []string) error {
	if n := len(banks); n > maxBanks || n > 0 && banks[n-1] != Anywhere {
		return fmt.Errorf("%d treebanks, of at most %d, of which the last is not %q", n, maxBanks, Anywhere)
	}
	return nil
}

// layoutBanks names the section of the names of banks, which an encoder of one treebank
// lacks.
func layoutBanks(l *pack.Layout, banks *[]string) {
	if l.Optional("banks", len(*banks) > 0) {
		l.Strings("banks", banks)
		l.Check("banks", checkBanks(*banks) == nil, "are too many or do not end in "+Anywhere)
	}
}

// Of returns a copy of m that reads sentences as text from a bank, or from Anywhere if
// m does not know the bank. The copy shares the weights. For an encoder of a single
// treebank Of returns m.
func (m *Model) Of(bank string) *Model {
	if len(m.banks) == 0 {
		return m
	}
	i := slices.Index(m.banks, bank)
	if i < 0 {
		i = len(m.banks) - 1
	}
	c := *m
	c.bound.bank = m.bank[i*m.shape.Width : (i+1)*m.shape.Width]
	return &c
}
