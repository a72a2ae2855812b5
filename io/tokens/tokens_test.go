package tokens

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// read returns the sentences of [start, end) of data and their cover, having
// checked what every reader promises.
func read(t testing.TB, data []byte, encoding string, format Format, start, end int64) (list []Sentence, from, to int64) {
	t.Helper()
	l, err := Decide(data[:min(len(data), 64<<10)], encoding, format)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(data[min(text.SeekTo(start), int64(len(data))):]), l, format, start, end)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := r.Next()
		if err == io.EOF {
			from, to = r.Covered()
			return list, from, to
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Fault.Reason == "" {
			check(t, &s)
		} else if s.At < 0 || s.At > len(s.Text) {
			t.Fatalf("%q at %d of %d", s.Fault.Reason, s.At, len(s.Text))
		}
		list = append(list, s)
	}
}

func check(t testing.TB, s *Sentence) {
	t.Helper()
	if len(s.Sentence.Words) == 0 || s.Sentence.StartByte != s.Start || s.Sentence.EndByte != s.End {
		t.Fatalf("sentence %+v", s.Sentence)
	}
	runes := []rune(s.Sentence.Text)
	for _, w := range s.Sentence.Words {
		if w.Form == "" || w.Head != syntax.NoHead || string(runes[w.StartChar:w.EndChar]) != w.Form {
			t.Fatalf("word %+v of %q", w, s.Sentence.Text)
		}
		if strings.ContainsAny(w.Form, "\t\n\r\v\f") || !utf8.ValidString(w.Form) {
			t.Fatalf("form %q", w.Form)
		}
	}
}

// forms writes sentences with | between words, "¶" where a paragraph begins
// and reasons in brackets.
func forms(list []Sentence) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte('/')
		}
		if s.Opens {
			b.WriteString("¶")
		}
		if s.Fault.Reason != "" {
			fmt.Fprintf(&b, "[%d %s]", s.Offset(s.At), s.Fault.Reason)
		}
		for j, w := range s.Sentence.Words {
			if j > 0 {
				b.WriteByte('|')
			}
			b.WriteString(w.Form)
		}
	}
	return b.String()
}

const wantCoNLLU = "give --from conllu or --from conllx"

func TestLine(t *testing.T) {
	for data, want := range map[string]string{
		"":                                "",
		"\n \n":                           "",
		"A cat .\nIt sat .":               "¶A|cat|./It|sat|.",
		"A cat .\n\n\nIt sat .\n":         "¶A|cat|./¶It|sat|.",
		"  A\t cat  .\r\n \r\nIt\r\n":     "¶A|cat|./¶It",
		"\ufeffdon't stop ! Now .":        "¶don't|stop|!|Now|.",
		"10\u00a0000 people":              "¶10\u00a0000|people",
		"bad\xff byte":                    "¶bad\ufffd|byte",
		"A\rB\rC":                         "¶A/B/C",
		"1\ta\ta\tX\t_\t_\t0\troot\t_\t_": "¶[0 no tokens: this is a line of CoNLL-U or CoNLL-X; " + wantCoNLLU + "]",
		"1\ta\tb\tc\td\te\tf\tg\th\ti":    "¶1|a|b|c|d|e|f|g|h|i",
	} {
		list, from, to := read(t, []byte(data), "", Line, 0, -1)
		if got := forms(list); got != want || from != 0 || to != int64(len(data)) {
			t.Errorf("%q: got %s, cover %d to %d", data, got, from, to)
		}
	}
	list, _, _ := read(t, []byte("A  cat\t.\nx"), "", Line, 0, -1)
	if s := list[0]; s.Sentence.Text != "A cat ." || s.Start != 0 || s.End != 8 || list[1].Sentence.Line != 2 {
		t.Errorf("got %+v", list)
	}
	list, _, _ = read(t, []byte("caf\xe9 noir"), "latin1", Line, 0, -1)
	if s := list[0].Sentence; s.Text != "café noir" || s.Words[1].StartChar != 5 || s.EndByte != 9 || s.Status != syntax.OK {
		t.Errorf("got %+v", s)
	}
	list, _, _ = read(t, []byte("bad\xff byte"), "", Line, 0, -1)
	if s := list[0]; s.Sentence.Status != syntax.Repaired || s.FirstBad != 3 {
		t.Errorf("got %+v", s)
	}
}

func TestVertical(t *testing.T) {
	for data, want := range map[string]string{
		"":                                    "",
		"A\ncat\n.\n\nIt\nsat\n":              "A|cat|./It|sat",
		"A\tDET\ta\r\ncat\tNOUN\r\n\r\nIt\tX": "A|cat/It",
		"New York\nis\nbig":                   "New York|is|big",
		"one line":                            "one line",
		"EU B-ORG\nrejects O\n":               "[0 no tokens: every line has 2 columns with spaces between; put tabs between, or --from tokens is meant]",
		"A\n\tNOUN\n":                         "[2 no token: a line begins with a tab]",
		"A\n<s>\n\nB\n</s>\n\n<g/>\tx":        "[2 no token: <s>; X]/[9 no token: </s>; X]/<g/>",
		"<doc id=\"1\">\nA":                   "[0 no token: <doc id=\"1\">; X]",
		"<unk>\n<3\n<url>":                    "<unk>|<3|<url>",
		"1\ta\t_\t_\t_\t_\t0\t_\n2\tb":        "[0 no tokens: these are lines of CoNLL-U or CoNLL-X; " + wantCoNLLU + "]",
		"# text = a\n1\ta\t_\t_\t_\t_\t0\t_":  "[11 no tokens: these are lines of CoNLL-U or CoNLL-X; " + wantCoNLLU + "]",
		"1\tNUM\nman\tNOUN":                   "1|man",
		"a\r\r\nb\rc\n\nd\fe":                 "a|b|c/d e",
		"a\rb\rc\r\rd\ne":                     "a|b|c/d|e",
		"A\rcat\r\rIt":                        "A|cat/It",
	} {
		list, from, to := read(t, []byte(data), "", Vertical, 0, -1)
		for i := range list {
			list[i].Opens = false
		}
		want = strings.ReplaceAll(want, "X]", "remove such lines, and put a blank line between sentences]")
		if got := forms(list); got != want || from != 0 || to != int64(len(data)) {
			t.Errorf("%q: got %s, cover %d to %d\nwant %s", data, got, from, to, want)
		}
	}
	list, _, _ := read(t, []byte("A\tDET\ncat\n\n\nIt"), "", Vertical, 0, -1)
	if s := list[0].Sentence; s.Text != "A cat" || s.EndByte != 9 || list[1].Sentence.Line != 5 {
		t.Errorf("got %+v", list)
	}
}

// Sentences up to the limits are read whole; longer ones are failures that
// cost no memory for words.
func TestOf(t *testing.T) {
	s, why := Of([]string{" The", "New\nYork", "\u00a0"})
	if why != (syntax.Fault{}) || s.Text != "The New York \u00a0" || len(s.Words) != 3 || s.Words[1].Form != "New York" || s.Words[1].StartChar != 4 {
		t.Errorf("got %+v, %+v", s, why)
	}
	for _, c := range []struct {
		tokens []string
		want   string
	}{
		{nil, "the sentence is empty"},
		{[]string{"a", " \t"}, "token 2 is blank"},
		{[]string{strings.Repeat("x", syntax.MaxColumn+1)}, "token too long"},
		{make([]string, syntax.MaxWords+1), "sentence too long"},
	} {
		if _, why := Of(c.tokens); !strings.Contains(why.Reason, c.want) {
			t.Errorf("got %q, want %q", why.Reason, c.want)
		}
	}
}

func TestLongSentences(t *testing.T) {
	for _, c := range []struct {
		format    Format
		separator string
	}{{Line, " "}, {Vertical, "\n"}} {
		for _, n := range []int{5000, syntax.MaxWords, syntax.MaxWords + 1, 3 * syntax.MaxWords} {
			data := []byte(strings.Repeat("words."+c.separator, n) + "\n\nB" + c.separator + "c")
			list, _, to := read(t, data, "", c.format, 0, -1)
			if len(list) != 2 || to != int64(len(data)) || len(list[1].Sentence.Words) != 2 {
				t.Fatalf("%d words: got %d sentences", n, len(list))
			}
			if got := len(list[0].Sentence.Words); n <= syntax.MaxWords && got != n || n > syntax.MaxWords && (got > 0 || !strings.Contains(list[0].Fault.Reason, "words, the limit is 65535")) {
				t.Errorf("%d words: got %d, %q", n, got, list[0].Fault.Reason)
			}
		}
		data := []byte(strings.Repeat("a"+c.separator, 3*syntax.MaxBytes/4) + "\n\nB" + c.separator + "c")
		list, _, to := read(t, data, "", c.format, 0, -1)
		if len(list) != 3 || !strings.Contains(list[0].Fault.Reason, "over 4194304 bytes; is a") || list[1].Fault.Reason != list[0].Fault.Reason ||
			list[2].Fault.Reason != "" || to != int64(len(data)) {
			t.Errorf("got %d sentences", len(list))
		}
	}
}

// A token that is too long is found where it stands: not in a column that is ignored, and
// with white space in it that is read as a space.
func TestPlaceOfLongToken(t *testing.T) {
	long := strings.Repeat("x", syntax.MaxColumn+1)
	for _, before := range []string{"a\nb\n", "a\t" + long + "\n"} {
		for _, token := range []string{long, "x\v" + long} {
			list, _, _ := read(t, []byte(before+token+"\nc\n"), "", Vertical, 0, -1)
			if s := list[0]; s.Fault.Kind != syntax.KindLongColumn || s.At != len(before) {
				t.Errorf("after %.4q, %.4q: %s at %d, want %d", before, token, s.Fault.Reason, s.At, len(before))
			}
		}
	}
}

// However a file is cut, its sentences are the same, and the covers tile it.
func TestRangesGiveTheSameSentences(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"word", "A", " ", "  ", "\t", "\n", "\n", "\n\n", "\r\n", "é", "\xff", "<s>", "1\t", ".", strings.Repeat("long ", 50), " \n \n"}
	for round := range 300 {
		var data []byte
		for size := rng.IntN(1500); len(data) < size; {
			data = append(data, pieces[rng.IntN(len(pieces))]...)
		}
		format, encoding := Format(round%2), []string{"", "latin1", "utf-16le"}[round%3]
		for range 4 {
			checkCut(t, data, encoding, format, rng.Int64N(int64(len(data))+1))
		}
	}
}

// checkCut checks that the parts of a file before and behind a place have the sentences
// of the whole, and cover it.
func checkCut(t testing.TB, data []byte, encoding string, format Format, at int64) {
	t.Helper()
	whole, from, to := read(t, data, encoding, format, 0, -1)
	if from != 0 || to != int64(len(data)) {
		t.Fatalf("cover %d to %d of %d", from, to, len(data))
	}
	if at <= 0 || at >= int64(len(data)) {
		return
	}
	first, _, end := read(t, data, encoding, format, 0, at)
	second, begin, last := read(t, data, encoding, format, at, -1)
	if begin == last {
		begin, last = end, end // nothing is left to it
	}
	cut := append(first, second...)
	if got, want := forms(cut), forms(whole); got != want || begin != end || last != int64(len(data)) {
		t.Fatalf("cut at %d: got\n%s\nwant\n%s, covers %d, %d to %d", at, got, want, end, begin, last)
	}
	for i := range cut {
		if cut[i].Start != whole[i].Start || cut[i].End != whole[i].End {
			t.Fatalf("sentence %d is at [%d, %d), not [%d, %d)", i, cut[i].Start, cut[i].End, whole[i].Start, whole[i].End)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte("A cat .\n\nIt sat ."), true, int64(8))
	f.Add([]byte("A\tDET\ncat\n\nIt\xff\n<s>\n"), false, int64(9))
	f.Add([]byte("\xff\xfeA\x00\n\x00"), true, int64(1))
	f.Fuzz(func(t *testing.T, data []byte, byLine bool, at int64) {
		format := Vertical
		if byLine {
			format = Line
		}
		checkCut(t, data, "", format, at)
	})
}
