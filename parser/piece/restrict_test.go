package piece

import (
	"slices"
	"strings"
	"testing"
)

// seenIn counts the pieces of words.
func seenIn(v *Vocabulary, words ...string) []int {
	seen := make([]int, len(v.Pieces))
	for _, w := range words {
		for _, id := range v.Word(nil, w, true) {
			seen[id]++
		}
	}
	return seen
}

// A vocabulary that is cut down cuts words of kept pieces as before.
func TestRestrict(t *testing.T) {
	v := tiny()
	words := []string{"abc", "cab", "ab", "xça", "日本"}
	r, old := v.Restrict(seenIn(v, words...), 0)
	if len(old) != len(r.Pieces) || len(old) >= len(v.Pieces) || !slices.IsSorted(old) {
		t.Fatalf("%d of %d pieces, old ids %v", len(r.Pieces), len(v.Pieces), old)
	}
	for i, id := range old {
		if r.Pieces[i] != v.Pieces[id] || r.Scores[i] != v.Scores[id] {
			t.Errorf("piece %d is %q, was %q", i, r.Pieces[i], v.Pieces[id])
		}
	}
	for _, w := range append(words, "xyz", "") {
		if got, want := names(r, w, true), names(v, w, true); got != want {
			t.Errorf("%q: got %q, want %q", w, got, want)
		}
	}
	for _, p := range []string{"<s>", "</s>", "<unk>", "▁", "a", "ç", "日"} {
		if !slices.Contains(r.Pieces, p) {
			t.Errorf("%q is gone", p)
		}
	}
	if slices.Contains(r.Pieces, "b▁a") {
		t.Error("a piece that nobody wants was kept")
	}
}

// What was not seen is filled in by score, from the scripts that were seen, up to a
// number of pieces; what was seen has no bound, and foreign letters bring no script.
func TestRestrictFills(t *testing.T) {
	v := &Vocabulary{Begin: 0, End: 1, Unknown: 2}
	for _, p := range []struct {
		name  string
		score float32
	}{{"<s>", 0}, {"</s>", 0}, {"<unk>", 0}, {"▁", -3}, {"a", -4}, {"b", -4}, {"д", -4}, {"е", -4}, {"1", -4}, {"󰀀", -4},
		{"ab", -9}, {"ba", -7}, {"▁ab", -8}, {"aд", -1}, {"да", -2}, {"дa", -2}, {"12", -8.5}, {"", -1}, {"aa", -7},
		{"日", -3}, {"日本", -3}, {"é́", -6}} {
		v.Pieces = append(v.Pieces, p.name)
		v.Scores = append(v.Scores, p.score)
	}
	v.Scores[v.Unknown] = UnknownScore(v.Scores)
	latin := slices.Repeat([]string{"a", "b"}, leastShare)
	for _, x := range []struct {
		words []string
		most  int
		want  string
	}{
		{latin, 0, "<s> </s> <unk> ▁ a b 1"},
		{latin, 8, "<s> </s> <unk> ▁ a b 1 é́"},
		{latin, 9, "<s> </s> <unk> ▁ a b 1 ba é́"}, // of equal scores the first
		{latin, 11, "<s> </s> <unk> ▁ a b 1 ba ▁ab aa é́"},
		{latin, 99, "<s> </s> <unk> ▁ a b 1 ab ba ▁ab 12 aa é́"},
		{append(latin, "日本"), 0, "<s> </s> <unk> ▁ a b 1 日本"},                // seen once, without its script
		{append(latin, "да", "е", "дд"), 9, "<s> </s> <unk> ▁ a b д е 1 да"}, // with it
		{[]string{"日"}, 99, "<s> </s> <unk> ▁ 1 12 日 日本"},
	} {
		for range 3 { // the tables of scripts are a map
			r, _ := v.Restrict(seenIn(v, x.words...), x.most)
			if got := strings.Join(r.Pieces, " "); got != x.want {
				t.Errorf("%d words from %q, %d pieces: got %q, want %q", len(x.words), x.words[len(x.words)-1], x.most, got, x.want)
			}
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}
