package pipeline

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/transforms"
)

const (
	greek   = "Το μεγάλο πλοίο φεύγει αύριο το πρωί από το παλιό λιμάνι της μικρής πόλης και επιστρέφει πολύ αργά το βράδυ της Κυριακής . "
	russian = "Большой корабль уходит завтра утром из старого порта маленького города и возвращается поздно вечером в воскресенье домой . "
	hebrew  = "הספינה הגדולה יוצאת מחר בבוקר מהנמל הישן של העיר הקטנה . "
	english = "The large ship leaves the old port of the small town tomorrow morning and comes back very late on Sunday evening . "
)

// manyTongues are documents in several languages, of several formats, some cut into ranges.
func manyTongues(t *testing.T) string {
	conllu := func(words string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "# text = %s\n", words)
		for i, w := range strings.Fields(words) {
			fmt.Fprintf(&b, "%d\t%s\t_\t_\t_\t_\t_\t_\t_\t_\n", i+1, w)
		}
		return b.String() + "\n"
	}
	return write(t, map[string]string{
		"el.txt":      strings.Repeat(greek+"\n\n", 200),
		"en.txt":      strings.Repeat(english+"\n\n", 100),
		"he.txt":      hebrew,
		"mixed.txt":   strings.Repeat(russian+"\n\n", 50) + "Okay .\n\n" + strings.Repeat(greek+"\n\n", 20) + english + english + "\n",
		"none.txt":    "1 2 3 .\n",
		"records.csv": "id,text\n" + strings.Repeat(fmt.Sprintf("a,%q\nb,Ναι .\n", greek), 60) + fmt.Sprintf("c,%q\n", russian),
		"given.jsonl": `{"text": [["Да", "."], ["Большой", "корабль", "уходит"]]}` + "\n" + `{"text": "7 ."}` + "\n",
		"lines.tok":   strings.Repeat(russian+"\n", 100),
		"b.conllu":    strings.Repeat(conllu(greek), 100) + "# language = ru\n" + conllu("Ναι ."),
	})
}

func ofWorld(input, output string) Options {
	o := options(input, output)
	o.Model = worldURI
	o.RangeBytes = 4 << 10
	return o
}

// The language of a sentence depends on its document, whatever ranges that is cut into.
func TestLanguages(t *testing.T) {
	in := manyTongues(t)
	o := ofWorld(in, filepath.Join(t.TempDir(), "out"))
	want := run(t, o)
	words := map[string]map[string]int{}
	for _, tree := range rowsOf[parquet.Tree](t, o.Output, "trees") {
		if words[tree.DocID] == nil {
			words[tree.DocID] = map[string]int{}
		}
		words[tree.DocID][tree.Language]++
		tag := map[string]string{"el": "EL", "ru": "INTJ", "und": "UND"}[tree.Language]
		if tag != "" && tree.UPOS[0] != tag || tag == "" && tree.UPOS[0] == "EL" {
			t.Errorf("%s in %s is tagged %s", tree.SentID, tree.Language, tree.UPOS)
		}
		if id := strings.Repeat("7", 16); (tree.ModelID == id) != (tree.Language != "en") {
			t.Errorf("%s in %s: model %s", tree.SentID, tree.Language, tree.ModelID)
		}
		note := "# language = " + tree.Language
		if has := strings.Contains(strings.Join(tree.Comments, "\n"), note); has != (tree.Language != "en") {
			t.Errorf("%s in %s has comments %q", tree.SentID, tree.Language, tree.Comments)
		}
	}
	equal(t, "languages", fmt.Sprint(words), "map[a:map[el:60] b:map[el:60] b.conllu:map[el:100 ru:1] c:map[ru:1] el.txt:map[el:200] en.txt:map[en:100] "+
		"given.jsonl#0:map[ru:2] given.jsonl#80:map[ru:1] he.txt:map[und:1] lines.tok:map[ru:100] mixed.txt:map[el:20 en:1 ru:51] none.txt:map[en:1]]")
	sum := summary(t, o.Output)
	var found []string
	for _, l := range sum.Languages {
		found = append(found, fmt.Sprintf("%s %d %v,", l.Code, l.Documents, l.Conf > 0))
	}
	equal(t, "summary", strings.Join(found, " "), "el 122 true, en 2 true, ru 5 true, und 1 true,")
	if len(sum.Suggestions) > 0 {
		t.Errorf("suggestions %q", sum.Suggestions)
	}
	for _, d := range rowsOf[parquet.Document](t, o.Output, "documents") {
		if want := map[string]string{"mixed.txt": "ru", "none.txt": "en", "records.csv": "el"}[d.DocID]; want != "" && d.Language != want || (d.LanguageConf > 0) == (d.DocID == "none.txt") {
			t.Errorf("%s: %s, %v", d.DocID, d.Language, d.LanguageConf)
		}
	}

	defer transforms.SetCores(runtime.GOMAXPROCS(0))
	transforms.SetCores(1)
	again := o
	again.Output = filepath.Join(t.TempDir(), "again")
	same(t, "one core", want, run(t, again))
	text := converted(t, o.Output)
	for _, size := range []int64{1 << 10, 1 << 30} {
		s := o
		s.RangeBytes = size
		equal(t, fmt.Sprintf("ranges of %d bytes", size), streamed(t, s), text)
	}
	reshuffled(t, o)
}

// What --language names is what texts are in, surely or not.
func TestLanguageOption(t *testing.T) {
	in := write(t, map[string]string{"el.txt": greek, "ru.txt": russian, "short.txt": "Yes ."})
	for _, c := range []struct{ option, canonical, want string }{
		{"", "auto", "el ru en"},
		{"auto", "auto", "el ru en"},
		{"ru", "ru", "ru ru ru"},
		{"Greek, RU", "el,ru", "el ru el"},
		{"en", "en", "en en en"},
		{"und", "und", "und und und"},
	} {
		o := ofWorld(in, filepath.Join(t.TempDir(), "out"))
		o.Rows.Language = c.option
		run(t, o)
		var got []string
		for _, tree := range rowsOf[parquet.Tree](t, o.Output, "trees") {
			got = append(got, tree.Language)
		}
		equal(t, "--language "+c.option, strings.Join(got, " "), c.want)
		record, err := output.Records(context.Background(), o.Output)
		if err != nil || record[0].Options.Language != c.canonical || (record[0].Options.World == "") != (c.canonical == "en") {
			t.Errorf("--language %s: the record is %+v, %v", c.option, record, err)
		}
	}
	named := ofWorld(in, "")
	named.Rows.Language, named.Write.Generator = "ru", "a test"
	if got, want := streamed(t, named), "# generator = a test\n# model = world:ru "+strings.Repeat("7", 16)+"\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%.100q, want %q", got, want)
	}
	for option, why := range map[string]string{"xx": `"xx" is not known`, "el,,ru": "empty", "el,greek": "twice"} {
		o := ofWorld(in, filepath.Join(t.TempDir(), "out"))
		o.Rows.Language = option
		refused(t, tryRun(o), why)
	}
	o := options(in, filepath.Join(t.TempDir(), "out"))
	o.Rows.Language = "el"
	refused(t, tryRun(o), "knows one language")
}

// A rule says the language of files, whatever their texts show; all others are as without it.
func TestLanguageRules(t *testing.T) {
	in := write(t, map[string]string{"a.csv": fmt.Sprintf("text\n%q\nYes .\n", russian), "b.txt": russian + russian + "\n\n" + greek + greek, "c.txt": greek,
		"d.tok": greek + "\n", "e.conllu": "1\tYes\t_\t_\t_\t_\t_\t_\t_\t_\n\n"})
	for option, want := range map[string]string{"": "el el el el el el el ru el", "en": "el el el el el el en ru el", "ru,en": "el el el el el el ru ru el"} {
		o := ofWorld(in, filepath.Join(t.TempDir(), "out"))
		o.Rows.Language, o.Rows.Rules = option, "[abe].*: language=el\nd.*: language=ru"
		run(t, o)
		var got []string
		for _, tree := range rowsOf[parquet.Tree](t, o.Output, "trees") {
			got = append(got, tree.Language)
			if tag := map[string]string{"el": "EL", "ru": "INTJ"}[tree.Language]; tag != "" && tree.UPOS[0] != tag {
				t.Errorf("%s in %s is tagged %s", tree.SentID, tree.Language, tree.UPOS)
			}
		}
		equal(t, "--language "+option, strings.Join(got, " "), want)
	}
	for rule, why := range map[string]string{"*: language=xx": `"xx" is not known`, "*: language=el,ru": "by its code", "*: language=Greek": "by its code"} {
		o := ofWorld(in, filepath.Join(t.TempDir(), "out"))
		o.Rows.Rules = rule
		refused(t, tryRun(o), why)
	}
	o := options(in, filepath.Join(t.TempDir(), "out"))
	o.Rows.Rules = "*: language=el"
	refused(t, tryRun(o), `"el" is not known`)
}

// A document is asked about once, and a long paragraph.
func TestLanguagesAreAskedForOnce(t *testing.T) {
	m, _, err := transforms.OpenModel(worldURI)
	must(t, err)
	asked := &m.(*world).Asked
	in := write(t, map[string]string{"a.txt": strings.Repeat("Short one . Short two .\n\n", 2000)})
	asked.Store(0)
	o := ofWorld(in, "")
	streamed(t, o)
	parts := int64(2000*25/o.RangeBytes + 1)
	if n := asked.Load(); n < 1 || n > parts {
		t.Errorf("the language was asked for %d times in %d parts", n, parts)
	}
}

// The language of a pipe is that of the first paragraph that tells, however it comes.
func TestLanguageOfPipe(t *testing.T) {
	o := ofWorld("-", "")
	o.Rows.Lines = "paragraph"
	o.To = "jsonl"
	for name, in := range map[string]func(io.Reader) io.Reader{"slow": iotest.OneByteReader, "at once": func(r io.Reader) io.Reader { return r }} {
		pipeOf(t, name, &o, in)
	}
}

func pipeOf(t *testing.T, how string, o *Options, in func(io.Reader) io.Reader) {
	t.Helper()
	for name, text := range map[string]string{
		"text":  "1 .\n\n" + greek + "\n\nYes .\n\n" + russian + "\n",
		"whole": "1 .\n\n" + greek + "\n\nYes .\n\n" + russian + "\n" + strings.Repeat("2 .\n\n", 1000),
	} {
		o.Stdin = in(strings.NewReader(text))
		var got []string
		for line := range strings.Lines(streamed(t, *o)) {
			_, language, _ := strings.Cut(line, `"language":"`)
			got = append(got, language[:2])
		}
		if got := strings.Join(got, " "); !strings.HasPrefix(got+" ", "en el el ru ") || strings.Count(got, "en") != 1 {
			t.Errorf("%s %s: %.100s", name, how, got)
		}
	}
}
