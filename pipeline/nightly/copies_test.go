package nightly

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A state whose files --dedup would leave out says so when it refuses.
func TestDedupOfKnownFiles(t *testing.T) {
	c := newCorpus(t, 1)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		c.write(name, "One .\n")
	}
	c.mustNight(c.options())
	o := c.options()
	o.Dedup, o.AllowDeletes = true, false
	c.refused(o, "2 of 3 documents would disappear", "--dedup leaves out 2 of them", "--allow-deletes")
	c.remove("b.txt")
	c.refused(o, "2 of 3 documents would disappear", "--dedup leaves out 1 of them")
}

// growing are the files of TestGrown, when nothing more is appended.
func growing() map[string]string {
	var long strings.Builder
	for i := range 40 {
		fmt.Fprintf(&long, "A longer line of text , number %d , that fills its margin\nand goes on in the next line until it ends here .\n\n", i)
	}
	row := func(f string) string {
		var b strings.Builder
		for i := range 25 {
			fmt.Fprintf(&b, f, i, i%7)
		}
		return b.String()
	}
	return map[string]string{
		"wrapped.txt": long.String(),
		"lines.txt":   row("Line %d has text . And %d more .\n"),
		"bad.txt":     row("Line %d \xff has . And %d more .\r\n"),
		"r.jsonl":     row(`{"id": "r%d", "text": "One %d . Two .\n\nThree .", "by": "ann"}` + "\n"),
		"noid.jsonl":  row(`{"text": "One %d . Two .", "n": %d}`+"\n") + "{broken\n\n" + row(`{"text": "%d", "x": [%d]}`+"\n"),
		"t.csv":       "id,text,by\n" + row(`k%d,"Quoted , and ""more"" %d`+"\nlines .\",ann\n"),
		"bad.csv":     row("id,text,%d%d\n")[:12] + row("%d,An \"open quote %d .\n") + "7,\"never closed\n" + row("%d,Plain %d .\n"),
		"t.tsv":       "text\tby\n" + row("Cell %d .\tann%d\n"),
		"c.conllu":    row("# sent_id = s%d\n1\tOne%d\t_\t_\t_\t_\t_\t_\t_\t_\n\n"),
		"w.tok":       row("One token %d line %d .\n\nAnother .\n"),
		"v.vert":      row("Word%d\nsecond%d\n\n"),
		"z.jsonl.gz":  row(`{"text": "One %d . Two %d ."}` + "\n"),
	}
}

// ends is what records and paragraphs end with.
func ends(name string) string {
	switch name {
	case "wrapped.txt", "c.conllu", "v.vert":
		return "\n\n"
	case "t.csv":
		return "ann\n"
	}
	return "\n"
}

// TestGrown is the property of files that grow: whatever is appended, wherever it is cut,
// the rows are those of a full parse, and only the tails of files that were cut where their
// records or paragraphs end are parsed.
func TestGrown(t *testing.T) {
	contents := growing()
	names := slices.Sorted(maps.Keys(contents))
	grown, changed := map[string]int{}, 0
	for seed := range 2 * *seeds {
		c := newCorpus(t, seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		o := c.options()
		o.Rows.TextKey, o.Rows.Keep = "text", "by"
		shown := map[string]int{}
		write := func(name string) {
			content := contents[name][:shown[name]]
			if strings.HasSuffix(name, ".gz") {
				content = zipped(t, content)
			}
			c.write(name, content)
		}
		for _, name := range names {
			content := contents[name]
			at := 30 + rng.IntN(len(content)/2)
			shown[name] = at + strings.Index(content[at:], ends(name)) + len(ends(name))
			write(name)
		}
		c.mustNight(o)
		for round := range 4 {
			before := toy.Parsed.Load()
			for _, name := range names {
				content := contents[name]
				at := min(len(content), shown[name]+rng.IntN(len(content)/4))
				if line := strings.Index(content[at:], ends(name)); line >= 0 && rng.IntN(4) > 0 {
					at += line + len(ends(name))
				}
				if shown[name] = at; rng.IntN(4) > 0 {
					write(name)
				}
			}
			when := fmt.Sprintf("seed %d, round %d", seed, round)
			if at := []string{"parse", "run", "snapshot", ""}[rng.IntN(4)]; at != "" {
				c.crashWith(o, at)
			}
			n, r := c.mustNight(o)
			for i := range n.Decisions {
				switch d := &n.Decisions[i]; d.Reason {
				case Grown:
					grown[d.URI[len(c.dir)+1:]]++
				case Changed:
					changed++
				}
			}
			if parsed := toy.Parsed.Load() - before; r.Summary.Sentences > parsed && len(n.TakenOver) == 0 {
				t.Errorf("%s: %d sentences, parsed %d", when, r.Summary.Sentences, parsed)
			}
			c.checkWith(o, when)
			if n := c.planWith(o); !n.Idle() {
				t.Errorf("%s: then decided %v", when, n.Counts)
			}
			c.write("new.txt", "One .\n")
			if n := c.planWith(o); len(n.Left) > 0 {
				t.Errorf("%s: runs of tails count as unfinished: %q", when, n.Left)
			}
			c.remove("new.txt")
			if round == 2 {
				c.compact()
				c.checkWith(o, when+", compacted")
			}
		}
	}
	for name := range contents {
		if (grown[name] > 0) == strings.HasSuffix(name, ".gz") {
			t.Errorf("%s was parsed from its tail %d times", name, grown[name])
		}
	}
	t.Logf("grown %v, changed %d", grown, changed)
}

// zipped is a text as gzip packs it.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Files that are renamed into another order are copied, but not with a part each.
func TestCopiesInAnotherOrder(t *testing.T) {
	c := newCorpus(t, 5)
	const files = 2 * maxTurns
	for i := range files {
		c.write(fmt.Sprintf("%03d.txt", i), fmt.Sprintf("One %d .\n", i))
	}
	c.mustNight(c.options())
	for i := range files {
		name := fmt.Sprintf("%03d.txt", i)
		c.write(fmt.Sprintf("x%03d.txt", files-i), c.files[name])
		c.remove(name)
	}
	o := c.options()
	o.AllowDeletes = true
	n, _ := c.mustNight(o)
	if n.Counts[Copied] != maxTurns+1 || n.Counts[New] != files-maxTurns-1 || len(n.copiedParts()) > maxTurns+1 {
		t.Errorf("%v, %d parts", n.Counts, len(n.copiedParts()))
	}
	c.checkWith(o, "renamed")
}

// Files that have grown turn back in the order of the sources, too, if they are between copies.
func TestCopiesBetweenGrown(t *testing.T) {
	c := newCorpus(t, 5)
	const files = 2 * maxTurns
	for i := range files {
		c.write(fmt.Sprintf("z%03d.txt", i), fmt.Sprintf("One %d .\n", i))
		c.write(fmt.Sprintf("a%03d.log", i), "One .\n\n")
	}
	c.mustNight(c.options())
	for i := range files {
		c.write(fmt.Sprintf("a%03d.log", i), "One .\n\nTwo .\n\n")
		c.write(fmt.Sprintf("a%03d.txt", i), c.files[fmt.Sprintf("z%03d.txt", i)])
	}
	n := c.planWith(c.options())
	if n.Counts[Grown] != files || n.Counts[Copied] == 0 || len(n.copiedParts()) > maxTurns+3 {
		t.Errorf("%v, %d parts", n.Counts, len(n.copiedParts()))
	}
}

// Files whose bytes the state knows are copied, wherever they go and however often, as a
// full parse has them; what failed, has another ending or was damaged is parsed.
func TestCopies(t *testing.T) {
	c := newCorpus(t, 3)
	text := strings.Repeat("Some text of many words .\n\n", 60) // several ranges
	c.write("a/1.txt", "One .\n")
	c.write("a/2.txt", text)
	c.write("a/3.txt", "Bad \xff byte .\n")
	c.write("a/4.conllu", "1\tOne\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
	c.write("a/5.txt", "")
	records := map[string]string{
		"r.jsonl":   `{"id": "r.jsonl", "text": "One . Two ."}` + "\n" + `{"text": "Three .\n\nFour ."}` + "\n" + `{"text": [["Five", "."]]}` + "\n" + `{"id": 7, "text": ""}`,
		"r.csv":     "text,id\n\"One\n.\",a\nTwo .,\n",
		"r.tsv":     "text\nOne .\nTwo .\n",
		"r.conllx":  "1\tOne\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
		"r.conllu":  "# newdoc id = a/r.conllu\n# sent_id = a/r.conllu@0\n1\tOne\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tTwo\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
		"r.tok":     "One two .\n\nThree .\n",
		"r.vert.gz": "",
	}
	for name, content := range records {
		c.write("a/"+name, content)
	}
	c.mustNight(c.options())
	before := toy.Parsed.Load()
	for from, to := range map[string][]string{"a/1.txt": {"0.txt", "b/9.txt", "c/ü .txt"}, "a/2.txt": {"b/0.txt", "a/0.txt"}, "a/3.txt": {"x.txt"}, "a/4.conllu": {"x.conllu"}, "a/5.txt": {"y.txt"}} {
		for _, name := range to {
			c.write(name, c.files[from])
		}
	}
	for name, content := range records {
		c.write("b/new "+name, content)
	}
	c.write("z.md", "One .\n")
	c.remove("a/1.txt")
	c.remove("a/2.txt")
	o := c.options()
	o.AllowDeletes = false // what is there under another name has not disappeared
	n, err := Plan(t.Context(), o)
	c.must(err)
	if want := (Counts{Copied: 7 + len(records) - 1, New: 3, Deleted: 2, Unchanged: 3 + len(records)}); !maps.Equal(n.Counts, want) {
		t.Fatalf("%v, want %v", n.Counts, want)
	}
	if _, err := c.crash("snapshot"); err == nil {
		t.Fatal("no crash")
	}
	again, _ := c.mustNight(c.options())
	if parsed := toy.Parsed.Load() - before; parsed != 2 || len(again.Left) > 0 {
		t.Errorf("%d sentences were parsed, %q is left", parsed, again.Left)
	}
	c.check("copied")
	c.idle("copied")
	c.compact()
	c.check("copied and compacted")
}

// Other columns to keep take no parse: the trees get what the files have of them.
func TestOtherKeep(t *testing.T) {
	for seed := range *seeds {
		c := newCorpus(t, seed)
		var many strings.Builder
		for i := range 60 {
			fmt.Fprintf(&many, `{"text": "One %d .\n\nTwo .", "by": "Ann", "at": %d, "x": %q}`+"\n", i, c.rng.IntN(3), strings.Repeat("x", c.rng.IntN(2)*10001))
		}
		for name, content := range map[string]string{
			"a.jsonl": `{"text": "One .", "by": "Ann", "at": [1]}` + "\n{broken\n" + `{"text": ""}` + "\n" + `{"text": [["Two", "."]], "by": "Bob", "x": "y"}`,
			"b.csv":   "text,by,x\n\"Three .\nFour .\",Ann,1\nPANICPARSE .,Ann,2\n", "c.tsv": "text\tat\nFive .\t1\n", "d.csv": "id,by\n1,2\n",
			"e.txt": "Six .\n\nBad \xff byte .\n", "f.conllu": "1\tOne\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "g.pdf": "%PDF-1.7\n", "many.jsonl": many.String(),
		} {
			c.write(name, content)
		}
		var late strings.Builder // a value behind as many bytes as the file has when it is packed
		late.WriteString(`{"text": "One .", "by": "Ann"}` + "\n" + strings.Repeat(`{"text": "", "by": "Ann"}`+"\n", 300) + `{"text": "", "by": "late", "at": [1]}` + "\n")
		c.write("h.jsonl.gz", zipped(t, late.String()))
		c.write("i.parquet.gz", zipped(t, "PAR1PAR1")) // of a known format, but cannot be read
		o := c.options()
		o.Rows.Words, o.RangeBytes = true, 100_000
		c.mustNight(o)
		for _, keep := range []string{"by", "by,at", "x,none", ""} {
			before := toy.Parsed.Load()
			o.Rows.Keep = keep
			if at := []string{"run", "snapshot", ""}[c.rng.IntN(3)]; at != "" {
				c.crashWith(o, at)
			}
			n, _ := c.mustNight(o)
			if want := (Counts{Kept: 8, Again: 2}); toy.Parsed.Load() != before || !maps.Equal(n.Counts, want) && n.Base().Made == n.made {
				t.Errorf("%q: %v, %d sentences were parsed", keep, n.Counts, toy.Parsed.Load()-before)
			}
			c.checkWith(o, keep)
		}
		c.touch("e.txt")
		c.write("c.tsv", "text\tat\nFive .\t1\nNine .\t2\n")
		o.Rows.Keep = "at"
		if n, _ := c.mustNight(o); n.Counts[Kept] != 7 || n.Counts[Changed] != 1 {
			t.Errorf("%v", n.Counts)
		}
		c.checkWith(o, "changed, too")
	}
}
