package text

import (
	"strings"
	"testing"
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
