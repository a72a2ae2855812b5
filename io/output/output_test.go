package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// written writes an output of two files, one a range, of two sentences each, of
// which the second one of the first file has failed.
func written(t *testing.T) *Run {
	t.Helper()
	return writtenTo(t, t.TempDir())
}

func writtenTo(t *testing.T, folder string) *Run {
	t.Helper()
	r := &Run{Record: Record{strings.Repeat("0123456789abcdef", 4), Provenance{FormatVersion: FormatVersion, ModelDigest: strings.Repeat("d", 64)}}, Ranges: 2, Output: folder}
	must(t, r.Write(t.Context(), r.Output))
	for k := range r.Ranges {
		uri := fmt.Sprintf("in/%d", k)
		file := File{DocID: uri, URI: uri, Format: "conllu", EOF: true, End: 20}
		file.Blocks = 2
		b := &Batch{Files: []File{file}, Segmented: []Count{{2, 2}}, Last: true, Ends: []File{file}}
		for i := range 2 {
			s := &syntax.Sentence{StartByte: int64(10 * i), EndByte: int64(10*i + 10), Words: []syntax.Word{{Form: fmt.Sprintf("w%d%d", k, i), Deprel: "root"}}}
			if k == 0 && i == 1 {
				f := Failure{Sentence: true, CoNLLU: "# failed\n\n"}
				f.Fault, f.Stage, f.Severity, f.ByteOffset = syntax.Because(syntax.KindInternal, "planted"), "parse", syntax.SeverityError, s.StartByte
				b.Failures = append(b.Failures, f)
				continue
			}
			b.Trees = append(b.Trees, Tree{Sentence: s})
		}
		p, err := r.Open(t.Context(), k)
		must(t, err)
		must(t, errors.Join(p.Add(b), p.Commit(b.Ends)))
	}
	return r
}

// found is what the output has of the ranges, such as "done damaged -".
func found(t *testing.T, r *Run) string {
	var list []string
	for f, err := range r.Found(t.Context()) {
		must(t, err)
		list = append(list, map[Found]string{{}: "-", {Done: true}: "done", {Damaged: true}: "damaged"}[f])
	}
	return strings.Join(list, " ")
}

// What was written is read again, in order, with what failed in its place; without
// its manifest it is no output, and Remove leaves nothing of it.
func TestWriteAndRead(t *testing.T) {
	r := written(t)
	var refusal *Refusal
	if _, err := Open(t.Context(), r.Output); !errors.As(err, &refusal) {
		t.Errorf("before its end: %v", err)
	}
	if got := found(t, r); got != "done done" {
		t.Error(got)
	}
	must(t, r.Finish(t.Context(), true, nil))
	from, err := Open(t.Context(), r.Output)
	must(t, err)
	var rows []string
	stats, err := from.Sentences(func(row *Row) error {
		what := "failed"
		if row.Tree != nil {
			what = row.Tree.Tokens[0]
		}
		rows = append(rows, row.SourceURI()+" "+row.Format+" "+what)
		return nil
	})
	if want := []string{"in/0 conllu w00", "in/0 conllu failed", "in/1 conllu w10", "in/1 conllu w11"}; err != nil || !slices.Equal(rows, want) || stats.Unparsed != 1 {
		t.Errorf("%q, %+v, %v", rows, stats, err)
	}
	if trees, _, err := from.All(); err != nil || len(trees) != 3 {
		t.Errorf("%d trees, %v", len(trees), err)
	}
	sum, err := ReadSummary(r.Output)
	if err != nil || sum.Files != 2 || sum.Trees != 3 || sum.SentencesFailed != 1 || sum.Internal != 1 || len(sum.Reasons) != 1 || sum.Reasons[0].Reason != "planted" {
		t.Errorf("%+v, %v", sum, err)
	}
	list, err := Records(t.Context(), r.Output)
	if err != nil || len(list) != 1 || CheckForeign(t.Context(), r.Output, r.FP) != nil || CheckForeign(t.Context(), r.Output, strings.Repeat("0", 64)) == nil {
		t.Fatalf("%+v, %v", list, err)
	}
	hidden, alien := filepath.Join(r.Output, "trees", ".DS_Store"), filepath.Join(r.Output, "trees", "x.parquet")
	must(t, os.WriteFile(hidden, nil, 0o644))
	if err := CheckForeign(t.Context(), r.Output, r.FP); err != nil {
		t.Errorf("with a file that no reader reads: %v", err)
	}
	must(t, os.WriteFile(alien, nil, 0o644))
	if err := CheckForeign(t.Context(), r.Output, r.FP); err == nil || !strings.Contains(err.Error(), "trees/x.parquet, which is not of this run") {
		t.Errorf("with a file of others: %v", err)
	}
	must(t, cmp.Or(os.Remove(hidden), os.Remove(alien)))
	current := filepath.Join(r.Output, CurrentFile)
	must(t, os.WriteFile(current, nil, 0o644))
	if err := CheckForeign(t.Context(), r.Output, r.FP); err == nil || !strings.Contains(err.Error(), "is a state") {
		t.Errorf("in the folder of a state: %v", err)
	}
	must(t, os.Remove(current))
	must(t, Remove(t.Context(), r.Output, &list[0]))
	_ = filepath.Walk(r.Output, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
}

// A part that is damaged is not done, is no part of an output, and is written anew.
func TestDamagedPart(t *testing.T) {
	r := written(t)
	must(t, r.Finish(t.Context(), true, nil))
	path := r.partID(1).Path("trees")
	whole, err := os.ReadFile(path)
	must(t, err)
	bad := slices.Clone(whole)
	bad[len(bad)/4] ^= 1
	for name, c := range map[string]struct {
		data        []byte
		want, verif string // what is found, without and with Verify
	}{
		"a bit":        {bad, "done done", "done damaged"}, // footers are well
		"its end":      {whole[:len(whole)-5], "done damaged", "done damaged"},
		"all of it":    {nil, "done -", "done -"},
		"nothing else": {whole, "done done", "done done"},
	} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if c.data != nil {
			must(t, os.WriteFile(path, c.data, 0o644))
		}
		r.Verify = false
		if got := found(t, r); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		r.Verify = true
		if got := found(t, r); got != c.verif {
			t.Errorf("%s, with Verify: %s", name, got)
		}
		from, err := Open(t.Context(), r.Output)
		if err == nil {
			_, _, err = from.All()
		}
		if broken := name != "nothing else"; errors.Is(err, parquet.ErrDamaged) != broken || !broken && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A range is done if its trees are there and all that their footer counts. Whatever else
// is there does not matter, and is gone at the end; a run that changes nothing opens no
// part.
func TestPartsOfFailures(t *testing.T) {
	r := written(t)
	must(t, r.Finish(t.Context(), true, nil))
	path := func(k int, kind string) string { return r.partID(k).Path(kind) }
	if _, err := os.Stat(path(1, "failures")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("failures of a range without any: %v", err)
	}
	rows, err := os.ReadFile(path(0, "failures"))
	if err != nil || os.WriteFile(path(1, "failures"), rows, 0o644) != nil || !r.Done(1) {
		t.Fatalf("with a stray part: %s, %v", found(t, r), err)
	}
	must(t, r.Finish(t.Context(), true, nil))
	if _, err := os.Stat(path(1, "failures")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a stray part stays: %v", err)
	}
	trees, err := os.ReadFile(path(1, "trees"))
	if err != nil || os.WriteFile(path(1, "trees"), make([]byte, len(trees)), 0o644) != nil {
		t.Fatal(err)
	}
	if err := r.Finish(t.Context(), false, nil); err != nil {
		t.Errorf("nothing changed, and a part was opened: %v", err)
	}
	must(t, os.Remove(path(0, "failures")))
	if got := found(t, r); got != "- damaged" {
		t.Error(got)
	}
	for k := range r.Ranges {
		if r.Done(k) {
			t.Errorf("range %d is done", k)
		}
		if _, err := os.Stat(path(k, "trees")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("trees of range %d, which is not done: %v", k, err)
		}
	}
}

// Parts that a store does not give now are not damaged: their trees stay.
func TestUnreadPartStays(t *testing.T) {
	m := new(storetest.Memory)
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	r := writtenTo(t, "mem://b/unread")
	m.Break(func(string, int64, int64) (int64, error) { return 0, store.ErrCredentials })
	if got := found(t, r); got != "- -" || r.Done(0) {
		t.Errorf("without credentials: %s", got)
	}
	inputs := source.ListingOf([]source.Input{{URI: "in/0", Size: 1}, {URI: "in/1", Size: 1}})
	plan, err := source.NewPlan(t.Context(), inputs, source.PlanOptions{RangeBytes: 1})
	must(t, err)
	existing := &Existing{Run: *r, Plan: plan}
	if missing, err := existing.Missing(t.Context()); !errors.Is(err, store.ErrCredentials) {
		t.Errorf("%v are missing, %v", missing, err)
	}
	m.Break(nil)
	if got := found(t, r); got != "done done" {
		t.Error(got)
	}
	trees := r.partID(1).Path("trees")
	for footer, value := range map[string]string{keyFiles: "not JSON", keyReasons: "[]"} {
		part, err := parquet.Create(r.partID(1), parquet.PartOptions{Replace: true, Meta: r.footer()})
		must(t, err)
		must(t, part.Commit(map[string]string{keyFiles: `[{"trees": 1}]`, keyReasons: "[]", keyStatus: "{}", footer: value}))
		if got := found(t, r); got != "done damaged" || r.Done(1) {
			t.Errorf("with %s as %s: %s", footer, value, got)
		}
		if there, err := store.Exists(t.Context(), trees); there || err != nil {
			t.Errorf("damaged trees stay: %v", err)
		}
	}
}

func TestToken(t *testing.T) {
	out := t.TempDir()
	must(t, os.Mkdir(filepath.Join(out, OwnDir), 0o755))
	first, err := PlaceToken(out)
	must(t, err)
	second, err := PlaceToken(out)
	if err != nil || second != first {
		t.Fatalf("a second run got token %q, %v; the first had %q", second, err, first)
	}
	job := Run{Output: out, Token: first}
	if err := job.CheckToken(); err != nil {
		t.Error(err)
	}
	elsewhere := Run{Output: t.TempDir(), Token: first}
	if parts, err := elsewhere.Open(t.Context(), 0); err == nil { // what it wrote would be lost
		t.Error("a machine writes parts to a folder of its own")
		parts.Abandon()
	}
	if err := elsewhere.CheckToken(); err == nil || !strings.Contains(err.Error(), "does not see the output folder") {
		t.Errorf("a worker without the folder: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(out, OwnDir, tokenFile), []byte("another token, as long as ours\n"), 0o644))
	if err := job.CheckToken(); err == nil || !strings.Contains(err.Error(), "another folder under the same path") {
		t.Errorf("a worker with a folder of its own: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(out, OwnDir, tokenFile), nil, 0o644))
	if _, err := PlaceToken(out); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("an empty token file: %v", err)
	}
}

// A run waits for the token that another one has not yet written.
func TestTokenOfAnother(t *testing.T) {
	out := t.TempDir()
	name := filepath.Join(out, OwnDir, tokenFile)
	must(t, os.Mkdir(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, nil, 0o644))
	const other = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(tokenWait/2, func() { must(t, os.WriteFile(name, []byte(other+"\n"), 0o644)) })
		if token, err := PlaceToken(out); err != nil || token != other {
			t.Errorf("%q, %v", token, err)
		}
	})
}

// Remove says that it could not read the manifest, which would stay.
func TestRemoveUnread(t *testing.T) {
	m, folder := new(storetest.Memory), "mem://b/out"
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	run := Run{Record: Record{FP: strings.Repeat("0123456789abcdef", 4)}, Ranges: 1, Output: folder}
	must(t, run.writeManifest(t.Context(), &Manifest{Record: run.Record, Ranges: 1}))
	m.Break(func(string, int64, int64) (int64, error) { return 0, fs.ErrPermission })
	err := Remove(t.Context(), folder, &run.Record)
	if there, _ := store.Exists(t.Context(), folder+"/"+ManifestFile); !there || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v; the manifest is there: %v", err, there)
	}
	m.Break(nil)
	must(t, Remove(t.Context(), folder, &run.Record))
	if there, _ := store.Exists(t.Context(), folder+"/"+ManifestFile); there {
		t.Error("the manifest stays")
	}
}

// The temporary files of a range that takes days are not swept: neither of its
// two files need be written to all that time.
func TestLongRangeIsNotSwept(t *testing.T) {
	defer func(before time.Duration) { touchAfter = before }(touchAfter)
	touchAfter = time.Millisecond
	job := Run{Record: Record{FP: "0123456789abcdef"}, Ranges: 1, Output: t.TempDir()}
	r, err := job.Open(t.Context(), 0)
	must(t, err)
	defer r.Abandon()
	must(t, r.part.Failures(parquet.Failure{SourceURI: "x"}))
	files := func() []os.DirEntry {
		list, err := os.ReadDir(tmpDir(job.Output))
		must(t, err)
		return list
	}
	old := time.Now().Add(-48 * time.Hour)
	before := files()
	if len(before) != 2 {
		t.Fatalf("%d temporary files", len(before))
	}
	for _, e := range before {
		must(t, os.Chtimes(filepath.Join(tmpDir(job.Output), e.Name()), old, old))
	}
	for young := 0; young < 2; {
		time.Sleep(time.Millisecond)
		young = 0
		for _, e := range files() {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) < time.Hour {
				young++
			}
		}
	}
	Sweep(job.Output, time.Now())
	if n := len(files()); n != 2 {
		t.Errorf("%d of 2 temporary files are left", n)
	}
	must(t, r.publish(nil))
	Sweep(job.Output, time.Now().Add(48*time.Hour))
	if n := len(files()); n != 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

// Nobody drops the files of a part while Rewrite uses them.
func TestRewriteIsNotDisturbed(t *testing.T) {
	created := 0
	store.Register("", func(context.Context) (store.Store, error) {
		return store.Local{Fault: func(operation, name string) error {
			open.Range(func(p, _ any) bool {
				if created++; p.(*Parts).using.TryLock() {
					t.Errorf("%s %s: the part may be dropped", operation, name)
					p.(*Parts).using.Unlock()
				}
				return true
			})
			return nil
		}}, nil
	})
	defer store.Register("", func(context.Context) (store.Store, error) { return store.Local{}, nil })
	r := Run{Record: Record{FP: "0123456789abcdef"}, Ranges: 2, Output: t.TempDir()}
	failures := func(yield func(*parquet.Failure, error) bool) {
		yield(&parquet.Failure{Severity: "error", Kind: "internal"}, nil)
	}
	must(t, r.Rewrite(1, nil, func(func(*parquet.Tree, error) bool) {}, failures))
	if created == 0 {
		t.Error("no file was made while the part was open")
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// The commonest reasons of several runs come first.
func TestMergedReasons(t *testing.T) {
	rare, common := Reason{Kind: syntax.KindDamaged, Count: 2}, Reason{Kind: syntax.KindKept, Count: 3}
	var s Summary
	s.Merge(&Summary{Reasons: []Reason{rare}})
	s.Merge(&Summary{Reasons: []Reason{common}})
	if !slices.Equal(s.Reasons, []Reason{common, rare}) {
		t.Errorf("%+v", s.Reasons)
	}
}

// Places in a Parquet file count no bytes: its size says whether much of it was repaired.
func TestMuchRepaired(t *testing.T) {
	for _, c := range []struct {
		format                string
		end, stored, repaired int64
		want                  bool
	}{
		{"text", 1000, 1000, 10, false}, {"text", 1000, 1000, 11, true}, {"text", 5000, 1000, 11, false},
		{"parquet", 3 << 24, 1000, 11, true}, {"parquet", 3 << 24, 1000, 10, false},
		{"parquet", 0, -1, 0, false}, // from a pipe, which has no size
	} {
		f := File{Format: c.format, End: c.end, Stored: c.stored, Repaired: c.repaired}
		if f.MuchRepaired() != c.want {
			t.Errorf("%+v", c)
		}
	}
}

// An archive is a file that was parsed, too: its members are the documents.
func TestArchiveIsAnInput(t *testing.T) {
	dir := t.TempDir()
	archive, other := filepath.Join(dir, "x!", "a.tar.gz"), filepath.Join(dir, "b.tar.gz")
	for _, name := range []string{archive, other} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte("some bytes"), 0o644))
	}
	member := ""
	o := &Reader{Documents: func(yield func(*parquet.Document, error) bool) {
		yield(&parquet.Document{SourceURI: archive + member, StoredBytes: 3}, nil)
	}}
	for _, member = range []string{"!/in/c.txt", "!/in!/c.txt"} {
		if err := o.NotAnInput("--output", archive); err == nil {
			t.Errorf("the archive of %s may be overwritten", member)
		}
		if err := o.NotAnInput("--output", other); err != nil {
			t.Error(err)
		}
	}
}
