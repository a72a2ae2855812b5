package segment

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// unmarked returns a paragraph of n sentences, in which nothing shows where a sentence
// ends.
func unmarked(seed uint64, n int) (list []syntax.Sentence) {
	r := hash.Rand(seed)
	for range n {
		var s syntax.Sentence
		for len(s.Words) == 0 || r.Below(3) > 0 {
			form := ""
			for range 6 {
				form += string(rune('a' + r.Below(26)))
			}
			s.Words = append(s.Words, syntax.Word{Form: form})
		}
		list = append(list, s)
	}
	list[0].Comments = []string{"# newpar"}
	return list
}

func TestWindowsOfATreebank(t *testing.T) {
	for _, n := range []int{1, 2, 12, 60} {
		list := unmarked(uint64(n), n)
		list[0].Words[0].Misc = "SpaceAfter=No"
		windows := Windows(list)
		if n == 1 {
			if len(windows) > 0 {
				t.Errorf("%d windows of one sentence", len(windows))
			}
			continue
		}
		var forms []string
		var starts []bool
		for _, s := range list {
			for i, w := range s.Words {
				forms, starts = append(forms, w.Form), append(starts, i == 0)
			}
		}
		words := len(forms)
		if want := (words + windowTokens - 1) / windowTokens; len(windows) != want {
			t.Fatalf("%d windows of %d words, want %d", len(windows), words, want)
		}
		for k, s := range windows {
			at := max(0, min(k*windowTokens, words-windowTokens))
			if len(s.Words) != min(words, windowTokens) {
				t.Errorf("a window of %d words", len(s.Words))
			}
			for i, w := range s.Words {
				if w.Form != forms[at+i] || IsStart(&w) != starts[at+i] || w.Head != syntax.NoHead || strings.HasSuffix(w.Misc, "SpaceAfter=No") != (at+i == 0) {
					t.Errorf("window %d: %+v, want %q %v", k, w, forms[at+i], starts[at+i])
				}
			}
		}
	}
	if len(Windows(nil)) > 0 {
		t.Error("windows of nothing")
	}
}

// Segment cuts where Starts say, in the windows that it asks about, and asks about all
// unsure gaps with tokens on both sides.
func TestStartsDecide(t *testing.T) {
	list := unmarked(7, 400)
	m, err := Train(list[:300], nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := paragraphs(list[300:])[0]
	block := newGoldBlock(p).layout.block
	begins := map[string]bool{} // by the three tokens before and the one behind
	around := func(i int, form func(int) string) string {
		return strings.Join([]string{form(i - 3), form(i - 2), form(i - 1), form(i)}, " ")
	}
	for i := 3; i < len(p); i++ {
		begins[around(i, func(k int) string { return p[k].form })] = p[i-1].ends
	}
	windows, tokens := 0, 0
	truth := func(dst []int32, list []*syntax.Sentence) []int32 {
		if len(list) > mostWindows {
			t.Errorf("%d windows at once", len(list))
		}
		for _, s := range list {
			windows, tokens = windows+1, tokens+len(s.Words)
			if n := len(s.Words); n > windowTokens || n < 2 {
				t.Errorf("a window of %d tokens", n)
			}
			for i := range s.Words {
				odds := int32(0) // unknown
				if i >= 3 {
					odds = -9 * score.Unit
					if begins[around(i, func(k int) string { return s.Words[k].Form })] {
						odds = -odds
					}
				}
				dst = append(dst, odds)
			}
		}
		return dst
	}
	ends := func(r Request) (out []string) {
		for _, s := range m.Segment(block, r) {
			out = append(out, s.Text)
		}
		return out
	}
	right := func(got []string) (n int) {
		var want []string
		for _, s := range list[300:] {
			text := ""
			for _, w := range s.Words {
				text += w.Form + " "
			}
			want = append(want, strings.TrimSpace(text))
		}
		for _, x := range want {
			if slices.Contains(got, x) {
				n++
			}
		}
		return n
	}
	alone := ends(Request{})
	if got := ends(Request{Starts: truth}); !slices.Equal(got, alone) || windows > 0 {
		t.Errorf("%d windows are asked without a portion", windows)
	}
	with := ends(Request{Starts: truth, Portion: Portion{Factor: 256}})
	if a, b := right(alone), right(with); b < 75 || a > 50 {
		t.Errorf("%d of 100 sentences, and %d with what knows all", a, b)
	}
	if windows == 0 || tokens > 3*len(p) {
		t.Errorf("%d windows of %d tokens, for %d", windows, tokens, len(p))
	}
	all := tokens
	windows, tokens = 0, 0
	if got := ends(Request{Starts: truth, Portion: Portion{Factor: 256}, Reach: 3}); right(got) < 75 || tokens > all*2/3 {
		t.Errorf("%d of 100 sentences from windows of what is within reach, %d tokens instead of %d", right(got), tokens, all)
	}
	if got := ends(Request{Starts: truth, Portion: Portion{Factor: 256}, Line: true}); len(got) != 1 {
		t.Errorf("%d sentences of a line", len(got))
	}
	dumb := func(dst []int32, _ []*syntax.Sentence) []int32 { return dst }
	if got := ends(Request{Starts: dumb, Portion: Portion{Factor: 256}}); !slices.Equal(got, alone) {
		t.Error("an encoder that says nothing changes something")
	}
	portion, before, after := FitStarts([]Dev{{m, list[300:], Request{Starts: truth}}})
	if portion.Factor == 0 || after < 0.75 || before > 0.5 {
		t.Errorf("%+v fits, F1 %.3f and %.3f", portion, before, after)
	}
	if portion, before, after = FitStarts([]Dev{{m, list[300:], Request{Starts: dumb}}}); portion != (Portion{}) || before != after {
		t.Errorf("%+v fits what says nothing, F1 %.3f and %.3f", portion, before, after)
	}
}
