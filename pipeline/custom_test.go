package pipeline

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// knowing are o with lists in dir that say something of the text of known.
func knowing(o Options, dir string) Options {
	o.Custom = transforms.CustomFiles{
		Abbreviations: filepath.Join(dir, "abbreviations.txt"),
		KeepTogether:  filepath.Join(dir, "together.txt"),
		Exceptions:    filepath.Join(dir, "exceptions.tsv"),
	}
	o.Rows.Unconstrained = true
	return o
}

var lists = map[string]string{
	"abbreviations.txt": "# ours\napprox.\nno.\n",
	"together.txt":      "New York\n",
	"exceptions.tsv":    "ran\tINTJ\trun\nYork\tX\tyork\n",
}

const known = "It ran approx. no. 5 . New York ran .\n\nNew Yorkers ran in New\nYork .\n"

// described is what the rows of CoNLL-U say, without their positions.
func described(conllu string) string {
	var b strings.Builder
	for line := range strings.Lines(conllu) {
		if f := strings.Split(line, "\t"); len(f) == 10 {
			fmt.Fprintf(&b, "%s/%s/%s/%s ", f[1], f[2], f[3], f[7])
		} else if line == "\n" {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// forgetCustomized makes this process read the copies of lists again.
func forgetCustomized(t *testing.T) {
	t.Helper()
	for i := range 5 { // more than it keeps
		o := output.RowOptions{}
		texts := &transforms.CustomTexts{fmt.Sprintf("forgotten%d.\n", i)}
		texts.Note(&o)
		if _, err := transforms.Customize(toy, &o, func() (*transforms.CustomTexts, error) { return texts, nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// What is known of a text takes effect in every way to parse it, with the same
// bytes.
func TestCustom(t *testing.T) {
	dir := write(t, lists)
	for _, uri := range []string{transformstest.ModelURI, transformstest.EncoderURI} {
		o := options(write(t, map[string]string{"a.txt": known, "b.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
		o.Model = uri
		plain := streamed(t, o)
		if n := strings.Count(described(plain), "free"); n != 0 {
			t.Errorf("%s: %d words are free where nothing is known", uri, n)
		}
		o = knowing(o, dir)
		got := streamed(t, o)
		want := []string{"It", "ran/run/INTJ", "approx.", "no.", "5", "./", "\nNew York/new york", "ran/run/INTJ", "\nNew/new", "Yorkers", "New/new", "York/york/X"}
		rest := described(got)
		for _, part := range want {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Fatalf("%s: no %q behind what stands before it in\n%s", uri, part, described(got))
			}
			rest = rest[at+len(part):]
		}
		before := toy.Customized.Load()
		run(t, o)
		if convertedText := converted(t, o.Output); convertedText != got {
			t.Errorf("%s: the run has other sentences than the stream:\n%s\n%s", uri, convertedText, got)
		}
		if n := toy.Customized.Load() - before; n > 1 {
			t.Errorf("%s: stages were customized %d times", uri, n)
		}
		found := 0
		for name, text := range files(t, o.Output) {
			if strings.HasPrefix(name, "_treebeam/custom/") {
				found++
				if strings.Contains(text, "#") {
					t.Errorf("%s holds %q", name, text)
				}
			}
		}
		if found != 3 {
			t.Errorf("%s: %d lists in the output", uri, found)
		}
	}
}

// A run is continued if the lists say the same, and refused if not.
func TestCustomIsProvenance(t *testing.T) {
	dir, in := write(t, lists), write(t, map[string]string{"a.txt": known})
	o := knowing(options(in, filepath.Join(t.TempDir(), "out")), dir)
	want := run(t, o)
	for name, same := range map[string]string{
		"abbreviations.txt": "\ufeffno.\r\n\r\n# another comment\r\napprox.\r\nno.", "together.txt": "New York", "exceptions.tsv": "ran\tINTJ\trun\t\n\nYork\tX\tyork"} {
		if name == "exceptions.tsv" {
			same = "# one\nran\tINTJ\t run \n\nYork\tX\tyork"
		}
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(same), 0o644))
	}
	parsed := toy.Parsed.Load()
	got := run(t, o)
	if !maps.Equal(got, want) || toy.Parsed.Load() != parsed {
		t.Errorf("lists that say the same make another run: %d sentences were parsed", toy.Parsed.Load()-parsed)
	}
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"another":        {"abbreviations.txt", "no.\n", "--abbreviations: was digest "},
		"none":           {"together.txt", "# nothing\n", "--keep-together: was digest "},
		"another lemma":  {"exceptions.tsv", "ran\tINTJ\trunning\nYork\tX\tyork", ", is digest "},
		"another order":  {"exceptions.tsv", "York\tX\tyork\nran\tINTJ\trun\n", "--exceptions: was digest "},
		"an option only": {"", "", "--unconstrained: was true, is the default"},
	} {
		changed := knowing(o, write(t, lists))
		if c.file == "" {
			changed.Rows.Unconstrained = false
		} else if err := os.WriteFile(filepath.Join(filepath.Dir(changed.Custom.Abbreviations), c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := tryRun(changed)
		if !isRefusal(err) || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), ": was ") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.Custom, o.Rows.Unconstrained, o.Overwrite = transforms.CustomFiles{}, false, true
	for name := range run(t, o) {
		if strings.HasPrefix(name, "_treebeam/custom/") {
			t.Errorf("%s is left of the run before", name)
		}
	}
}

// Workers read what the launcher has put into the output: they see neither its
// files nor its memory.
func TestCustomTravels(t *testing.T) {
	transformstest.Engine(t)
	o := knowing(onEngine(t), write(t, lists))
	o.Inputs = []string{write(t, map[string]string{"a.txt": known})}
	p := prepared(t, o)
	want := streamed(t, o)
	must(t, os.RemoveAll(filepath.Dir(o.Custom.Exceptions)))
	forgetCustomized(t)
	before := toy.Customized.Load()
	if _, err := Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	equal(t, "the workers", converted(t, o.Output), want)
	if n := toy.Customized.Load() - before; n != 1 {
		t.Errorf("the workers customized their stages %d times", n)
	}
}

// A copy that is not what the launcher has written ends the run.
func TestCustomCopyDamaged(t *testing.T) {
	for want, damage := range map[string]func(path string) error{
		"the run's copy cannot be read: ": os.Remove,
		"is not what the run has written": func(path string) error { return os.WriteFile(path, []byte("a\tX\tb\n"), 0o644) },
	} {
		o := knowing(options(write(t, map[string]string{"a.txt": known}), filepath.Join(t.TempDir(), "out")), write(t, lists))
		p := prepared(t, o)
		copies, err := filepath.Glob(filepath.Join(o.Output, "_treebeam/custom/exceptions-*.txt"))
		if err != nil || len(copies) != 1 {
			t.Fatal(copies, err)
		}
		must(t, damage(copies[0]))
		forgetCustomized(t)
		if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "start the run again") {
			t.Errorf("no %q in %v", want, err)
		}
		run(t, o)
	}
}

func TestCustomRefused(t *testing.T) {
	dir := write(t, map[string]string{"ok.txt": "x\n", "bad.tsv": "x\tNOUN\tx\nx NOUN x\n", "utf16.txt": "\xff\xfex\x00", "a.txt": known})
	large, err := os.Create(filepath.Join(dir, "large.txt"))
	must(t, err)
	must(t, large.Truncate(transforms.MaxCustomBytes+1))
	large.Close()
	many := make([]string, 100_001)
	for i := range many {
		many[i] = fmt.Sprint("x", i)
	}
	must(t, os.WriteFile(filepath.Join(dir, "many.txt"), []byte(strings.Join(many, "\n")), 0o644))
	at := func(name string) string { return filepath.Join(dir, name) }
	for want, c := range map[string]transforms.CustomFiles{
		"--abbreviations " + at("none.txt") + ": no such file":                  {Abbreviations: at("none.txt")},
		"--keep-together " + dir + ": this is a folder":                         {KeepTogether: dir},
		"--keep-together " + at("utf16.txt") + ": line 1 is not UTF-8":          {KeepTogether: at("utf16.txt")},
		"--exceptions " + at("bad.tsv") + `: line 2, "x NOUN x", has 1`:         {Exceptions: at("bad.tsv"), Abbreviations: at("ok.txt")},
		"--exceptions " + at("large.txt") + ": it has more than 33554432 bytes": {Exceptions: at("large.txt")},
		"100001 abbreviations and strings to keep together, at most":            {Abbreviations: at("many.txt")},
		"ftp://x/y": {Exceptions: "ftp://x/y"},
	} {
		o := options(at("a.txt"), filepath.Join(t.TempDir(), "out"))
		o.Custom = c
		_, errStream := Stream(context.Background(), o, os.Stdout)
		_, errProvenance := o.Provenance(t.Context())
		for _, err := range []error{tryRun(o), errStream, errProvenance} {
			refused(t, err, want)
		}
		if _, err := os.Stat(o.Output); err == nil {
			t.Errorf("%s: something was written", want)
		}
	}
	o := options(at("a.txt"), at("ok.txt"))
	o.Custom.Abbreviations = filepath.Join(dir, ".", "ok.txt")
	refused(t, discarded(o), "is the file of --abbreviations")
}

// Lists in a bucket are read from there, and their copies by workers.
func TestCustomInBucket(t *testing.T) {
	b := gsBucket(t)
	o := options(b.upload(t, write(t, map[string]string{"a.txt": known}), "in"), b.uri+"/out")
	local := knowing(o, write(t, lists))
	want := streamed(t, local)
	o.Custom, o.Rows = local.Custom, local.Rows
	at := b.upload(t, filepath.Dir(local.Custom.Exceptions), "lists")
	o.Custom.Abbreviations, o.Custom.Exceptions = at+"/abbreviations.txt", at+"/exceptions.tsv"
	p := prepared(t, o)
	forgetCustomized(t)
	if _, err := Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	equal(t, t.Name(), converted(t, o.Output), want)
	var names []string
	for name := range objects(t, o.Output) {
		if strings.HasPrefix(name, "_treebeam/custom/") {
			names = append(names, name)
		}
	}
	if p := p.Job.Options; !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(output.CustomNames(&p)))) || len(names) != 3 {
		t.Errorf("lists in the output: %q", names)
	}
}

// Nobody's record names a file outside of the folder of lists.
func TestCustomNames(t *testing.T) {
	o := output.RowOptions{Abbreviations: "/../../../../mine", KeepTogether: strings.Repeat("0a", 32), Exceptions: "../x"}
	if got := output.CustomNames(&o); !slices.Equal(got, []string{"_treebeam/custom/keep-together-0a0a0a0a0a0a0a0a.txt"}) {
		t.Errorf("%q", got)
	}
}

// The stages of a trained model check lists.
func TestTrainedModelTakesLists(t *testing.T) {
	m, _, err := transforms.OpenModel("")
	must(t, err)
	if _, err := m.With(&model.Lists{Abbreviations: []string{" "}}); err == nil {
		t.Error("it takes an abbreviation that is none")
	}
}
