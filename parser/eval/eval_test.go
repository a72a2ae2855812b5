package eval

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sentence makes a sentence from words "form/head/deprel/UPOS/lemma/feats",
// of which the last ones may be missing. A multiword token is written before
// its words as "form=2" for two words.
func sentence(text string) syntax.Sentence {
	var s syntax.Sentence
	for _, field := range strings.Fields(text) {
		if form, count, ok := strings.Cut(field, "="); ok && !strings.Contains(form, "/") {
			var n int32
			fmt.Sscan(count, &n)
			first := int32(len(s.Words)) + 1
			s.MWTs = append(s.MWTs, syntax.MultiwordToken{First: first, Last: first + n - 1, Form: form})
			continue
		}
		f := append(strings.Split(field, "/"), "", "", "", "", "")
		w := syntax.Word{Form: f[0], Deprel: f[2], UPOS: f[3], Lemma: f[4], Feats: f[5], Head: syntax.NoHead}
		if f[1] != "" {
			fmt.Sscan(f[1], &w.Head)
		}
		s.Words = append(s.Words, w)
	}
	return s
}

func sentences(texts ...string) (out []syntax.Sentence) {
	for _, text := range texts {
		out = append(out, sentence(text))
	}
	return out
}

func evaluate(t *testing.T, gold, system []syntax.Sentence) *Result {
	t.Helper()
	r, err := Evaluate(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkScores(t *testing.T, r *Result, want map[Metric]Score) {
	t.Helper()
	for m, score := range want {
		if r.Scores[m] != score {
			t.Errorf("%s: got %+v, want %+v", m, r.Scores[m], score)
		}
	}
}

const dogs = "The/2/det/DET/the/Definite=Def dogs/4/nsubj:x/NOUN/dog/Number=Plur|Style=Coll " +
	"have/4/aux/AUX/have/ barked/0/root/VERB/_/VerbForm=Part !/4/punct/PUNCT/!/"

func TestGoldAgainstItself(t *testing.T) {
	gold := sentences(dogs, "dont=2 do/3/aux not/3/advmod go/0/root")
	r := evaluate(t, gold, gold)
	for _, m := range shared {
		if s := r.Scores[m]; s.F1() != 1 || s.Precision() != 1 || s.Recall() != 1 {
			t.Errorf("%s: %+v", m, s)
		}
	}
	checkScores(t, r, map[Metric]Score{
		Tokens: {7, 7, 7, -1}, Sentences: {2, 2, 2, -1}, Words: {8, 8, 8, -1}, LAS: {8, 8, 8, 8},
		CLAS: {4, 4, 4, 4}, LASPunct: {1, 1, 1, 1}, LASNoPunct: {7, 7, 7, 7},
	})
}

func TestSameWords(t *testing.T) {
	// Wrong: head and deprel of "The", subtype of "dogs", a feature of "dogs"
	// that is not universal, lemma of "barked" that gold does not give, UPOS of
	// "have", head of "!".
	system := "The/4/case/DET/the/Definite=Def dogs/4/nsubj/NOUN/dog/Number=Plur " +
		"have/4/aux/VERB/have/ barked/0/root/VERB/bark/VerbForm=Part !/2/punct/PUNCT/!/"
	r := evaluate(t, sentences(dogs), sentences(system))
	checkScores(t, r, map[Metric]Score{
		UPOS: {5, 5, 4, 5}, XPOS: {5, 5, 5, 5}, UFeats: {5, 5, 5, 5}, AllTags: {5, 5, 4, 5}, Lemmas: {5, 5, 5, 5},
		UAS: {5, 5, 3, 5}, LAS: {5, 5, 3, 5}, LASFull: {5, 5, 2, 5},
		// Content words: dogs, barked. MLAS wants the functional modifiers too:
		// "dogs" lost "The", "barked" got it and has "have" with a wrong UPOS.
		CLAS: {2, 2, 2, 2}, MLAS: {2, 2, 0, 2}, BLEX: {2, 2, 2, 2},
		UASPunct: {1, 1, 0, 1}, LASPunct: {1, 1, 0, 1},
		UASNoPunct: {4, 4, 3, 4}, LASNoPunct: {4, 4, 3, 4}, LASFullNoPunct: {4, 4, 2, 4},
	})
}

func TestContentIsDecidedByGoldForPairs(t *testing.T) {
	gold := sentences("a/2/det b/0/root c/2/obj")
	system := sentences("a/2/nmod b/0/root c/2/punct")
	checkScores(t, evaluate(t, gold, system), map[Metric]Score{CLAS: {2, 2, 1, 2}})
	checkScores(t, evaluate(t, system, gold), map[Metric]Score{CLAS: {2, 2, 1, 2}})
}

func TestBoundaries(t *testing.T) {
	for _, c := range []struct {
		name         string
		gold, system []syntax.Sentence
		tokens       Score
		sentences    Score
		words        Score
		las          Score
	}{
		{
			"two tokens taken as one",
			sentences("ab/2/det cd/0/root ef/2/obj"), sentences("abcd/0/root ef/1/obj"),
			Score{3, 2, 1, -1}, Score{1, 1, 1, -1}, Score{3, 2, 1, -1}, Score{3, 2, 0, 1},
		},
		{
			"a sentence cut in two",
			sentences("a/0/root b/1/obj c/1/obj"), sentences("a/0/root b/1/obj", "c/0/root"),
			Score{3, 3, 3, -1}, Score{1, 2, 0, -1}, Score{3, 3, 3, -1}, Score{3, 3, 2, 3},
		},
		{
			"spaces of any kind in forms do not count",
			[]syntax.Sentence{{Words: []syntax.Word{{Form: "10\u00a0000", Deprel: "root"}}}},
			sentences("10/0/root 000/1/flat"),
			Score{1, 2, 0, -1}, Score{1, 1, 1, -1}, Score{1, 2, 0, -1}, Score{1, 2, 0, 0},
		},
		{
			"a range against plain words of the same forms",
			sentences("x/3/det AB=2 a/3/aux b/0/root"), sentences("x/3/det A/3/aux B/0/root"),
			Score{2, 3, 1, -1}, Score{1, 1, 1, -1}, Score{3, 3, 3, -1}, Score{3, 3, 3, 3},
		},
		{
			"ranges that overlap are aligned as one stretch",
			sentences("abc=2 a/0/root bc/1/obj de=2 d/1/obj e/1/obj"),
			sentences("a/0/root bcd=2 bc/1/obj d/1/obj e/1/obj"),
			Score{2, 3, 0, -1}, Score{1, 1, 1, -1}, Score{4, 4, 4, -1}, Score{4, 4, 4, 4},
		},
		{
			"the subsequence prefers to pass over gold words",
			sentences("abab=4 a/0/root b/1/x a/1/x c/1/x"), sentences("abab=2 b/0/root a/1/x"),
			Score{1, 1, 1, -1}, Score{1, 1, 1, -1}, Score{4, 2, 2, -1}, Score{4, 2, 0, 2},
		},
		{
			"capital letters with special mappings",
			sentences("ΟΣİ=3 ος/0/root ΣΑ/1/x i\u0307/1/x"), sentences("ΟΣİ=3 ΟΣ/0/root σα/1/x İ/1/x"),
			Score{1, 1, 1, -1}, Score{1, 1, 1, -1}, Score{3, 3, 3, -1}, Score{3, 3, 3, 3},
		},
	} {
		r := evaluate(t, c.gold, c.system)
		for m, want := range map[Metric]Score{Tokens: c.tokens, Sentences: c.sentences, Words: c.words, LAS: c.las} {
			if r.Scores[m] != want {
				t.Errorf("%s: %s: got %+v, want %+v", c.name, m, r.Scores[m], want)
			}
		}
	}
}

func TestMissingAndMisplacedHeads(t *testing.T) {
	gold := sentences("a/0/root b/1/obj c/1/obj")
	system := sentences("a//root b/9/obj c/1/obj")
	r := evaluate(t, gold, system)
	checkScores(t, r, map[Metric]Score{UAS: {3, 3, 1, 3}})
	if r.GoldMultiRoot != 0 || r.SystemMultiRoot != 1 {
		t.Errorf("multiple roots: %d, %d", r.GoldMultiRoot, r.SystemMultiRoot)
	}
	checkScores(t, evaluate(t, system, system), map[Metric]Score{UAS: {3, 3, 1, 3}})
}

func TestMismatch(t *testing.T) {
	gold := sentences("a/0/root", "bcd/0/root e/1/x")
	gold[1].ID, gold[1].Line = "s2", 7
	system := sentences("a/0/root b/1/x c/1/x e/1/x")
	_, err := Evaluate(gold, system)
	if want := `gold and system texts differ: gold continues "de" in sentence 2 (s2) at line 7, system "e" in sentence 1: are they of the same text?`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := Evaluate(gold, gold[:1]); err == nil ||
		!strings.Contains(err.Error(), `system "" in nothing, at its end`) {
		t.Errorf("missing sentence: %v", err)
	}
	if _, err := Evaluate(gold, []syntax.Sentence{{Words: []syntax.Word{{Form: " "}}}}); err == nil {
		t.Error("empty form accepted")
	}
	if r := evaluate(t, nil, nil); r.Scores[LAS].F1() != 0 {
		t.Error("nothing against nothing")
	}
}

// A multiword token over thousands of words is an error that says what to do, and
// takes no table of all pairs; one over fewer words is aligned.
func TestLongMultiwordTokens(t *testing.T) {
	token := func(n int) []syntax.Sentence {
		s := sentence(fmt.Sprintf("ab=%d", n) + strings.Repeat(" a/0", n))
		s.ID = "x"
		return []syntax.Sentence{s}
	}
	if r := evaluate(t, token(300), token(2000)); r.Scores[Words].Correct != 300 {
		t.Errorf("words %+v", r.Scores[Words])
	}
	gold, system := token(5000), token(4000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Evaluate(gold, system)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(),
		"gold sentence 1 (x): multiword tokens join 5000 gold and 4000 system words") {
		t.Errorf("error %v", err)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 16 {
		t.Errorf("%d MB were allocated", mb)
	}
}

func TestLengths(t *testing.T) {
	six := "a/0/root b/1/x c/1/x d/1/x e/1/x f/1/x"
	r := evaluate(t, sentences(six, "a/0/root b/1/x"), sentences(strings.Replace(six, "1/x", "1/y", 2), "a/2/x b/0/root"))
	for i, want := range []struct {
		min, max, sentences, words int
		uas, las                   float64
	}{{1, 5, 1, 2, 0, 0}, {6, 10, 1, 6, 1, 4.0 / 6}} {
		if b := r.Lengths[i]; b.Min != want.min || *b.Max != want.max || b.Sentences != want.sentences ||
			b.Words != want.words || b.UAS != want.uas || b.LAS != want.las {
			t.Errorf("bin %d: got %+v, want %+v", i, b, want)
		}
	}
	if last := r.Lengths[len(r.Lengths)-1]; last.Min != 51 || last.Max != nil || last.Sentences != 0 {
		t.Errorf("last bin %+v", last)
	}
}

func TestCrossingCounts(t *testing.T) {
	// Gold: 3 -> 1 and 4 -> 2 cross. System: 4 -> 1 in place of 3 -> 1, none cross.
	gold := sentences("a/3/x b/4/x c/4/x d/0/root")
	system := sentences("a/4/x b/4/x c/4/x d/0/root")
	if c := evaluate(t, gold, system).Crossing; c != (Crossing{Gold: 2, GoldFound: 1}) {
		t.Errorf("got %+v", c)
	}
	if c := evaluate(t, system, gold).Crossing; c != (Crossing{System: 2, SystemRight: 1}) {
		t.Errorf("got %+v", c)
	}
	if c := evaluate(t, gold, gold).Crossing; c != (Crossing{2, 2, 2, 2}) {
		t.Errorf("got %+v", c)
	}
	// An arc over the root crosses the arc from the root.
	over := sentences("a/2/x b/0/root c/1/x")
	if c := evaluate(t, over, over).Crossing; c.Gold != 2 {
		t.Errorf("over the root: got %+v", c)
	}
}

// TestCrossingAgainstPairs compares with the definition, pair by pair.
func TestCrossingAgainstPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		heads := make([]int32, 1+rng.IntN(9))
		for i := range heads {
			heads[i] = int32(rng.IntN(len(heads)+2) - 1) // also none
			if heads[i] == int32(i+1) {
				heads[i] = 0
			}
		}
		arc := func(i int) (a, b int32) { return min(heads[i], int32(i+1)), max(heads[i], int32(i+1)) }
		for i, got := range crossing(heads) {
			want := false
			for j := range heads {
				if heads[i] < 0 || heads[j] < 0 {
					continue
				}
				a, b := arc(i)
				c, d := arc(j)
				want = want || a < c && c < b && b < d || c < a && a < d && d < b
			}
			if got != want {
				t.Fatalf("word %d of %v: %v, want %v", i+1, heads, got, want)
			}
		}
	}
}

// TestCrossingOfStar has a sentence whose arcs all reach back to its first word. The pairs of
// a word and an arc over it take longer than the test may.
func TestCrossingOfStar(t *testing.T) {
	heads := make([]int32, 1<<18)
	for i := 1; i < len(heads); i++ {
		heads[i] = 1
	}
	begun := time.Now()
	if slices.Contains(crossing(heads), true) || time.Since(begun) > 10*time.Second {
		t.Errorf("an arc crosses, or it took too long: %v", time.Since(begun))
	}
}

func TestPunctuationForms(t *testing.T) {
	for form, want := range map[string]bool{".": true, "?!": true, "_": true, "«": true, "。": true, "$": false,
		"a.": false, "": false, "+": false} {
		if isPunctuation(form) != want {
			t.Errorf("%q: %v", form, !want)
		}
	}
}
