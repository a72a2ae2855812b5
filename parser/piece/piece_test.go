package piece

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// tiny is a vocabulary written by hand; its marks are the first three.
func tiny() *Vocabulary {
	v := &Vocabulary{Begin: 0, End: 1, Unknown: 2}
	for _, p := range []struct {
		name  string
		score float32
	}{{"<s>", 0}, {"</s>", 0}, {"<unk>", 0}, {"▁", -3}, {"a", -4}, {"b", -4.5}, {"c", -5}, {"ab", -6}, {"▁a", -5}, {"▁ab", -7},
		{"abc", -9}, {"bc", -7}, {"cab", -8.25}, {"ça", -6}, {"ç", -7}, {"", 0}, {"b▁a", -4}, {"é", -8},
		{"日本", -6}, {"日", -7}} {
		v.Pieces = append(v.Pieces, p.name)
		v.Scores = append(v.Scores, p.score)
	}
	v.Scores[v.Unknown] = UnknownScore(v.Scores)
	return v
}

func names(v *Vocabulary, form string, space bool) string {
	var list []string
	for _, id := range v.Word(nil, form, space) {
		list = append(list, v.Pieces[id])
	}
	return strings.Join(list, " ")
}

// bestCut tries every cut of s and returns the highest sum of scores, added
// from the left.
func bestCut(v *Vocabulary, s string, sum float32) float32 {
	if s == "" {
		return sum
	}
	best := float32(math.Inf(-1))
	for id, p := range v.Pieces {
		if id > 2 && p != "" && strings.HasPrefix(s, p) {
			best = max(best, bestCut(v, s[len(p):], sum+v.Scores[id]))
		}
	}
	_, size := utf8.DecodeRuneInString(s)
	return max(best, bestCut(v, s[size:], sum+v.Scores[v.Unknown]))
}

func TestUnigramEqualsAllCuts(t *testing.T) {
	v := tiny()
	letters := []string{"a", "b", "c", "a", "b", "ç", "é", "日", "本", "x", " ", "<s>"}
	r := hash.Rand(7)
	for range 3000 {
		form := ""
		for range r.Below(9) {
			form += letters[r.Below(uint32(len(letters)))]
		}
		space := r.Below(2) == 0
		var n text
		n.fill(v, form, space)
		s := string(n.bytes())
		want := bestCut(v, s, 0)
		// What was found: its names give the text back, an unknown piece any
		// number of characters.
		got, rest := float32(0), s
		ids := v.Word(nil, form, space)
		for i, id := range ids {
			if id != v.Unknown {
				if !strings.HasPrefix(rest, v.Pieces[id]) {
					t.Fatalf("%q: %q is no cut of %q", form, names(v, form, space), s)
				}
				got += v.Scores[id]
				rest = rest[len(v.Pieces[id]):]
				continue
			}
			for n := 0; rest != ""; n++ {
				next := int32(-1)
				if i+1 < len(ids) {
					next = ids[i+1]
				}
				if n > 0 && next >= 0 && strings.HasPrefix(rest, v.Pieces[next]) {
					break
				}
				_, size := utf8.DecodeRuneInString(rest)
				got += v.Scores[id]
				rest = rest[size:]
			}
		}
		if s != "" && (got != want || rest != "") {
			t.Fatalf("%q: %q has the sum %v, the best cut of %q %v", form, names(v, form, space), got, s, want)
		}
	}
}

func TestUnigram(t *testing.T) {
	v := tiny()
	for _, x := range []struct {
		form  string
		space bool
		want  string
	}{
		{"ab", true, "▁ab"}, {"ab", false, "ab"}, {"cab", true, "▁ cab"},
		{"", true, "▁"}, {"", false, "<unk>"}, {"\x01\x7F", false, "<unk>"},
		{"xyz", false, "<unk>"}, {"axyb", false, "a <unk> b"}, {"xax", true, "▁ <unk> a <unk>"},
		{"<s>", false, "<unk>"},             // no mark
		{"ab ab", true, "▁a b▁a b"},         // a space inside
		{"a\u00A0\u200Bb ", true, "▁a ▁ b"}, // spaces are one, and none at the end
		{"▁a", true, "▁a"},                  // not two
		{"\u200Fa", false, "▁a"},            // a mark of direction is a space
		{"ｃａ", false, "c a"},                // wide letters
		{"c\u0327a", false, "ça"},           // composed
		{"e\u0301", false, "é"},             //
		{"a\u00ADb", false, "a <unk> b"},    // the soft hyphen stays
		{"a\xFFb", false, "a ▁ b"},          // no UTF-8
		{"日本", true, "▁ 日本"},                //
		{"日\x01本", false, "日本"},             //
		{strings.Repeat("c", 30), false, strings.TrimSpace(strings.Repeat("c ", MaxPieces))},
	} {
		if got := names(v, x.form, x.space); got != x.want {
			t.Errorf("%q, space %v: got %q, want %q", x.form, x.space, got, x.want)
		}
	}
	if got := v.Word([]int32{9}, "ab", true); !slices.Equal(got, []int32{9, 9}) {
		t.Errorf("got %v, want what was there and a piece", got)
	}
}

// A word has no bound, but what is looked at has.
func TestLongWords(t *testing.T) {
	v := tiny()
	for _, s := range []string{"abc", "é", "日本", "x", "\u0301", " ", "ﷺ", "\u1100\u1161", "\xFF", "A,", "[UNK]"} {
		long := strings.Repeat(s, 1<<14)
		for _, v := range []*Vocabulary{v, tinyWordPiece()} {
			if n := len(v.Word(nil, long, true)); n < 1 || n > MaxPieces {
				t.Errorf("%.9q: %d pieces", long, n)
			}
		}
	}
	var n text
	n.fill(v, strings.Repeat("a", maxText-1)+"日b", false)
	if string(n.bytes()) != strings.Repeat("a", maxText-1) {
		t.Error("what comes after a character without room was read")
	}
}

func TestWordAllocatesNothing(t *testing.T) {
	ids := make([]int32, 0, MaxPieces)
	for _, v := range []*Vocabulary{tiny(), tinyWordPiece()} {
		for _, form := range []string{"abcab", "çaça", "ｃａ", "ÀÉ", "जा日本", "\uFDFA", "킐", "Want,ED"} {
			v.Word(ids, form, true)
			if n := testing.AllocsPerRun(20, func() { v.Word(ids, form, true) }); n != 0 && !underRace {
				t.Errorf("%q: %v allocations", form, n)
			}
		}
	}
}

func TestLayout(t *testing.T) {
	v := tiny()
	sections := func(v *Vocabulary) []pack.Section {
		var b pack.Builder
		pack.Write(b.Sub("c"), func(l *pack.Layout) { v.Layout(l, "pieces") })
		return b.Sections
	}
	read := func(list []pack.Section) (*Vocabulary, error) {
		r := new(Vocabulary)
		return r, pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { r.Layout(l, "pieces") })
	}
	r, err := read(sections(v))
	if err != nil || !slices.Equal(r.Pieces, v.Pieces) || !slices.Equal(r.Scores, v.Scores) || r.Begin != v.Begin ||
		r.End != v.End || r.Unknown != v.Unknown {
		t.Errorf("got %v, want %v (%v)", r, v, err)
	}
	for _, bad := range []func(*Vocabulary){
		func(v *Vocabulary) { v.End = int32(len(v.Pieces)) },
		func(v *Vocabulary) { v.Begin = -1 },
		func(v *Vocabulary) { v.Scores = make([]float32, len(v.Pieces)-1) },
		func(v *Vocabulary) { v.Pieces[4] = strings.Repeat("a", maxText+1) },
		func(v *Vocabulary) { v.Pieces[4] = "\xFF" },
	} {
		x := &Vocabulary{Pieces: slices.Clone(v.Pieces), Scores: v.Scores, Unknown: 2}
		bad(x)
		if _, err := read(sections(x)); err == nil {
			t.Error("a wrong vocabulary was read")
		}
	}
	list := sections(v)
	i := slices.IndexFunc(list, func(s pack.Section) bool { return s.Name == "c.pieces.kind" })
	list[i].Data = []byte{1}
	if _, err := read(list); err == nil || !strings.Contains(err.Error(), "not read any more") {
		t.Errorf("another kind of vocabulary: %v", err)
	}
	for _, lower := range []bool{false, true} {
		w := &Vocabulary{Pieces: v.Pieces, Scores: v.Scores, End: 1, Unknown: 2, WordPiece: true, Lower: lower}
		if r, err := read(sections(w)); err != nil || !r.WordPiece || r.Lower != lower {
			t.Errorf("WordPiece, lowercase %v: %+v (%v)", lower, r, err)
		}
	}
	x := tiny()
	x.Scores[3] = float32(math.NaN())
	if x.Check() == nil {
		t.Error("a score that is no number passed")
	}
}

func FuzzWord(f *testing.F) {
	f.Add("abc", true)
	f.Fuzz(func(t *testing.T, form string, space bool) {
		for _, v := range []*Vocabulary{tiny(), tinyWordPiece()} {
			ids := v.Word(nil, form, space)
			if len(ids) < 1 || len(ids) > MaxPieces {
				t.Fatalf("%d pieces", len(ids))
			}
			for _, id := range ids {
				id, cased := Split(id)
				if id < 0 || int(id) >= len(v.Pieces) || id == v.Begin || id == v.End || cased < 0 || cased >= Cases {
					t.Fatalf("piece %d of case %d", id, cased)
				}
			}
		}
	})
}

func BenchmarkWord(b *testing.B) {
	v := tiny()
	ids := make([]int32, 0, MaxPieces)
	for b.Loop() {
		v.Word(ids, "abcabca", true)
	}
}

// Words of "Au lait, du lait" (Au = À le, du = de le): a space stands before
// tokens, and not before a comma or inside of a token.
func TestSentenceSpaces(t *testing.T) {
	s := syntax.Sentence{
		Words: []syntax.Word{{Form: "À"}, {Form: "le"}, {Form: "lait", Misc: "X=Y|SpaceAfter=No"}, {Form: ","},
			{Form: "de"}, {Form: "le"}, {Form: "lait"}},
		MWTs: []syntax.MultiwordToken{{First: 1, Last: 2, Form: "Au"},
			{First: 5, Last: 6, Form: "du", Misc: "SpaceAfter=No"}},
	}
	v := tiny()
	ids, ends := v.Sentence([]int32{7}, nil, &s)
	var want []int32
	at := []int32{7}
	for i, space := range []bool{true, false, true, false, true, false, false} {
		at = v.Word(at, s.Words[i].Form, space)
		want = append(want, int32(len(at)))
	}
	if !slices.Equal(ids, at) || !slices.Equal(ends, want) {
		t.Errorf("got %v, ends %v; want %v, ends %v", ids, ends, at, want)
	}
}
