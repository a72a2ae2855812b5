package segment

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// check verifies all that Segment promises about any block.
func check(t *testing.T, block string, list []syntax.Sentence) {
	t.Helper()
	at := 0
	for k, s := range list {
		if int(s.StartByte) < at || s.EndByte <= s.StartByte || int(s.EndByte) > len(block) {
			t.Fatalf("sentence %d covers bytes [%d, %d) after %d of %d", k, s.StartByte, s.EndByte, at, len(block))
		}
		if !blank(block[at:s.StartByte]) {
			t.Fatalf("sentence %d: %q lies outside all sentences", k, block[at:s.StartByte])
		}
		at = int(s.EndByte)
		if want := oneLine(block[s.StartByte:s.EndByte]); s.Text != want {
			t.Fatalf("sentence %d: text %q, want %q", k, s.Text, want)
		}
		if !s.Segmented {
			t.Fatalf("sentence %d does not say that it was segmented", k)
		}
		checkWords(t, k, &s)
	}
	if !blank(block[at:]) {
		t.Fatalf("%q follows the last sentence", block[at:])
	}
}

func checkWords(t *testing.T, k int, s *syntax.Sentence) {
	t.Helper()
	if len(s.Words) == 0 {
		t.Fatalf("sentence %d has no words", k)
	}
	if len(s.WordOdds) != len(s.Words) || slices.Min(s.WordOdds) < 0 || s.EndOdds < 0 {
		t.Fatalf("sentence %d: log-odds %d of words, %d of ends", k, s.WordOdds, s.EndOdds)
	}
	var text []string // the code points of Text, as they are
	for i, r := range s.Text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s.Text[i:])
		}
		text = append(text, s.Text[i:i+size])
	}
	end, next := int32(0), 0
	for i := 0; i < len(s.Words); i++ {
		w := s.Words[i]
		form := w.Form
		if next < len(s.MWTs) && int(s.MWTs[next].First) == i+1 {
			form = s.MWTs[next].Form
			for ; i+1 < int(s.MWTs[next].Last); i++ {
				if v := s.Words[i+1]; v.StartChar != w.StartChar || v.EndChar != w.EndChar {
					t.Fatalf("sentence %d: words of a multiword token have different spans", k)
				}
			}
			next++
		}
		if w.StartChar < end || w.EndChar <= w.StartChar || int(w.EndChar) > len(text) {
			t.Fatalf("sentence %d %q: token %q spans [%d, %d) after %d", k, s.Text, form, w.StartChar, w.EndChar, end)
		}
		if !blank(strings.Join(text[end:w.StartChar], "")) {
			t.Fatalf("sentence %d: %q lies between tokens", k, text[end:w.StartChar])
		}
		end = w.EndChar
		covered := strings.Join(text[w.StartChar:w.EndChar], "")
		if strings.Join(strings.FieldsFunc(covered, white), " ") != form {
			t.Fatalf("sentence %d: form %q, its span is %q", k, form, covered)
		}
		if w.Head != syntax.NoHead {
			t.Fatalf("sentence %d: head %d", k, w.Head)
		}
	}
	if int(end) != len(text) {
		t.Fatalf("sentence %d: the text ends with %q", k, text[end:])
	}
}

// Separators of files to units are white space, which strings.Fields does not know.
func white(r rune) bool { return isSpace(classOf(r)) }

func blank(s string) bool { return strings.TrimFunc(s, white) == "" }

var oddBlocks = []string{
	"", " ", "\n\t \r\n", "a", ".", "Ada sees pears.", "Ada sees pears.\r\nBela wants boats. ",
	"\x00", "Ada\x00sees", "\xff\xfe", "Ada \xff sees.", "\uFFFD\uFFFD sees \uFFFD.", "😀👩‍👩‍👧 Ada😀sees 👍🏽!",
	"Ada\u00A0sees\u2003pears.\u2028Bela", "10 000 10\r\n000 10\n000 pears", "don't DON'T Don't", "ı İ ſ ß ŉ K don't",
	"“Ada sees.” (Bela wants.) — Cora", "a\u0301\u0302 \u0301", "\u200b \u200b", "_ | \\ = \t#", "\ufeffAda sees.",
	"\x1f0\x1c\x1d Ada\x1e", "مرحبا بالعالم. 你好。世界！ こんにちは", "...", "!!!???...", "'''\"\"\"((()))", "1.2.3.4 a.b.c A.B.C.",
	"http://a.b/(c) <x@y.z> `a` --b=c /d/e C:\\f 🇺🇸🇹 👍🏽👩‍👧 g.h( — … €5 ‘i’ > j",
	"`a b` (`c. D`) `e\nf` `` `g ` h` i'd've 😀 j: K src/x fmt.Y `l m",
}

func TestAnyTextKeepsItsOffsets(t *testing.T) {
	m := model(t)
	for _, block := range oddBlocks {
		check(t, block, m.Segment(block, Request{}))
		check(t, block, m.Segment(block, Request{MaxWords: 1}))
		check(t, block, m.Segment(block, Request{MaxWords: 1, Line: true}))
		if line := m.Segment(block, Request{MaxWords: 0, Line: true}); len(line) > 1 || len(line) == 0 && !blank(block) {
			t.Fatalf("%q became %d sentences", block, len(line))
		} else {
			check(t, block, line)
		}
	}
	all := strings.Join(oddBlocks, "\n")
	check(t, all, m.Segment(all, Request{MaxWords: 7}))
	if m.Segment(" \n\t", Request{}) != nil {
		t.Error("white space has sentences")
	}
}

func FuzzSegment(f *testing.F) {
	for _, block := range oddBlocks {
		f.Add(block, 3)
	}
	m := model(f)
	f.Fuzz(func(t *testing.T, block string, maxWords int) {
		check(t, block, m.Segment(block, Request{MaxWords: maxWords}))
	})
}

func TestMisc(t *testing.T) {
	m := model(t)
	got := m.Segment("Ada  sees\tpears,\nboats and clouds. Bela don't see \"stones\".  ", Request{})
	want := [][2]string{{"Ada", `SpacesAfter=\s\s`}, {"sees", `SpacesAfter=\t`}, {"pears", "SpaceAfter=No"},
		{",", `SpacesAfter=\n`},
		{"boats", ""}, {"and", ""}, {"clouds", "SpaceAfter=No"}, {".", ""}, {"Bela", ""}, {"do", ""}, {"n't", ""}, {"see", ""},
		{`"`, "SpaceAfter=No"}, {"stones", "SpaceAfter=No"}, {`"`, "SpaceAfter=No"}, {".", `SpacesAfter=\s\s`}}
	i := 0
	for _, s := range got {
		for _, w := range s.Words {
			if i >= len(want) || w.Form != want[i][0] || w.Misc != want[i][1] {
				t.Fatalf("word %d is %q %q, want %q", i, w.Form, w.Misc, want[min(i, len(want)-1)])
			}
			i++
		}
	}
	if i != len(want) || len(got) != 2 || len(got[1].MWTs) != 1 || got[1].MWTs[0].Form != "don't" {
		t.Errorf("%d words, %+v", i, got)
	}
}

func TestLongSentencesAreCut(t *testing.T) {
	m := model(t)
	block := strings.Repeat("pears and don't boats, ", 500)
	for _, limit := range []int{1, 2, 10, 100} {
		list := m.Segment(block, Request{MaxWords: limit})
		check(t, block, list)
		for _, s := range list {
			// A multiword token is never cut, not even below its length.
			if len(s.Words) > limit && len(s.Words)-len(s.MWTs) > 1 {
				t.Fatalf("limit %d: a sentence of %d words", limit, len(s.Words))
			}
			if s.Status != syntax.Long {
				t.Fatalf("limit %d: status %v", limit, s.Status)
			}
		}
	}
	for _, s := range m.Segment("Ada sees pears. Bela wants boats.", Request{MaxWords: 5}) {
		if s.Status != syntax.OK {
			t.Errorf("status %v of a short sentence", s.Status)
		}
	}
}

func TestSegmentLine(t *testing.T) {
	m := model(t)
	block := strings.Repeat("Ada sees pears. Bela don't want boats. ", 30)
	whole := m.Segment(block, Request{MaxWords: 0, Line: true})
	check(t, block, whole)
	if len(whole) != 1 || whole[0].Status != syntax.OK || len(whole[0].MWTs) != 30 {
		t.Fatalf("%d sentences, %v, %d multiword tokens", len(whole), whole[0].Status, len(whole[0].MWTs))
	}
	words := len(whole[0].Words)
	if list := m.Segment(block, Request{MaxWords: words, Line: true}); describe(list) != describe(whole) {
		t.Error("a line of as many words as allowed was cut")
	}
	list := m.Segment(block, Request{MaxWords: words - 1, Line: true})
	check(t, block, list)
	if len(list) != 2 || list[0].Status != syntax.Long || !strings.HasSuffix(list[0].Text, ".") {
		t.Errorf("%d sentences, the first ends in %.20q", len(list), list[0].Text[max(0, len(list[0].Text)-20):])
	}
}

// Twice the text must not take much more than twice the time, whatever it is.
// repetitive are texts on which a loop over the rest of the text, inside one
// over the text, shows.
var repetitive = []string{"x", "1", ".", "a.", "don't", "(", "é", "a ", ". ", "\"a", "\n", "a\n", "Dr. A ", "a\r\n\r\n",
	"mailto:", "a@", "@", "://", "http://", "`a", "-x", "--a", "a/", "/", "😀", "\u200d😀", "🇺", "a_", "www.", "0.", "!?", "…", "a-", "\\", "C:\\"}

func TestRepetitiveText(t *testing.T) {
	m := model(t)
	for _, unit := range repetitive {
		block := strings.Repeat(unit, 40_000/len(unit))
		check(t, block, m.Segment(block, Request{MaxWords: 1000}))
	}
}

func TestConcurrentUse(t *testing.T) {
	m := model(t)
	var blocks, want []string
	for i := range 40 {
		blocks = append(blocks, newGoldBlock(paragraphs((&tongue{hash.Rand(uint64(i))}).treebank(4))[0]).layout.block)
		fresh := &Model{weights: m.weights, lexicon: m.lexicon, pairs: m.pairs, split: m.split, threshold: m.threshold}
		want = append(want, describe(fresh.Segment(blocks[i], Request{})))
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range blocks {
				k := (i*7 + g) % len(blocks)
				if got := describe(m.Segment(blocks[k], Request{})); got != want[k] {
					t.Errorf("block %d differs with a used workspace", k)
				}
			}
		})
	}
	wait.Wait()
}

func TestAllocations(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	m := model(t)
	block := newGoldBlock(paragraphs((&tongue{hash.Rand(8)}).treebank(4))[0]).layout.block
	m.Segment(block, Request{})
	splits := 0
	for _, s := range m.Segment(block, Request{}) {
		splits += len(s.MWTs)
	}
	// Sentences, words, their odds and tokens; a few per multiword token.
	if n := testing.AllocsPerRun(100, func() { m.Segment(block, Request{}) }); n > float64(5+6*splits) {
		t.Errorf("%v allocations for a block with %d multiword tokens", n, splits)
	}
}

// The log-odds of a token are those of the least certain decision about it: at its ends or
// at a gap inside.
func TestTokenOdds(t *testing.T) {
	m := model(t)
	var w workspace
	for _, block := range oddBlocks {
		w.layout.read(block)
		for i := range w.layout.chunks {
			c := newChunk(&w.layout, i)
			odds := make([]int32, len(c.norm)+1) // of each gap
			for g := range odds {
				odds[g] = certain
			}
			list := w.cuts(&c, &m.lexicon, func(g int, keys []hash.Key) int32 {
				z := m.weights.Score(keys)
				odds[g] = max(z, -z)
				return z
			})
			start := int32(0)
			for _, x := range list {
				if want := slices.Min(odds[start : x.end+1]); x.odds != want {
					t.Fatalf("%q: odds %d, want %d", block, x.odds, want)
				}
				start = x.end
			}
		}
	}
}

// Copies of sentences in writing without spaces have none, but behind those without punctuation.
func TestAugmentWithoutSpaces(t *testing.T) {
	var all []paragraph
	for range 200 {
		all = append(all, paragraphs([]syntax.Sentence{gold("猫", "_が", "_いる", "_。")})...)
	}
	copies, _ := augment(all, 1)
	for _, p := range copies {
		for i := range p {
			if spaced := p[i].after != ""; spaced != (p[i].ends && p[i].form != "。") {
				t.Fatalf("%q follows %s", p[i].after, p[i].form)
			}
		}
	}
	if len(copies) < 10 {
		t.Error(len(copies), "copies")
	}
}
