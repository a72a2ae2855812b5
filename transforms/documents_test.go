package transforms_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[collectFn]())
	register.Function1x2(attach)
	register.Function1x2(timed)
	register.Function2x1(untimed)
	register.Function1x2(refuse)
	register.Function2x1(sameKey)
}

// A collectFn keeps elements as JSON under a name, for a test in the same process.
type collectFn struct{ Name string }

var collected = struct {
	sync.Mutex
	lists map[string][]string
}{lists: map[string][]string{}}

func (f *collectFn) ProcessElement(x typex.X) {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	collected.Lock()
	defer collected.Unlock()
	collected.lists[f.Name] = append(collected.lists[f.Name], string(text))
}

// collect makes a list of the elements of c, sorted, as JSON. They go through their coder.
func collect(t *testing.T, s beam.Scope, c beam.PCollection) func() []string {
	name := t.Name() + string(rune('0'+len(collected.lists)))
	collected.lists[name] = []string{}
	beam.ParDo0(s, &collectFn{name}, beam.Reshuffle(s, c))
	return func() []string { return slices.Sorted(slices.Values(collected.lists[name])) }
}

func run(t *testing.T, p *beam.Pipeline) {
	t.Helper()
	if _, err := prism.Execute(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func jsonOf[T any](t *testing.T, list []T) (texts []string) {
	t.Helper()
	for i := range list {
		text, err := json.Marshal(list[i])
		must(t, err)
		texts = append(texts, string(text))
	}
	return slices.Sorted(slices.Values(texts))
}

// same compares two sorted lists.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: %d, want %d; number %d is\n%s\nwant\n%s", what, len(got), len(want), i, slices.Concat(got, make([]string, i+1))[i], slices.Concat(want, make([]string, i+1))[i])
			return
		}
	}
}

// What reads files and parses documents gives the rows of the job, with their places,
// however the files are cut.
func TestFilesToTrees(t *testing.T) {
	transformstest.Register()
	long := strings.Repeat("Caf\xc3\xa9s close. Who \xff cares?\r\nA line that goes on "+strings.Repeat("and on ", 30)+"\r\n\r\n", 200)
	for name, c := range map[string]struct {
		file    string
		content string
		read    func(s beam.Scope, glob string, o transforms.ReadOptions) (beam.PCollection, beam.PCollection)
		o       transforms.ReadOptions
		rows    output.RowOptions
	}{
		"text":      {"a.txt", long, transforms.ReadText, transforms.ReadOptions{}, output.RowOptions{From: "text"}},
		"places":    {"a.txt", long, transforms.ReadText, transforms.ReadOptions{Ranges: true}, output.RowOptions{From: "text"}},
		"one block": {"a.txt", strings.Repeat("word ", 30000) + "END.", transforms.ReadText, transforms.ReadOptions{Ranges: true}, output.RowOptions{From: "text"}},
		"gzip":      {"a.txt.gz", packed(t, long), transforms.ReadText, transforms.ReadOptions{Ranges: true}, output.RowOptions{From: "text"}},
		"latin1":    {"a.txt", "\xc4rger.\n\n\xd6l und \xdcbel.", transforms.ReadText, transforms.ReadOptions{Encoding: "latin1"}, output.RowOptions{From: "text", Encoding: "latin1"}},
		"lines":     {"a.txt", long, transforms.ReadText, transforms.ReadOptions{ByLine: true}, output.RowOptions{From: "text", Document: output.ByLine}},
		"sentences": {"a.txt", long, transforms.ReadText, transforms.ReadOptions{Lines: "sentence"}, output.RowOptions{From: "text", Lines: "sentence"}},
		"cased": {"a.txt", long, transforms.ReadText, transforms.ReadOptions{ByLine: true, Lines: "Sentence"},
			output.RowOptions{From: "text", Document: output.ByLine, Lines: "sentence"}},
		"JSON": {"a.jsonl", `{"id":"x","text":"One\u00e9 two.\n\nThree \"four\".","by":"me"}` + "\n{}\n" + `{"text":"` + transformstest.PanicTag + ` is lost. Kept.","by":1}`,
			transforms.ReadJSONL, transforms.ReadOptions{Keep: []string{"by"}}, output.RowOptions{From: "jsonl", Keep: "by"}},
		"table":  {"a.csv", "id,body\n7,\"He said \"\"no\"\". Then left.\"\n", transforms.ReadTable, transforms.ReadOptions{Text: "body"}, output.RowOptions{TextKey: "body"}},
		"binary": {"a.txt", strings.Repeat("\x00\x01\x02", 5000), transforms.ReadText, transforms.ReadOptions{}, output.RowOptions{From: "text"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, c.file, c.content)
			c.rows.MaxWords, c.rows.Ranges = 1000, c.o.Ranges
			var trees []transforms.Tree
			var failures []transforms.Failure
			size := int64(5000)
			if c.o.Ranges {
				size = 0 // code points are counted from the beginning of a file
			}
			each(t, dir, c.rows, size, func(chunk *transforms.Chunk) {
				batch := chunk.Batch()
				for i := range batch.Trees {
					row := batch.TreeRow(i, &output.Provenance{ModelDigest: strings.Repeat("70", 8)})
					filled(reflect.ValueOf(&row).Elem())
					trees = append(trees, row)
				}
				for i := range batch.Failures {
					meta := append([]transforms.KeyValue{}, batch.Files[batch.Failures[i].File].Meta...)
					failures = append(failures, transforms.Failure{Failure: batch.FailureRow(i), Meta: meta})
				}
			})
			p, s := beam.NewPipelineWithRoot()
			c.o.RangeBytes = 5000
			docs, unread := c.read(s, dir, c.o)
			parsed, unparsed := transforms.ParseDocuments(s, beam.Reshuffle(s, docs), transforms.Options{Model: transformstest.ModelURI, Ranges: c.o.Ranges})
			gotTrees, gotFailures := collect(t, s, parsed), collect(t, s, beam.Flatten(s, unread, unparsed))
			run(t, p)
			same(t, "trees", gotTrees(), jsonOf(t, trees))
			same(t, "failures", gotFailures(), jsonOf(t, failures))
			if len(trees)+len(failures) == 0 {
				t.Error("nothing was read")
			}
		})
	}
}

// filled makes nil slices empty.
func filled(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.IsNil() {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

func packed(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	must(t, w.Close())
	return b.String()
}

func TestReadCoNLL(t *testing.T) {
	transformstest.Register()
	dir := write(t, "a.conllu", "1\tThe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tend\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tbad\n\n1\tSo\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
	p, s := beam.NewPipelineWithRoot()
	o := transforms.Options{Model: transformstest.ModelURI}
	trees, failures := transforms.ParseDocuments(s, transforms.ReadCoNLL(s, dir, transforms.ReadOptions{}), o)
	gotTrees, gotFailures := collect(t, s, trees), collect(t, s, failures)
	run(t, p)
	if n, m := len(gotTrees()), len(gotFailures()); n != 2 || m != 1 {
		t.Errorf("%d trees and %d failures\n%s", n, m, gotFailures())
	}
}

// A document of the caller's own has its fields in trees and failures, and its key.
func TestParseDocuments(t *testing.T) {
	transformstest.Register()
	o := transforms.Options{Model: transformstest.ModelURI}
	piece := transforms.NewDocument("d", "One two. "+transformstest.PanicParse+" three. B\xffd.", transforms.KeyValue{Key: "k", Value: "v"})
	piece.Offset, piece.Line, piece.Chars, piece.Continues = 1000, 50, 900, true
	docs := []transforms.Document{piece, {ID: "bare", Text: strings.Repeat("Word by word. ", 10000)}, {ID: "empty", Text: " \n"}}
	p, s := beam.NewPipelineWithRoot()
	in := beam.CreateList(s, docs)
	trees, failures := transforms.ParseDocuments(s, in, o)
	gotTrees, gotFailures := collect(t, s, trees), collect(t, s, failures)
	keyed, keyedFailures := transforms.ParseDocuments(s, beam.ParDo(s, attach, in), o)
	sameTrees, sameFailures := collect(t, s, beam.ParDo(s, sameKey, keyed)), collect(t, s, beam.DropKey(s, keyedFailures))
	run(t, p)
	same(t, "trees with keys", sameTrees(), gotTrees())
	same(t, "failures with keys", sameFailures(), gotFailures())
	list := gotTrees()
	if len(list) != 10002 {
		t.Errorf("%d trees", len(list))
	}
	for _, want := range []string{`"SentID":"d@1000"`, `"StartByte":1027,"EndByte":1031`, `"Meta":[{"Key":"k","Value":"v"}]`, `"SentID":"bare@139986"`} {
		if !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("no tree has %s:\n%s", want, list[len(list)-2:])
		}
	}
	for _, want := range []string{`"ByteOffset":1009,"Line":50,"Stage":"parse"`, `"ByteOffset":1028,"Line":50,"Stage":"read"`, `"Meta":[{"Key":"k","Value":"v"}]`} {
		if !slices.ContainsFunc(gotFailures(), func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("no failure has %s:\n%s", want, gotFailures())
		}
	}
}

// Documents as other programs make them cost rows at worst, and no row has text that
// readers of Parquet or CoNLL-U refuse.
func TestOddDocuments(t *testing.T) {
	transformstest.Register()
	for name, c := range map[string]struct {
		doc   transforms.Document
		trees string // "number of trees, first token"
		why   string
	}{
		"nothing":   {transforms.Document{}, "0 ", ""},
		"byte mark": {transforms.Document{Text: "\xef\xbb\xbfHi you."}, "1 Hi", ""},
		"UTF-16":    {transforms.Document{Text: "\xff\xfeH\x00i\x00."}, "1 \ufffd\ufffdH\ufffdi\ufffd.", "invalid bytes: 4 characters"},
		"bad bytes": {transforms.Document{Text: "\xfe\xffHi you."}, "1 \ufffd\ufffdHi", "invalid bytes: 2 characters"},
		"zeros":     {transforms.Document{Text: "Good\x00 text."}, "1 Good\ufffd", "invalid bytes: 1 character"},
		"id": {transforms.Document{ID: "a\xff\n# b\u2028", Source: "\x00", Text: "One.", Meta: []transforms.KeyValue{{Key: "k\xff", Value: "v\xff"}, {Key: "k"}, {Key: "k"}}},
			"1 One.", ""},
		"lines":   {transforms.Document{Text: "One.", Lines: "odd"}, "0 ", `document with Lines "odd": unknown meaning`},
		"changed": {transforms.Document{Text: "One.", Places: []transforms.Place{{Length: 100}}}, "0 ", "Places do not fit Text"},
		"runs":    {transforms.Document{Text: "One.", Places: []transforms.Place{{Length: 4, Runs: []transforms.Run{{}}}}}, "0 ", "internal"},
		"before":  {transforms.Document{Text: "One.", Offset: -5, Line: -3, Chars: -9}, "1 One.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := beam.NewPipelineWithRoot()
			trees, failures := transforms.ParseDocuments(s, beam.Reshuffle(s, beam.Create(s, c.doc)), transforms.Options{Model: transformstest.ModelURI})
			out := t.TempDir()
			gotFailures := collect(t, s, failures)
			transforms.WriteTrees(s, trees, out, transforms.WriteOptions{Keep: []string{"k", "k\ufffd"}})
			run(t, p)
			names, _ := filepath.Glob(out + "/*")
			list, first := []transforms.Tree(nil), ""
			for _, name := range names {
				var err error
				if list, err = readTrees(name); err != nil {
					t.Fatal(err)
				}
				first = list[0].Tokens[0]
				if row := fmt.Sprint(list[0]); !utf8.ValidString(row) || strings.ContainsAny(list[0].SentID+strings.Join(list[0].Comments, ""), "\n\u2028") {
					t.Errorf("%q", row)
				}
			}
			if got := fmt.Sprint(len(list), " ", first); got != c.trees {
				t.Errorf("trees %q, want %q", got, c.trees)
			}
			if all := strings.Join(gotFailures(), "\n"); !strings.Contains(all, jsonOf(t, []string{c.why})[0][1:len(jsonOf(t, []string{c.why})[0])-1]) || (c.why == "") != (all == "") {
				t.Errorf("failures %q, want %q", all, c.why)
			}
		})
	}
}

// Short documents of a bundle with one timestamp are in one chunk, and have their own ids,
// keys, fields and times. In other windows, each is alone and keeps its window.
func TestShortDocuments(t *testing.T) {
	transformstest.Register()
	var docs []transforms.Document
	var want []string
	for i := range 1000 {
		docs = append(docs, transforms.NewDocument(fmt.Sprint(i/2), "One. B\xff.", transforms.KeyValue{Key: "n", Value: fmt.Sprint(i)}))
		want = append(want, fmt.Sprintf(`"%d %d@0 %d"`, i/100, i/2, i), fmt.Sprintf(`"%d %d@5 %d"`, i/100, i/2, i))
	}
	slices.Sort(want)
	o := transforms.Options{Model: transformstest.ModelURI}
	for name, c := range map[string]struct {
		window *window.Fn
		chunks int
	}{"global": {window.NewGlobalWindows(), 10}, "fixed": {window.NewFixedWindows(time.Second), 1000}, "sliding": {window.NewSlidingWindows(time.Second, 2*time.Second), 1000}} {
		for _, keyed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", name, keyed), func(t *testing.T) {
				p, s := beam.NewPipelineWithRoot()
				in := beam.WindowInto(s, c.window, beam.ParDo(s, timed, beam.CreateList(s, docs)))
				if keyed {
					in = beam.ParDo(s, attach, in)
				}
				trees, failures := transforms.ParseDocuments(s, in, o)
				if keyed {
					trees, failures = beam.ParDo(s, sameKey, trees), beam.DropKey(s, failures)
				}
				all := func(c beam.PCollection) func() []string {
					return collect(t, s, beam.WindowInto(s, window.NewGlobalWindows(), c))
				}
				rows, warnings := all(beam.ParDo(s, untimed, trees)), all(failures)
				result, err := prism.Execute(t.Context(), p)
				must(t, err)
				same(t, "rows", rows(), want)
				chunks := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Name() == "sentences_per_chunk" }).Distributions()
				if m := len(warnings()); len(chunks) != 1 || chunks[0].Result().Count != int64(c.chunks) || m != 1000 {
					t.Errorf("%+v, want %d chunks, and %d warnings", chunks, c.chunks, m)
				}
			})
		}
	}
}

// Records that are cut into tokens are no documents: each sentence is a failure, and
// ReadCoNLL keeps them.
func TestTokensOfRecords(t *testing.T) {
	transformstest.Register()
	dir := write(t, "a.jsonl", `{"id":"x","text":[["Two","words"],["Three","more","words"]]}`+"\n"+`{"id":"y","text":"A text."}`)
	o := transforms.Options{Model: transformstest.ModelURI}
	p, s := beam.NewPipelineWithRoot()
	docs, unread := transforms.ReadJSONL(s, dir, transforms.ReadOptions{})
	trees, _ := transforms.ParseDocuments(s, docs, o)
	chunks := transforms.Segment(s, transforms.ReadCoNLL(s, dir, transforms.ReadOptions{Format: "jsonl"}), o)
	all, _ := transforms.Trees(s, transforms.Parse(s, transforms.Prune(s, transforms.Tag(s, chunks, o), o), o), o)
	gotTrees, gotFailures, gotAll := collect(t, s, trees), collect(t, s, unread), collect(t, s, all)
	run(t, p)
	if n, m, k := len(gotTrees()), len(gotFailures()), len(gotAll()); n != 1 || m != 2 || k != 3 || !strings.Contains(gotFailures()[0], "its words are given") {
		t.Errorf("%d trees, failures %q, %d trees of chunks", n, gotFailures(), k)
	}
}

// Sentences that a stage has left out are failures, not trees without heads.
func TestTreesUnparsed(t *testing.T) {
	transformstest.Register()
	o := transforms.Options{Model: transformstest.ModelURI}
	p, s := beam.NewPipelineWithRoot()
	trees, failures := transforms.Trees(s, transforms.Segment(s, beam.Create(s, transforms.NewDocument("d", "A text.")), o), o)
	gotTrees, gotFailures := collect(t, s, trees), collect(t, s, failures)
	run(t, p)
	if n, f := len(gotTrees()), gotFailures(); n != 0 || len(f) != 1 || !strings.Contains(f[0], "the same Options") {
		t.Errorf("%d trees, failures %q", n, f)
	}
}

// timed gives a hundred documents the same time.
func timed(d transforms.Document) (beam.EventTime, transforms.Document) {
	n, err := strconv.Atoi(d.ID)
	if err != nil {
		panic(err)
	}
	return mtime.Time(n / 50), d
}

func untimed(at beam.EventTime, t transforms.Tree) string {
	return fmt.Sprint(at.Milliseconds(), " ", t.SentID, " ", t.Meta[0].Value)
}

// An error of a DoFn between two stages ends the run: it is no failure of the document.
func TestErrorBetweenStages(t *testing.T) {
	transformstest.Register()
	o := transforms.Options{Model: transformstest.ModelURI}
	p, s := beam.NewPipelineWithRoot()
	docs := beam.Create(s, transforms.NewDocument("d", strings.Repeat("Word by word.\n\n", 10000)))
	transforms.Trees(s, beam.ParDo(s, refuse, transforms.Segment(s, docs, o)), o)
	if _, err := prism.Execute(t.Context(), p); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}

func refuse(c transforms.Chunk) (transforms.Chunk, error) {
	if len(c.Sentences) > 100 {
		return c, errors.New("refused")
	}
	return c, nil
}

func attach(d transforms.Document) (string, transforms.Document) { return d.ID, d }

func sameKey(key string, t transforms.Tree) transforms.Tree {
	if key != t.DocID {
		panic(key)
	}
	return t
}

// What leaves a transform has no nil slice, on which runners in Java hang.
func TestElementsSurvive(t *testing.T) {
	for _, v := range []any{transforms.NewDocument("d", "t"), transforms.Document{Places: []transforms.Place{{Runs: []transforms.Run{{Width: 3}}}}},
		transforms.Failure{Meta: []transforms.KeyValue{{Key: "k"}}}, transforms.Tree{Tokens: []string{"a"}, Head: []int32{0}, TreeConf: new(float32), MWT: []parquet.MWT{}}} {
		var b strings.Builder
		must(t, beam.NewElementEncoder(reflect.TypeOf(v)).Encode(v, &b))
		got, err := beam.NewElementDecoder(reflect.TypeOf(v)).Decode(strings.NewReader(b.String()))
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%+v, %v, want %+v", got, err, v)
		}
	}
}

// The trees of a folder that WriteTrees has filled are those that it was given, whatever
// it sorts on the disk, and a second run writes the same files.
func TestWriteTrees(t *testing.T) {
	transformstest.Register()
	defer transforms.SortBytes(20000)()
	out := t.TempDir()
	var names []string
	for range 2 {
		p, s := beam.NewPipelineWithRoot()
		var docs []transforms.Document
		for _, id := range []string{"a", "b", "c", "d"} {
			docs = append(docs, transforms.NewDocument(id, strings.Repeat("A word. And two words. ", 300), transforms.KeyValue{Key: "by", Value: id}))
		}
		trees, _ := transforms.ParseDocuments(s, beam.CreateList(s, docs), transforms.Options{Model: transformstest.ModelURI})
		files := collect(t, s, transforms.WriteTrees(s, trees, out, transforms.WriteOptions{Shards: 2, Keep: []string{"by"}}))
		run(t, p)
		if names == nil {
			names = files()
		}
		same(t, "files", files(), names)
	}
	found, err := filepath.Glob(out + "/*")
	if err != nil || len(found) != 2 || len(names) != 2 {
		t.Fatalf("%s holds %q, %v; named were %q", out, found, err, names)
	}
	for _, name := range found {
		trees, err := readTrees(name)
		must(t, err)
		if len(trees)%600 != 0 || !slices.IsSortedFunc(trees, func(a, b transforms.Tree) int { return int(a.StartByte - b.StartByte) }) || trees[0].Meta[0].Value == "" {
			t.Errorf("%s has %d trees, the first is %+v", name, len(trees), trees[0])
		}
	}
}

// Keys that make no Parquet file that others read stop the program before it runs.
func TestWriteTreesRefuses(t *testing.T) {
	for what, o := range map[string]transforms.WriteOptions{
		"given twice": {Keep: []string{"by", "By"}},
		"is empty":    {Keep: []string{""}},
		"shards":      {Shards: -1},
	} {
		refuses(t, what, func(s beam.Scope) {
			transforms.WriteTrees(s, beam.CreateList(s, []transforms.Tree{{}}), t.TempDir(), o)
		})
	}
}

// refuses checks that a pipeline that cannot be built says what is wrong.
func refuses(t *testing.T, what string, build func(s beam.Scope)) {
	t.Helper()
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, what) {
			t.Errorf("%s: %s", what, said)
		}
	}()
	_, s := beam.NewPipelineWithRoot()
	build(s)
}

// Options that no worker could use stop the program before it runs.
func TestReadRefuses(t *testing.T) {
	for what, o := range map[string]transforms.ReadOptions{
		"unknown format":       {Format: "odt"},
		"unknown encoding":     {Encoding: "none"},
		"unknown meaning":      {Lines: "many"},
		"option ByLine":        {Lines: "wrapped", ByLine: true},
		"option Keep":          {Keep: []string{"a", "A"}},
		`option Exclude: "[x"`: {Exclude: []string{"*.md", "[x"}},
		"option RangeBytes":    {RangeBytes: -1},
	} {
		refuses(t, what, func(s beam.Scope) { transforms.ReadText(s, "*.txt", o) })
	}
}

func readTrees(name string) (list []transforms.Tree, err error) {
	f, err := parquet.Open[transforms.Tree](name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for t, err := range f.All() {
		if err != nil {
			return nil, err
		}
		list = append(list, *t)
	}
	return list, nil
}
