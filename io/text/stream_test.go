package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// streamBlocks returns the blocks of a stream that r reads, which data is.
func streamBlocks(t testing.TB, data string, r io.Reader, o Options) []Block {
	t.Helper()
	first := strings.IndexByte(data, '\n') + 1
	if first == 0 {
		first = len(data)
	}
	rd, err := NewStream(r, []byte(data[:first]), o)
	must(t, err)
	blocks, err := all(rd)
	must(t, err)
	if _, end := rd.Covered(); end != int64(len(data)) {
		t.Fatalf("the cover ends at %d of %d", end, len(data))
	}
	return blocks
}

var wrappedProse = strings.Repeat("The boat lay at the quay for as long as anybody\ncould remember, and nobody knew whose it was\nor where it had come from in the first place.\n\n", 60)

func TestStreamIsLikeFile(t *testing.T) {
	for name, data := range map[string]string{
		"wrapped":            wrappedProse,
		"wrapped, CRLF":      strings.ReplaceAll(wrappedProse, "\n", "\r\n"),
		"Markdown":           strings.Repeat(otherLines["Markdown"].data, 20),
		"titles":             "THE BOAT\n\nCHAPTER I.\n\n" + wrappedProse,
		"lines":              strings.Repeat("One line is here.\nAnother that is a little longer comes then!\nA third.\nAnd one more, with more in it.\n", 150),
		"headings and lines": strings.Repeat("A heading\nOne long line is here, and it ends.\nAnother heading\nShort.\nAnd one more, with more in it.\n", 150),
		"carriage returns":   strings.Repeat("One line is here.\rAnother one\rAnd a third\r", 200),
		"mark":               "\ufeff" + wrappedProse,
		"short":              "One line",
		"empty":              "",
		"blank":              "\n \n\t\n",
		"long line":          strings.Repeat("word ", 9000) + "\nand more.\n",
	} {
		for _, lines := range []Lines{AutoLines, Wrapped, Paragraph, Sentence} {
			if name == "long line" && lines == AutoLines {
				continue // a stream is not asked for 45 KB before its first block
			}
			o := Options{Lines: lines}
			want, _ := read(t, []byte(data), decide(t, data, o), 0, -1)
			got := streamBlocks(t, data, strings.NewReader(data), o)
			t.Run(name+" "+string(lines), func(t *testing.T) { same(t, got, want) })
		}
	}
}

// A first line that ends a sentence does not wait for the next ones.
func TestStreamWaitsForNoMore(t *testing.T) {
	for name, c := range map[string]struct{ data, more, want string }{
		"a sentence":         {"It ends here.\n", "and goes on", "It ends here."},
		"two":                {"It ends.\n\nThat ends here too!\n", "next", "That ends here too!"},
		"no second":          {"It ends.\nThat ends here too!\n", "next", "It ends."},
		"CRLF":               {"It ends here.\r\n", "x", "It ends here."},
		"a title":            {"A title\n\n", "x", "A title"},
		"short":              {"It was old.\n", "x", "It was old."},
		"an abbreviation":    {"We met in front of the office and saw Mr.\nSmith there.\n", "", ""},
		"no end":             {"We met\nMr. Smith there today.\n", "", ""},
		"blank to be":        {"A title\n  ", "", ""},
		"ends after no end":  {"We met\nthem.\n\nIt ended there.\n", "", ""},
		"lines, said":        {"We met\n", "them", "We met"},
		"wrapped, said":      {"We met\nthem\n\n", "there", "We met\nthem"},
		"wrapped, said; end": {"We met.\n", "", ""},
	} {
		o := Options{}
		if strings.HasPrefix(name, "wrapped") {
			o.Lines = Wrapped
		} else if strings.HasPrefix(name, "lines") {
			o.Lines = Paragraph
		}
		broken := false
		r := io.MultiReader(iotest.OneByteReader(strings.NewReader(c.data+c.more)), readFunc(func() { broken = true }))
		rd, err := NewStream(r, []byte(c.data[:strings.IndexByte(c.data, '\n')+1]), o)
		must(t, err)
		last := ""
		for b, err := range rd.All() {
			if err != nil {
				break
			}
			if !broken { // what is there when the stream breaks is given as well
				last = b.Text
			}
			if got := rd.win.end(); got > int64(len(c.data)) && !broken {
				t.Errorf("%s: %q came when %d bytes were read", name, b.Text, got)
			}
		}
		if last != c.want {
			t.Errorf("%s: the last block before the end of what came is %q, want %q", name, last, c.want)
		}
	}
}

// A readFunc is called when it is read, and fails.
type readFunc func()

func (f readFunc) Read([]byte) (int, error) {
	f()
	return 0, io.ErrNoProgress
}

// However the bytes come, the blocks are the same.
func FuzzStream(f *testing.F) {
	f.Add([]byte("It ends.\nA title\n\nWrapped\nlines are\n \nhere."), uint64(1), "")
	f.Add([]byte(wrappedProse[:2000]), uint64(2), "utf-16le")
	f.Add([]byte("\xff\xfeA\x00.\x00\n\x00"), uint64(3), "latin1")
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, encoding string) {
		o := Options{Encoding: encoding}
		if o.Validate() != nil {
			return
		}
		if len(data) > 0 && seed%3 == 0 {
			data = bytes.Repeat(data, 1+6000/len(data)) // beyond streamHead
		}
		s := string(data)
		rng := rand.New(rand.NewPCG(seed, 1))
		slow := streamBlocks(t, s, &piecemeal{r: strings.NewReader(s), rng: rng}, o)
		sameLines(t, slow, streamBlocks(t, s, strings.NewReader(s), o))
	})
}

// sameLines compares blocks and the lines that they stand in.
func sameLines(t testing.TB, got, want []Block) {
	t.Helper()
	same(t, got, want)
	for i := range got {
		if got[i].Line != want[i].Line {
			t.Fatalf("block %d: line %d, want %d", i, got[i].Line, want[i].Line)
		}
	}
}

// A piecemeal reads pieces of random sizes.
type piecemeal struct {
	r   io.Reader
	rng *rand.Rand
}

func (p *piecemeal) Read(b []byte) (int, error) {
	n := 1 + p.rng.IntN(len(b))
	if p.rng.IntN(2) == 0 {
		n = 1 + p.rng.IntN(min(len(b), 20))
	}
	return p.r.Read(b[:n])
}

// A text of up to streamHead bytes gives the same blocks as a stream and as a
// file, whatever is in it; but if it is found to be wrapped, lines that end
// sentences may have gone before that was known.
func TestOddTextIsLikeFile(t *testing.T) {
	nasty, err := os.ReadFile("../../cmd/treebeam/testdata/nasty.txt")
	must(t, err)
	pieces := append(strings.SplitAfter(string(nasty), "\n"), "x\r", "a.\r", "end. ", "Mr.\n", "go on\n", " \x00\n", "\u2029", "\n", "\n", "\r\n",
		"One. Two\n", "It ends here.\n", "```\n", "- an item, and\n", "```go\n", "Ada: what\n")
	rng := rand.New(rand.NewPCG(1, 2))
	unlike := 0
	for range 1500 {
		var b strings.Builder
		for range 1 + rng.IntN(14) {
			p := pieces[rng.IntN(len(pieces))]
			b.WriteString(p[max(0, len(p)-600):])
		}
		data := b.String()
		data = data[:min(len(data), streamHead)]
		for _, lines := range []Lines{AutoLines, Wrapped, Paragraph, Sentence} {
			o := Options{Lines: lines}
			layout := decide(t, data, o)
			want, _ := read(t, []byte(data), layout, 0, -1)
			got := streamBlocks(t, data, strings.NewReader(data), o)
			if lines == AutoLines && layout.Lines == Wrapped && !slices.EqualFunc(got, want, alike) {
				unlike++
				continue
			}
			sameLines(t, got, want)
		}
	}
	if unlike == 0 || unlike > 100 {
		t.Errorf("%d of 1500 texts differ because they were found to be wrapped", unlike)
	}
}
