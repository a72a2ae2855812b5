package piece

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
)

// tinyWordPiece is a vocabulary written by hand, in lowercase.
func tinyWordPiece() *Vocabulary {
	v := &Vocabulary{Begin: 0, End: 1, Unknown: 2, WordPiece: true, Lower: true, Pieces: strings.Fields(
		"[CLS] [SEP] [UNK] ▁un aff able ▁want want ed ▁wa ▁runn ing ▁, ▁' ▁low est ▁日 ▁本 ▁a a ▁# # ▁海 wa ▁s")}
	for i := range v.Pieces {
		v.Scores = append(v.Scores, -float32(i))
	}
	return v
}

func wordPieces(v *Vocabulary, form string) string {
	var list []string
	for _, id := range v.Word(nil, form, false) {
		id, _ = Split(id)
		list = append(list, v.Pieces[id])
	}
	return strings.Join(list, " ")
}

func TestWordPiece(t *testing.T) {
	v := tinyWordPiece()
	for _, x := range []struct{ form, want string }{
		{"unwanted", "▁un want ed"}, {"UNAFFABLE", "▁un aff able"}, {"wanté́d,running", "▁want ed ▁, ▁runn ing"},
		{"unx", "▁un [UNK]"}, {"a#a", "▁a ▁# ▁a"}, {"ax", "▁a [UNK]"}, {"xyz", "[UNK]"}, {"a'S", "▁a ▁' ▁s"},
		{"日本", "▁日 ▁本"}, {"\uFA45a", "▁海 ▁a"}, {"[UNK]", "[UNK] ▁un [UNK]"}, {"", "[UNK]"}, {"  wa\u00A0wa\x00", "▁wa ▁wa"},
		{strings.Repeat("a", 101), "▁a" + strings.Repeat(" a", MaxPieces-1)},
	} {
		if got := wordPieces(v, x.form); got != x.want {
			t.Errorf("%q: got %q, want %q", x.form, got, x.want)
		}
	}
	// Of characters that are a mark and an accent, the mark is a word of its own.
	for _, x := range []struct{ form, want string }{{"a≠b", "▁a▁=▁b"}, {"≮a", "▁<▁a"}, {"a\u1FEFé", "▁a▁`▁e"}} {
		var n text
		if n.fill(v, x.form, true); string(n.bytes()) != x.want {
			t.Errorf("%q: got %q, want %q", x.form, n.bytes(), x.want)
		}
	}
	v.Lower = false
	if got := wordPieces(v, "Wa"); got != "[UNK] a" {
		t.Errorf("got %q, want a letter that stays a capital", got)
	}
}

// plainly cuts a word of letters and marks as Devlin and others say: a mark is a word of its
// own, and of each word the longest piece comes first.
func plainly(v *Vocabulary, form string) string {
	var list []string
	var words []string
	word := ""
	for _, r := range strings.ToLower(form) {
		if unicode.IsLetter(r) {
			word += string(r)
			continue
		}
		words, word = append(words, word, string(r)), ""
	}
	for _, w := range append(words, word) {
		for rest := "▁" + w; w != "" && rest != ""; {
			longest := ""
			for id, p := range v.Pieces {
				if id > 2 && strings.HasPrefix(rest, p) && len(p) > len(longest) {
					longest = p
				}
			}
			if longest == "" {
				_, rest, _ = cutFirst(strings.TrimPrefix(rest, "▁"))
				if n := len(list); n == 0 || list[n-1] != "[UNK]" {
					list = append(list, "[UNK]")
				}
				continue
			}
			list, rest = append(list, longest), rest[len(longest):]
		}
	}
	return strings.Join(list[:min(len(list), MaxPieces)], " ")
}

func cutFirst(s string) (first rune, rest string, ok bool) {
	for i, r := range s {
		if i == 0 {
			first, ok = r, true
			continue
		}
		return first, s[i:], ok
	}
	return first, "", ok
}

func TestWordPieceTakesTheLongest(t *testing.T) {
	v := tinyWordPiece()
	parts := []string{"un", "a", "able", "want", "ed", "WA", "runn", "ing", ",", "'", "low", "est", "#", "x", "s", "e"}
	r := hash.Rand(3)
	for range 3000 {
		form := parts[r.Below(uint32(len(parts)))]
		for range r.Below(6) {
			form += parts[r.Below(uint32(len(parts)))]
		}
		if got, want := wordPieces(v, form), plainly(v, form); got != want {
			t.Fatalf("%q: got %q, want %q", form, got, want)
		}
	}
}

// What is kept is of the same kind, and has the characters that begin words, too.
func TestRestrictWordPiece(t *testing.T) {
	v := tinyWordPiece()
	seen := make([]int, len(v.Pieces))
	seen[slices.Index(v.Pieces, "▁want")] = 1
	r, old := v.Restrict(seen, 0)
	if !r.WordPiece || !r.Lower || !slices.IsSorted(old) {
		t.Errorf("what is kept is another kind of vocabulary: %+v", r)
	}
	if got := wordPieces(r, "a,a#s want"); got != "▁a ▁, ▁a ▁# ▁s ▁want" {
		t.Errorf("got %q of %q", got, r.Pieces)
	}
}

// Ids of a vocabulary in lowercase say how the word is written in capitals.
func TestCase(t *testing.T) {
	v := tinyWordPiece()
	for _, x := range []struct {
		form string
		want int32
	}{{"want", small}, {"'", small}, {"Want", capitalised}, {"I", capitalised}, {"WANT", capitals}, {"WANT'", capitals}, {"waNt", mixed},
		{"WAnt", mixed}, {"'Want", mixed}, {"Éa", capitalised}, {"日", small}, {"ǅa", capitalised}} {
		for _, id := range v.Word(nil, x.form, true) {
			if id, letters := Split(id); letters != x.want || int(id) >= len(v.Pieces) {
				t.Errorf("%s: case %d of piece %d, want %d", x.form, letters, id, x.want)
			}
		}
	}
}
