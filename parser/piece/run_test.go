package piece

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// units returns the units of a text by a vocabulary of the pieces.
func units(text string, pieces ...string) (list []string) {
	v := &Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>"}, End: 1, Unknown: 2, Scores: []float32{0, 0, -30}}
	for _, p := range pieces {
		v.Pieces, v.Scores = append(v.Pieces, p), append(v.Scores, -1)
	}
	at := int32(0)
	for _, end := range v.units(nil, text) {
		list = append(list, strings.TrimSpace(text[at:end]))
		at = end
	}
	return list
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text, want string
		pieces     []string
	}{
		{"我们去北京。", "我们|去|北京|。", []string{"我们", "去", "北京", "们"}},
		{"我们", "我|们", nil},          // no piece is known
		{"我们去北京", "我|们|去|北|京", nil}, // as many characters as "<unk>" has
		{"sinh viên, 20%", "sinh|viên|,|20|%", nil},
		{" a  b", "a|b", nil},
		{"ทำงาน", "ทำ|งาน", []string{"ทํา", "งาน"}}, // one character becomes two in normal form
		{"去GPT4吧", "去|GPT4|吧", []string{"去", "吧"}},
		{"", "", nil},
	} {
		if got := strings.Join(units(c.text, c.pieces...), "|"); got != c.want {
			t.Errorf("units of %q: %s, want %s", c.text, got, c.want)
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("我们去 北京。ทำงาน ab1, \xff")
	f.Fuzz(func(t *testing.T, text string) {
		v := &Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "我们", "去", "งาน", "ํา"}, End: 1, Unknown: 2,
			Scores: []float32{0, 0, -30, -1, -2, -2, -3}}
		at := int32(0)
		for _, end := range v.units(nil, text) {
			if end <= at || int(end) > len(text) {
				t.Fatalf("a unit ends at %d after %d of %q", end, at, text)
			}
			unit := strings.TrimLeftFunc(text[at:end], unicode.IsSpace)
			if r, _ := utf8.DecodeRuneInString(unit); unit == "" || Unspaced(r) && utf8.RuneCountInString(unit) > maxUnit {
				t.Fatalf("unit %q of %q", unit, text)
			}
			at = end
		}
		if strings.TrimSpace(text[at:]) != "" {
			t.Fatalf("no unit has %q of %q", text[at:], text)
		}
	})
}
