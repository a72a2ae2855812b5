package conllu

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam/parser/syntax"
)

// What is over a limit is one error, at its place; what reaches it is none.
func TestLimits(t *testing.T) {
	word := func(column int, value string) string {
		fields := strings.Split("1\tx\t_\t_\t_\t_\t0\t_\t_\t_", "\t")
		fields[column] = value
		return strings.Join(fields, "\t") + "\n"
	}
	empty := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "1.%d\te\t_\t_\t_\t_\t_\t_\t_\t_\n", i+1)
		}
		return b.String()
	}
	items := func(n int) string { return strings.Repeat("|A=b", n)[1:] }
	long := strings.Repeat("x", syntax.MaxColumn)
	for name, c := range map[string]struct {
		block string
		kind  syntax.Kind // of the block with more in it
		more  string
		line  int64
	}{
		"comments":       {strings.Repeat("#\n", syntax.MaxComments) + line("1", "0"), syntax.KindLongBlock, "#\n", 1 + syntax.MaxComments},
		"a long comment": {"#" + long[1:] + "\n" + line("1", "0"), syntax.KindLongBlock, "#" + long + "\n", 1},
		"empty nodes":    {line("1", "0") + empty(syntax.MaxEmpty), syntax.KindLongBlock, line("1", "0") + empty(syntax.MaxEmpty+1), 2 + syntax.MaxEmpty},
		"items":          {word(colFeats, items(syntax.MaxItems)), syntax.KindLongColumn, word(colFeats, items(syntax.MaxItems+1)), 1},
		"a long form":    {word(colForm, long), syntax.KindLongColumn, word(colForm, long+"x"), 1},
		"a long lemma":   {word(colLemma, long), syntax.KindLongColumn, word(colLemma, long+"x"), 1},
		"a long misc":    {word(colMisc, long), syntax.KindLongColumn, word(colMisc, long+"x"), 1},
		"all bytes":      {strings.Repeat("#"+long[1:]+"\n", 3) + word(colForm, long[:1<<19]), syntax.KindLongBlock, strings.Repeat("#"+long[1:]+"\n", 5) + line("1", "0"), 1},
	} {
		over := c.more
		if over == "#\n" {
			over += c.block
		}
		blocks := read(t, c.block+"\n"+over+"\n"+line("1", "0"), Options{})
		if len(blocks) != 3 || blocks[0].Err != nil || blocks[2].Err != nil {
			t.Errorf("%s: %d blocks, the first: %v", name, len(blocks), blocks[0].Err)
			continue
		}
		err := blocks[1].Err
		if err == nil || err.Kind != c.kind || err.Line != blocks[1].Line+c.line-1 || !strings.Contains(err.Reason, "more than") {
			t.Errorf("%s: %v, want line %d of the block", name, err, c.line)
		}
	}
}

// A block has one warning of each sort, and each says how many there are.
func TestWarningsAreCounted(t *testing.T) {
	const odd = "1\tx\t\t_\t_\t\t0\t_\t_\t_\n# late\n2\ty\xff\t\t_\t_\t_\t1\t_\t_\t_\n# later\n# latest\n"
	b := read(t, odd, Options{})[0]
	want := []string{
		"line 3: 1 byte that is NUL or not UTF-8, the first at byte 3 of the line: replaced by U+FFFD",
		`line 1: column LEMMA: the column is empty: read as "_" (and 1 more in this sentence)`,
		`line 1: column FEATS: the column is empty: read as "_"`,
		"line 2: comment after the first word line: moved before it (and 2 more in this sentence)",
	}
	var got []string
	for i := range b.Warnings {
		got = append(got, b.Warnings[i].Error())
	}
	if b.Err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v, warnings\n%s\nwant\n%s", b.Err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Reading a block takes memory of its bytes, whatever is in them.
func TestMemoryOfABlock(t *testing.T) {
	word := line("1", "0")
	for name, unit := range map[string]string{
		"comments": "#\n", "empty columns": "\t\t\t\t\t\t\t\t\t\n", "nothing": "x\n",
		"empty nodes": "1.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n", "empty values": "2\ty\t\t\t\t\t\t\t\t\n",
	} {
		text := word + strings.Repeat(unit, (syntax.MaxBytes-len(word))/len(unit))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parse(text, U, 1, 0)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 24<<20 {
			t.Errorf("%s: %d MB for a block of %d MB", name, n>>20, len(text)>>20)
		}
	}
}

// endless repeats a text up to 64 times the limit of a block, and counts what is read.
type endless struct {
	text string
	read int64
}

func (e *endless) Read(b []byte) (int, error) {
	if e.read > 64*syntax.MaxBytes {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = e.text[(e.read+int64(i))%int64(len(e.text))]
	}
	e.read += int64(len(b))
	return len(b), nil
}

// What never has a blank line ends the reading of a treebank, with its name.
func TestTreesOfEndlessFiles(t *testing.T) {
	for name, text := range map[string]string{
		"zeros": "\x00", "one line": "x", "tabs": "1\t", "one block": line("1", "0"), "comments": "# x\n",
	} {
		e := &endless{text: text}
		_, err := ReadTrees(e, "some.conllu", Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "some.conllu:1: a sentence has over 4 MB") {
			t.Errorf("%s: %v", name, err)
		}
		if e.read > syntax.MaxBytes+1<<18 {
			t.Errorf("%s: %d bytes were read, want %d at most", name, e.read, syntax.MaxBytes+1<<18)
		}
	}
	good := line("1", "0") + "\n"
	e := &endless{text: "x"}
	_, err := ReadTrees(io.MultiReader(strings.NewReader(good), e), "some.conllu", Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "some.conllu:3: a sentence has over 4 MB") || e.read > syntax.MaxBytes+1<<18 {
		t.Errorf("behind a sentence: %v after %d bytes", err, e.read)
	}
}

// TestParts cuts a text at every pair of places, as parts of a file read by
// several readers, and expects each block exactly once.
func TestParts(t *testing.T) {
	var text strings.Builder
	text.WriteString("\ufeff\r\n")
	for i, gap := range []string{"\n", "\r\n", " \n", "\n\n\t\n", "  \n", ""} {
		fmt.Fprintf(&text, "# sent_id = s%d\n%s", i, line("1", "0"))
		if i == 2 {
			text.WriteString("broken\r\n")
		}
		text.WriteString(gap)
	}
	whole := text.String()
	size := int64(len(whole))
	want := fmt.Sprint(places(read(t, whole, Options{})))
	for a := int64(1); a <= size; a++ {
		for b := a; b <= size; b += 17 {
			var got []int64
			covered := int64(0)
			for _, part := range [][2]int64{{0, a}, {a, b}, {b, size}} {
				if part[0] == part[1] {
					continue
				}
				r := NewReader(iotest.OneByteReader(strings.NewReader(whole[part[0]:])), Options{Start: part[0], End: part[1]})
				for {
					block, err := r.Next()
					if err == io.EOF {
						break
					}
					if whole[block.Start:block.End] != block.Raw {
						t.Fatal("wrong bytes")
					}
					got = append(got, block.Start, block.End)
				}
				from, to := r.Covered()
				if from == to {
					continue
				}
				if from != covered {
					t.Fatalf("cuts %d, %d: part %v covers from %d, the one before ends at %d", a, b, part, from, covered)
				}
				covered = to
			}
			if covered != size || fmt.Sprint(got) != want {
				t.Fatalf("cuts %d, %d: covered %d of %d, blocks %v, want %v", a, b, covered, size, got, want)
			}
		}
	}
}

func places(blocks []Block) (p []int64) {
	for _, b := range blocks {
		p = append(p, b.Start, b.End)
	}
	return p
}

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// A file that is one line or one block is not read to its end by each of its
// parts: together they read it about twice.
func TestPartsReadTheirOwn(t *testing.T) {
	const size, part = 8 << 20, 128 << 10
	for name, text := range map[string]string{
		"a line": strings.Repeat("x", size), "a block": strings.Repeat("# comment\n", size/10),
	} {
		read := int64(0)
		blocks := 0
		for start := int64(0); start < int64(len(text)); start += part {
			c := &counter{r: strings.NewReader(text[start:])}
			r := NewReader(c, Options{Start: start, End: min(start+part, int64(len(text)))})
			for {
				if _, err := r.Next(); err != nil {
					break
				}
				blocks++
			}
			if read += c.n; start == 0 && c.n < int64(len(text)) {
				t.Errorf("%s: the first part read %d bytes", name, c.n)
			}
		}
		if blocks != 1 || read > 3*size {
			t.Errorf("%s: %d blocks; %d bytes read of %d", name, blocks, read, size)
		}
	}
}
