package pipeline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/model"
)

// Whatever sets two runs apart has a line.
func TestDifferences(t *testing.T) {
	var visit func(path string, v reflect.Value, differ func() []string)
	leaves := 0
	visit = func(path string, v reflect.Value, differ func() []string) {
		for i := range v.NumField() {
			field, name := v.Field(i), path+"."+v.Type().Field(i).Name
			if field.Kind() == reflect.Struct {
				visit(name, field, differ)
				continue
			}
			leaves++
			before := reflect.New(field.Type()).Elem()
			before.Set(field)
			fill(t, field)
			if lines := differ(); len(lines) != 1 || !strings.Contains(lines[0], ": was ") {
				t.Errorf("%s: %q", name, lines)
			}
			field.Set(before)
		}
	}
	was := output.Provenance{FormatVersion: output.FormatVersion, ModelDigest: "0123456789abcdef", Options: DefaultRows()}
	now := was
	visit("Provenance", reflect.ValueOf(&now).Elem(), func() []string { return was.Differences(now) })
	if leaves < 17 || len(was.Differences(now)) > 0 {
		t.Errorf("%d things were changed; %q is left", leaves, was.Differences(now))
	}
}

// A plan that is gone between two readings is an error.
func TestLostPlan(t *testing.T) {
	plan := func(name string) *source.Plan {
		files := source.ListingOf([]source.Input{{URI: name, DocID: name}})
		p, err := source.NewPlan(t.Context(), files, source.PlanOptions{})
		must(t, err)
		return p
	}
	name := filepath.Join(t.TempDir(), "plan")
	must(t, plan("b").Write(t.Context(), name, ""))
	lost, err := source.ReadPlan(t.Context(), name)
	must(t, err, os.Remove(name))
	for _, plans := range [][2]*source.Plan{{lost, plan("a")}, {plan("a"), lost}} {
		if err := fileDifferences(plans[0], plans[1], func(string, ...any) {}); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// Names of CoNLL files are told in any case, as the formats of input are.
func TestIsAnnotated(t *testing.T) {
	for name, want := range map[string]bool{
		"a.conllu": true, "a.CoNLLU": true, "A.CONLL.GZ": true, "conllu": false, "a.conllu.txt": false,
	} {
		if isAnnotated(name) != want {
			t.Error(name)
		}
	}
}

// What the fast English model has begun, when it was the default, says how to go on with it.
func TestDefaultHasChanged(t *testing.T) {
	if model.Default() == model.Embedded {
		t.Skip("this program has no accurate model")
	}
	of := func(uri string) *output.Provenance {
		m, err := model.Open(uri)
		must(t, err)
		return &output.Provenance{FormatVersion: output.FormatVersion, ModelDigest: m.Digest, Options: DefaultRows()}
	}
	fast, now := of(model.Embedded), of("")
	for _, c := range []struct {
		was, now *output.Provenance
		said     bool
	}{{fast, now, true}, {now, fast, false}, {fast, fast, false}} {
		said := strings.Contains(strings.Join(Differences(c.was, c.now), "\n"), "--fast")
		if said != c.said {
			t.Errorf("%.8s, then %.8s: %q", c.was.ModelDigest, c.now.ModelDigest, Differences(c.was, c.now))
		}
	}
}

// A refusal is never without a reason.
func TestRefusedForAReason(t *testing.T) {
	dir := write(t, map[string]string{"sub/a.txt": prose(20)})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	run(t, o)
	for _, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"a document a line": {func(o *Options) { o.Rows.Document = output.ByLine }, "--document: was the default, is line"},
		"another text key":  {func(o *Options) { o.Rows.TextKey = "body" }, "--text: was the default, is body"},
		"another id key":    {func(o *Options) { o.Rows.IDKey = "key" }, "--id: was the default, is key"},
		"another way to the same file": {func(o *Options) { o.Inputs = []string{filepath.Join(dir, "sub", "a.txt")} },
			"another document id: that of " + filepath.Join(dir, "sub", "a.txt") + " was sub/a.txt, is a.txt"},
		"other ranges": {func(o *Options) { o.RangeBytes = 400 }, "--range-bytes: was "},
	} {
		changed := o
		c.change(&changed)
		refused(t, tryRun(changed), "another run:\n  "+c.want)
	}
}
