package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TestOpens checks which blocks begin paragraphs, and which are parts of one
// that was too long.
func TestOpens(t *testing.T) {
	long := strings.Repeat("word ", 5000) + "end."
	for name, c := range map[string]struct {
		data  string
		lines Lines
		want  string // of each block: opens (o), continues (c), cut (x)
	}{
		"paragraphs": {"one\n\ntwo\nthree", Paragraph, "o o o"},
		"wrapped":    {"one\n\ntwo\nthree", Wrapped, "o o"},
		"sentences":  {"one\ntwo\n\nthree\n \t\r\nfour\nfive", Sentence, "o - o o -"},
		"no blank":   {"\none\ntwo", Sentence, "o -"},
		"long line":  {"one\n" + long + "\ntwo\n\nthree", Sentence, "o x c - o"},
		"long":       {"one\n" + long + "\ntwo", Paragraph, "o ox c o"},
		"separator":  {"one\u2029two", Paragraph, "o o"},
	} {
		blocks, _ := read(t, []byte(c.data), decide(t, c.data, Options{Lines: c.lines}), 0, -1)
		var got []string
		for _, b := range blocks {
			s := ""
			for _, f := range []struct {
				is   bool
				mark string
			}{{b.Opens, "o"}, {b.Continues, "c"}, {b.Cut, "x"}} {
				if f.is {
					s += f.mark
				}
			}
			if s == "" {
				s = "-"
			}
			got = append(got, s)
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %s, want %s", name, g, c.want)
		}
	}
}

func TestLineOf(t *testing.T) {
	for _, data := range []string{"one\ntwo three\nfour\n", "one\rtwo three\rfour\r", "one\r\ntwo three\r\nfour\r\n"} {
		blocks, _ := read(t, []byte(data), decide(t, data, Options{Lines: Wrapped}), 0, -1)
		if b := blocks[0]; b.LineOf(0) != 1 || b.LineOf(strings.Index(b.Text, "three")) != 2 || b.LineOf(strings.Index(b.Text, "four")) != 3 {
			t.Errorf("%q: lines %d, %d and %d", data, b.LineOf(0), b.LineOf(strings.Index(b.Text, "three")), b.LineOf(strings.Index(b.Text, "four")))
		}
		second, _ := read(t, []byte("x\n\n"+data), decide(t, data, Options{Lines: Paragraph}), 2, -1)
		if second[0].LineOf(1) != 0 {
			t.Error("a line is known that cannot be")
		}
	}
}

func TestBlocksOfMemory(t *testing.T) {
	got, err := Blocks("One line.\n\nTwo\nlines.\n", 8, Options{Lines: Paragraph})
	want, _ := Blocks("One line.\n\nTwo\nlines.\n", 100, Options{Lines: Wrapped})
	if err != nil || len(got) != 3 || len(want) != 2 || !slices.Equal(got[:1], want[:1]) {
		t.Errorf("%q, %q, %v", got, want, err)
	}
	if got, err := Blocks("", 8, Options{Lines: Paragraph}); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestBounds holds Bounds against the text that a segmenter makes of a sentence, for all
// strings of up to five of some characters.
func TestBounds(t *testing.T) {
	chars := []string{"a", "\r", "\n", "é", "😀", "\xff"}
	var try func(s string, left int)
	try = func(s string, left int) {
		shown := []rune(strings.ReplaceAll(s, "\r\n", " "))
		got := Bounds(nil, s)
		if len(got) != len(shown)+1 || got[len(shown)] != len(s) {
			t.Fatalf("%q: %v", s, got)
		}
		for i, r := range shown {
			if c := s[got[i]:got[i+1]]; c != "\r\n" && []rune(c)[0] != r || c == "\r\n" && r != ' ' {
				t.Fatalf("%q: character %d is %q, want %q", s, i, c, r)
			}
		}
		for _, c := range chars {
			if left > 0 {
				try(s+c, left-1)
			}
		}
	}
	try("", 5)
}

func TestPlace(t *testing.T) {
	rd, err := NewReader(strings.NewReader("\n  One.\nTw\xffo. Three."), Layout{Encoding: "utf-8", Newline: '\n', Lines: Wrapped, Cuttable: true}, 0, -1)
	must(t, err)
	b, err := rd.Next()
	must(t, err)
	cut := func(spans ...[2]int) (list []syntax.Sentence) {
		for _, s := range spans {
			list = append(list, syntax.Sentence{Text: b.Text[s[0]:s[1]], StartByte: int64(s[0]), EndByte: int64(s[1])})
		}
		return list
	}
	one, two, three := [2]int{0, 4}, [2]int{5, 12}, [2]int{13, 19}
	got := cut(one, two, three)
	must(t, b.Place(got, Wrapped))
	for i, want := range []syntax.Sentence{
		{StartByte: 3, EndByte: 7, Line: 2},
		{StartByte: 8, EndByte: 13, Line: 3, Status: syntax.Repaired},
		{StartByte: 14, EndByte: 20, Line: 3},
	} {
		s := &got[i]
		if s.StartByte != want.StartByte || s.EndByte != want.EndByte || s.Line != want.Line || s.Status != want.Status {
			t.Errorf("sentence %d: %+v, want %+v", i, s, want)
		}
	}
	for what, list := range map[string][]syntax.Sentence{
		`"One."`:       cut(two, three),
		`"Three."`:     cut(one, two),
		"the order of": cut(one, one, two, three),
	} {
		if err := b.Place(list, Wrapped); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without %s: %v", what, err)
		}
	}
	b.Cut = true
	got = cut(one, two, three)
	if err := b.Place(got, Sentence); err != nil || got[0].Status != syntax.Long || got[1].Status != syntax.Repaired {
		t.Errorf("a line that was cut: %v, %v, %v", got[0].Status, got[1].Status, err)
	}
}

// Blocks know how many code points stand before them.
func TestChars(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"word ", "ü", "😀 ", "\n", "\r\n", "\n\n", "\r\n\r\n", "\u00a0", "\xff", "\x00", " ", "\t", "End. ", "\u2029", "```\n", "\xe2\x80", strings.Repeat("long ", 3)}
	for round := range 400 {
		var b strings.Builder
		for range 1 + chance.IntN(60) {
			b.WriteString(pieces[chance.IntN(len(pieces))])
		}
		source := []byte(b.String())
		if round%3 == 0 {
			source = append([]byte("\ufeff"), source...)
		}
		layout := decide(t, string(source), Options{Lines: []Lines{Wrapped, Paragraph, Sentence}[round%3]})
		whole := decodedAll(t, source, layout)
		for cut := 0; cut <= len(source); cut += 1 + chance.IntN(len(source)) {
			r, err := NewReader(bytes.NewReader(source), layout, 0, int64(cut))
			must(t, err)
			for block, err := range r.All() {
				must(t, err)
				n := utf8.RuneCountInString(block.Text)
				if int(block.Char)+n > len(whole) || string(whole[block.Char:int(block.Char)+n]) != block.Text {
					t.Fatalf("%q, lines %s: %.60q is not at code point %d, but at %d", source, layout.Lines, block.Text, block.Char, utf8.RuneCountInString(string(whole)[:strings.Index(string(whole), block.Text)]))
				}
			}
		}
	}
}

func decodedAll(t *testing.T, source []byte, l Layout) []rune {
	t.Helper()
	d := newDecoder(bytes.NewReader(source[l.BOM:]), l, int64(l.BOM))
	var w window
	for {
		err := d.decode(&w)
		if err == io.EOF {
			return []rune(string(w.text))
		}
		must(t, err)
	}
}
