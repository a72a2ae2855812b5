package segment

import (
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	r := random{7}
	var keys []uint64
	var values []uint16
	for range 20000 {
		keys = append(keys, r.next())
		values = append(values, uint16(r.below(4)))
	}
	built := newTable(keys, values)
	opened, err := openTable(built.cells)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, k := range keys {
		if got := opened.get(k); got != values[i] {
			if values[i] != 0 {
				wrong++ // another key with the same fingerprint came first
			}
		}
		if opened.get(r.next()) != 0 {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of 40000 look-ups are wrong", wrong)
	}
	for _, bad := range [][]uint32{nil, {0}, {0, 1, 2}, {1, 1}} {
		if _, err := openTable(bad); err == nil {
			t.Errorf("no error for the cells %v", bad)
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ form, words, apply, want string }{
		{"wouldn't", "would n't", "couldn't", "could n't"},
		{"yakasındaki", "yakasında ki", "evdeki", "evde ki"},
		{"lwalad", "l walad", "lbayt", "l bayt"},
		{"gonna", "going to", "", ""},
		{"dámelo", "dá me lo", "témelo", "té me lo"},
	} {
		words := strings.Fields(c.words)
		r, ok := inferRule(c.form, words)
		if !ok {
			t.Errorf("no rule for %s", c.form)
			continue
		}
		if got := r.apply(c.form); !r.fits(c.form) || !slices.Equal(got, words) {
			t.Errorf("the rule of %s gives %v for it", c.form, got)
		}
		if back, ok := decodeRule(r.encode()); !ok || back.encode() != r.encode() {
			t.Errorf("the rule of %s does not survive encoding", c.form)
		}
		if c.apply != "" && (!r.fits(c.apply) || strings.Join(r.apply(c.apply), " ") != c.want) {
			t.Errorf("the rule of %s gives %v for %s", c.form, r.apply(c.apply), c.apply)
		}
	}
	if _, ok := inferRule("ab", []string{"x", "y"}); ok {
		t.Error("a rule without a stem")
	}
}

func TestCopyCase(t *testing.T) {
	for _, c := range []struct{ form, words, want string }{
		{"Don't", "do n't", "Do n't"}, {"DON'T", "do n't", "DO N'T"}, {"dOn'T", "do n't", "dO n'T"},
		{"Au", "à le", "À le"}, {"AU", "à le", "À LE"}, {"au", "à le", "à le"}, {"Aux", "à les", "À les"},
		{"İyiydi", "iyi ydi", "İyi ydi"},
	} {
		if got := strings.Join(copyCase(c.form, strings.Fields(c.words)), " "); got != c.want {
			t.Errorf("copyCase(%s, %s) = %s, want %s", c.form, c.words, got, c.want)
		}
	}
}

func TestGapKinds(t *testing.T) {
	var l layout
	l.read("Heading\nsome words  that fill a line\nand then the rest.")
	var toks []token
	for _, s := range l.chunk {
		toks = append(toks, token{span: s})
	}
	l.setGaps(toks)
	want := []uint8{gapEarly, gapSpace, gapWide, gapSpace, gapSpace, gapSpace, gapNewline, gapSpace, gapSpace, gapSpace, gapBlockEnd}
	for i := range toks {
		if toks[i].gap != want[i] {
			t.Errorf("after %q: gap %d, want %d", l.text(toks[i].span), toks[i].gap, want[i])
		}
	}
}

func TestParagraphs(t *testing.T) {
	list := (&tongue{random{1}}).treebank(3)
	list[1].Comments = []string{"# sent_id = x", "#newdoc id = d"}
	list[2].Comments = []string{"# newpart = no"}
	if all := paragraphs(list); len(all) != 2 {
		t.Errorf("%d paragraphs", len(all))
	}
}

func TestLearnSeparates(t *testing.T) {
	c := learn(func(yield func([]uint64, bool, float32)) {
		r := random{3}
		for range 500 {
			x := r.below(10)
			yield([]uint64{f1(1, uint64(x)), f1(2, 0)}, x < 3, 1)
		}
	}, learnOptions{epochs: 5, step: 0.5, minCount: 1})
	w := newTable(c.keys, c.weights)
	for x := range 10 {
		if got := w.score([]uint64{f1(1, uint64(x)), f1(2, 0)}) > 0; got != (x < 3) {
			t.Errorf("%d is %v", x, got)
		}
	}
}
