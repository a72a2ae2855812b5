package conllu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam/parser/syntax"
)

// read returns all blocks of a text.
func read(t testing.TB, text string, o Options) []Block {
	t.Helper()
	var blocks []Block
	for b, err := range Read(strings.NewReader(text), o) {
		if err != nil {
			t.Fatalf("read error %v", err)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// line makes a word line with the given ID and HEAD.
func line(id, head string) string {
	return id + "\tw" + id + "\t_\t_\t_\t_\t" + head + "\tdep\t_\t_\n"
}

func TestBrokenBlocksStandAlone(t *testing.T) {
	good := line("1", "0") + "\n"
	for name, bad := range map[string]string{
		"9 columns":                  "1\ta\t_\t_\t_\t_\t0\troot\t_\n",
		"spaces for tabs":            "1 a _ _ _ _ 0 root _ _\n",
		"word 2, but 1 comes next":   line("2", "0"),
		"word 3, but 2 comes next":   line("1", "0") + line("3", "1"),
		`"01" is not a word number`:  line("01", "0"),
		"not a range":                line("2-1", "_") + line("1", "0"),
		"before word 2":              line("2-3", "_") + line("1", "0"),
		"overlaps token 1-2":         line("1-2", "_") + line("1", "0") + line("2-3", "_") + line("2", "1") + line("3", "1"),
		"after the last word":        line("1-3", "_") + line("1", "0") + line("2", "1"),
		"is not after word":          line("1", "0") + line("0.1", "_"),
		"empty node 1.1 after":       line("1", "0") + line("1.1", "_") + line("1.1", "_"),
		"the column is empty":        "1\t\t_\t_\t_\t_\t0\troot\t_\t_\n",
		"no word line":               "# only a comment\n",
		"0 columns":                  "",
		"1 columns, not 10":          "no CoNLL at all\n",
		"by spaces, not by tabs":     "1  a  a  X  X  _  0  root  _  _\n",
		"\"99999999999\" is not a w": line("99999999999", "0"),
	} {
		if bad == "" {
			continue
		}
		blocks := read(t, good+bad+"\n"+good, Options{})
		if len(blocks) != 3 || blocks[0].Err != nil || blocks[2].Err != nil {
			t.Errorf("%s: neighbours not read: %+v", name, blocks)
			continue
		}
		e := blocks[1].Err
		want := strings.TrimPrefix(name, "spaces for tabs")
		if e == nil || !strings.Contains(e.Error(), want) {
			t.Errorf("%q: error %v", name, e)
		}
		if e != nil && (e.Line < 3 || e.Offset < blocks[1].Start || e.Offset >= blocks[1].End) {
			t.Errorf("%q: line %d at byte %d of [%d,%d)", name, e.Line, e.Offset, blocks[1].Start, blocks[1].End)
		}
	}
}

func TestTolerance(t *testing.T) {
	plain := "# text = w1 w2\n" + line("1", "0") + line("2", "1") + "\n"
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	for name, text := range map[string]string{
		"CRLF":               crlf + crlf,
		"BOM":                "\ufeff" + plain + plain,
		"BOM and CRLF":       "\ufeff" + crlf + crlf,
		"blank lines":        "\n \t\n" + plain + "\n\n   \n\t\t\n" + plain + "\n\n",
		"no final blank":     plain + strings.TrimSuffix(plain, "\n"),
		"no final line feed": plain + strings.TrimSuffix(plain, "\n\n"),
	} {
		var got bytes.Buffer
		for _, b := range read(t, text, Options{}) {
			if b.Err != nil || len(b.Warnings) > 0 {
				t.Errorf("%s: %v %v", name, b.Err, b.Warnings)
			}
			if text[b.Start:b.End] != b.Raw {
				t.Errorf("%s: wrong interval", name)
			}
			if n := int64(strings.Count(text[:b.Start], "\n")) + 1; n != b.Line {
				t.Errorf("%s: line %d, want %d", name, b.Line, n)
			}
			Write(&got, &b.Sentence)
		}
		if got.String() != plain+plain {
			t.Errorf("%s: got %q", name, got.String())
		}
	}
}

func TestMended(t *testing.T) {
	for name, c := range map[string]struct {
		in, out string
		line    int64
		reason  string
	}{
		"bad UTF-8":     {"# a\n1\tx\xff\xfey\t_\t_\t_\t_\t0\troot\t_\t_\n", "# a\n1\tx\ufffd\ufffdy\t_\t_\t_\t_\t0\troot\t_\t_\n\n", 2, "2 bytes that are NUL or not UTF-8, the first at byte 3"},
		"NUL":           {"# a\x00\n1\tx\x00y\t_\tN\x00\t_\t_\t0\troot\t_\t_\n", "# a\ufffd\n1\tx\ufffdy\t_\tN\ufffd\t_\t_\t0\troot\t_\t_\n\n", 1, "3 bytes that are NUL or not UTF-8, the first at byte 3"},
		"empty column":  {"1\tx\t\t_\t_\t_\t0\troot\t_\t_\n", "1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n", 1, "column LEMMA: the column is empty"},
		"late comment":  {line("1", "0") + "# late\n" + line("2", "1"), "# late\n" + line("1", "0") + line("2", "1") + "\n", 2, "moved"},
		"node in range": {line("1-2", "_") + "0.1" + line("", "_") + line("1", "0") + line("2", "1"), "0.1" + line("", "_") + line("1-2", "_") + line("1", "0") + line("2", "1") + "\n", 2, "moved before the token"},
	} {
		c.in = strings.ReplaceAll(c.in, "1-2\tw1-2\t_\t_\t_\t_\t_\tdep", "1-2\tw\t_\t_\t_\t_\t_\t_")
		c.out = strings.ReplaceAll(c.out, "1-2\tw1-2\t_\t_\t_\t_\t_\tdep", "1-2\tw\t_\t_\t_\t_\t_\t_")
		b := read(t, c.in, Options{})[0]
		var got bytes.Buffer
		if b.Err != nil {
			t.Errorf("%s: %v", name, b.Err)
			continue
		}
		Write(&got, &b.Sentence)
		if got.String() != c.out {
			t.Errorf("%s: got %q, want %q", name, got.String(), c.out)
		}
		if b.Sentence.Status != syntax.Repaired || len(b.Warnings) != 1 || b.Warnings[0].Line != c.line || !strings.Contains(b.Warnings[0].Error(), c.reason) {
			t.Errorf("%s: status %v, warnings %v", name, b.Sentence.Status, b.Warnings)
		}
	}
}

func TestHeadsAreNotJudged(t *testing.T) {
	for _, c := range []struct {
		head   string
		want   int32
		reason string
	}{
		{"_", syntax.NoHead, "word 1 has no head"},
		{"7", syntax.NoHead, "head 7 of word 1 is not in the sentence, which has 2 words"},
		{"-1", syntax.NoHead, `"-1" is not a number`},
		{"x", syntax.NoHead, `"x" is not a number`},
		{"99999999999", syntax.NoHead, "is not a number"},
		{"1", 1, "no word has head 0"},
		{"2", 2, "no word has head 0"},
		{"0", 0, ""},
	} {
		text := line("1", c.head) + line("2", "1") + "\n"
		b := read(t, text, Options{})[0]
		if b.Err != nil || len(b.Warnings) > 0 || b.Sentence.Words[0].Head != c.want {
			t.Errorf("HEAD %s: %v %v %d", c.head, b.Err, b.Warnings, b.Sentence.Words[0].Head)
		}
		_, err := ReadTrees(strings.NewReader("\n"+text), "f.conllu", Options{})
		if c.reason == "" {
			if err != nil {
				t.Errorf("HEAD %s refused: %v", c.head, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Line != 2 || !strings.HasPrefix(err.Error(), "f.conllu:2: column HEAD: ") || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("HEAD %s: %v", c.head, err)
		}
	}
}

func TestReadTreesJudges(t *testing.T) {
	roots := line("1", "0") + line("2", "0") + "\n"
	cycle := line("1", "0") + line("2", "3") + line("3", "2") + "\n"
	blank := line("1", "_") + line("2", "1") + "\n"
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{roots, Options{}, "f:2: column HEAD: words 1 and 2 are both roots: a tree has one"},
		{roots, Options{MultipleRoots: true}, ""},
		{cycle, Options{MultipleRoots: true, NoHeads: true}, "f:2: column HEAD: the heads of word 2 lead back to it: a cycle"},
		{blank, Options{NoHeads: true}, ""},
		{"junk\n\n" + cycle + roots, Options{}, "f:1: 1 columns, not 10 separated by tabs (and 2 more sentences)"},
	} {
		sents, err := ReadTrees(strings.NewReader(c.text), "f", c.o)
		if c.want == "" && (err != nil || len(sents) != 1) || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct {
		text, want string // of CheckHeads
	}{
		{roots, "line 2: column HEAD: words 1 and 2 are both roots: a tree has one"},
		{cycle, "line 2: column HEAD: the heads of word 2 lead back to it: a cycle"},
		{line("1", "_") + line("2", "7") + "\n", "line 2: column HEAD: head 7 of word 2 is not in the sentence, which has 2 words"},
		{line("1", "9") + line("2", "x") + "\n", "line 1: column HEAD: head 9 of word 1 is not in the sentence, which has 2 words"},
		{line("1", "0") + line("2", "0") + line("3", "x") + "\n", "line 2: column HEAD: words 1 and 2 are both roots: a tree has one"},
		{line("1", "2") + line("2", "2") + line("3", "x") + "\n", "line 2: column HEAD: the heads of word 2 lead back to it: a cycle"},
	} {
		if e := read(t, c.text, Options{})[0].CheckHeads(); e == nil || e.Error() != c.want {
			t.Errorf("%q: %v, want %q", c.text, e, c.want)
		}
	}
	if e := read(t, blank, Options{})[0].CheckHeads(); e != nil {
		t.Errorf("%q: %v", blank, e)
	}
	if _, err := ReadAll("testdata/none.conllu"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestLongLinesAndBlocks(t *testing.T) {
	long := "1\t" + strings.Repeat("é", syntax.MaxColumn/2) + "\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
	checkRoundTrip(t, "1 MB form", long+long, U)
	blocks := read(t, line("1", "0")+"\n"+long+line("1", "0"), Options{MaxBlock: 1 << 20})
	if len(blocks) != 3 || blocks[0].Err != nil || blocks[2].Err != nil || blocks[1].Err == nil {
		t.Fatalf("%d blocks", len(blocks))
	}
	if b := blocks[1]; b.End-b.Start != int64(len(long)-1) || len(b.Raw) != 1<<20 || !strings.Contains(b.Err.Reason, "limit") {
		t.Errorf("large block: [%d,%d), %d bytes kept, %v", b.Start, b.End, len(b.Raw), b.Err)
	}
	var many strings.Builder
	for i := 1; i <= syntax.MaxWords+1; i++ {
		many.WriteString(line(fmt.Sprint(i), "0"))
	}
	if b := read(t, many.String(), Options{})[0]; b.Err == nil || b.Err.Line != syntax.MaxWords+1 {
		t.Errorf("too many words: %v", b.Err)
	}
}

func TestReadErrorEndsTheStream(t *testing.T) {
	broken := errors.New("broken pipe")
	r := NewReader(io.MultiReader(strings.NewReader(line("1", "0")+"\n"+line("1", "0")), iotest.ErrReader(broken)), Options{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); err != broken {
			t.Fatalf("got %v", err)
		}
	}
}

func TestFailed(t *testing.T) {
	in := "# a\n# treebeam_failure = old\n" + line("1", "0") + "\n"
	b := read(t, in, Options{})[0]
	want := "# a\n# treebeam_failure = work limit; see log\n" + strings.Replace(line("1", "_"), "dep", "_", 1) + "\n"
	var got bytes.Buffer
	Write(&got, Failed(&b.Sentence, "work limit;\n see\tlog"))
	if got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	if b.Sentence.Words[0].Head != 0 || len(b.Sentence.Comments) != 2 {
		t.Error("Failed changed its argument")
	}
}

func TestRawText(t *testing.T) {
	sents, err := ReadAll("testdata/text.conllu")
	must(t, err)
	var got bytes.Buffer
	must(t, RawText(&got, sents))
	want := "Don't go. It rains.\n\nWe \"stay\" here.Now\n\n10 000 more\n"
	if got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	for i, want := range []string{"Don't go.", "It rains.", "We \"stay\" here.", "Now", "10 000 more"} {
		if sents[i].Text != want {
			t.Errorf("text %d: %q, want %q", i, sents[i].Text, want)
		}
		for _, w := range sents[i].Words {
			if w.EndChar == 0 {
				t.Errorf("word %q of %q has no place", w.Form, want)
			}
		}
	}
	if w := sents[0].Words; w[0].StartChar != 0 || w[0].EndChar != 5 || w[1].StartChar != 0 || w[1].EndChar != 5 || w[2].StartChar != 6 {
		t.Errorf("places of the multiword token: %+v", w[:3])
	}
}

func FuzzRead(f *testing.F) {
	for _, path := range []string{"testdata/odd.conllu", "testdata/text.conllu"} {
		data, err := os.ReadFile(path)
		must(f, err)
		f.Add(data, uint16(40))
	}
	f.Add([]byte("\ufeff1-2\ta\xff\t\r\n\x00"), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		text := string(data)
		var first bytes.Buffer
		blocks := read(t, text, Options{})
		for _, b := range blocks {
			if text[b.Start:b.End] != b.Raw {
				t.Fatal("wrong interval")
			}
			if b.Err == nil {
				Write(&first, &b.Sentence)
			}
		}
		var second bytes.Buffer
		for _, b := range read(t, first.String(), Options{}) {
			if b.Err != nil || len(b.Warnings) > 0 {
				t.Fatalf("what was written is refused: %v %v", b.Err, b.Warnings)
			}
			Write(&second, &b.Sentence)
		}
		if first.String() != second.String() {
			t.Fatalf("written twice: %q, %q", first.String(), second.String())
		}
		at := int64(cut) % int64(len(text)+1)
		if at == 0 {
			return
		}
		parts := places(read(t, text, Options{End: at}))
		parts = append(parts, places(read(t, text[at:], Options{Start: at}))...)
		if fmt.Sprint(parts) != fmt.Sprint(places(blocks)) {
			t.Fatalf("cut at %d: %v, want %v", at, parts, places(blocks))
		}
	})
}

func TestComment(t *testing.T) {
	for line, want := range map[string][2]string{
		"# sent_id = a=b": {"sent_id", "a=b"}, "#newpar": {"newpar", ""}, "#  newdoc id=x ": {"newdoc id", "x"},
		"# text =  a": {"text", "a"}, "#": {}, "# = x": {"", "x"},
	} {
		if key, value := Comment(line); key != want[0] || value != want[1] {
			t.Errorf("%q: %q, %q, want %q", line, key, value, want)
		}
	}
}
