package treebeam

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/treebeam/treebeam/"
	beam   = "github.com/apache/beam/"
)

// imports says which packages of ours a package may import. A package that
// has no row fails the test: give it one, and think where it belongs.
var imports = func() map[string][]string {
	records := []string{"parser/syntax", "parser/pack"}
	learning := append(slices.Clone(records), "parser/hash", "parser/linear")
	scores := append(slices.Clone(learning), "parser/word", "parser/score", "parser/graph")
	components := append(slices.Clone(scores), "parser/segment", "parser/sequence", "parser/lemma", "parser/tag", "parser/prune", "parser/part", "parser/search", "parser/label", "parser/encode", "parser/calibrate")
	codecs := []string{"io/store", "io/spill", "io/source", "io/text", "io/conllu", "io/record", "io/tokens", "io/parquet"}
	stages := slices.Concat(components, codecs, []string{"io/output", "model"})
	return map[string][]string{
		"":                {"io/conllu", "io/text", "io/tokens", "model", "parser/syntax", "parser/tag"}, // for callers from Go
		"parser/syntax":   nil,
		"parser/pack":     nil,
		"parser/hash":     {"parser/pack"},
		"parser/linear":   append(slices.Clone(records), "parser/hash", "parser/graph"),
		"parser/word":     append(slices.Clone(learning), "parser/graph"),
		"parser/score":    append(slices.Clone(learning), "parser/word", "parser/graph"),
		"parser/graph":    {"parser/syntax", "parser/hash"},
		"parser/segment":  append(slices.Clone(learning), "parser/word", "parser/graph", "parser/score"),
		"parser/sequence": scores,
		"parser/lemma":    append(slices.Clone(scores), "parser/sequence"),
		"parser/tag":      append(slices.Clone(scores), "parser/sequence", "parser/lemma"),
		"parser/prune":    append(slices.Clone(scores), "parser/prune/dense"),
		"parser/label":    scores,
		"parser/part":     scores,
		"parser/certify":  append(slices.Clone(scores), "parser/part"),
		"parser/search":   append(slices.Clone(scores), "parser/part", "parser/certify", "parser/prune"),
		"parser/eval":     append(slices.Clone(components), "model"),
		"parser/language": append(slices.Clone(records), "parser/hash", "parser/graph", "parser/vector"),
		"parser/matrix":   nil,
		"parser/vector":   nil,
		"parser/pattern":  {"parser/syntax"},
		"parser/piece":    append(slices.Clone(records), "parser/hash"),
		"parser/encode":   append(slices.Clone(records), "parser/hash", "parser/graph", "parser/score", "parser/matrix", "parser/vector", "parser/piece"),
		"parser/finetune": append(slices.Clone(learning), "parser/graph", "parser/matrix", "parser/vector", "parser/piece", "parser/encode"),
		"model":           append(slices.Clone(components), "io/sections", "parser/encode", "parser/language"),
		"parser/train":    append(slices.Clone(components), "parser/language", "model", "parser/eval", "parser/piece", "parser/encode", "parser/finetune"),

		"model/modeltest":      {"model", "parser/encode", "parser/hash", "parser/pack", "parser/syntax", "parser/train"},
		"parser/part/parttest": {"parser/hash", "parser/syntax"},
		"parser/prune/dense":   scores,

		"parser/calibrate": append(slices.Clone(records), "parser/graph", "parser/linear"),

		"io/sections":          {"parser/pack"},
		"io/encoder":           append(slices.Clone(records), "io/sections", "parser/hash", "parser/encode", "parser/piece"),
		"io/store":             nil,
		"io/store/storetest":   {"io/store"},
		"io/source/sourcetest": {},
		"io/store/gs":          {"io/store"},
		"io/store/s3":          {"io/store"},
		"io/spill":             {"io/store"},
		"io/source":            append(slices.Clone(records), "io/store", "io/spill"),
		"io/text":              records,
		"io/conllu":            records,
		"io/tokens":            append(slices.Clone(records), "io/text"),
		"io/record/recordtest": {},
		"io/record":            append(slices.Clone(records), "io/text", "io/parquet"),
		"io/parquet":           append(slices.Clone(records), "io/store"),
		"io/output":            append(slices.Clone(records), "io/source", "io/store", "io/parquet"),
		"io/treebank":          append(slices.Clone(components), "io/conllu", "io/store", "io/source", "io/text", "model", "parser/train"),
		"io/mirror":            nil,
		"io/pick":              {"io/conllu", "io/output", "io/parquet", "parser/syntax"},
		"io/view":              append(slices.Clone(records), "io/parquet", "io/pick"),

		"transforms":                stages,
		"transforms/transformstest": append(slices.Clone(stages), "transforms"),
		"pipeline":                  append(slices.Clone(stages), "transforms", "pipeline/engine", "io/pick", "io/view", "io/store/gs", "io/store/s3"),
		"pipeline/engine":           {},
		"pipeline/find":             {"io/conllu", "io/output", "io/parquet", "io/pick", "io/tokens", "io/view", "parser/pattern", "parser/syntax"},
		"pipeline/diff":             {"io/parquet"},
		"pipeline/nightly":          {"io/output", "io/parquet", "io/source", "io/store", "io/view", "pipeline"},
		"pipeline/serve":            {"io/conllu", "io/text", "io/tokens", "io/parquet", "io/pick", "io/source", "io/store", "io/view", "model", "parser/label", "parser/pattern", "parser/syntax"}, // in memory, without Beam
		"cmd/treebeam":              append(slices.Clone(stages), "transforms", "pipeline", "pipeline/nightly", "pipeline/diff", "pipeline/find", "pipeline/serve", "parser/pattern", "io/mirror", "io/pick", "io/view", "io/encoder", "io/treebank", "parser/piece", "parser/train", "parser/eval"),
		"python":                    nil,
		"cmd/dist":                  {"python"},
	}
}()

// forTests is what test files may import beside their package's row.
var forTests = map[string][]string{
	"":                 {"io/source", "model/modeltest"},
	"parser/part":      {"parser/part/parttest"},
	"parser/graph":     {"parser/part/parttest"},
	"parser/vector":    {"parser/hash"},
	"parser/search":    {"parser/part/parttest"},
	"io/record":        {"io/record/recordtest"},
	"model":            {"", "io/conllu", "model/modeltest"},
	"parser/segment":   {"io/conllu"}, // tests on treebanks
	"parser/tag":       {"io/conllu"},
	"parser/prune":     {"io/conllu", "parser/part/parttest"},
	"parser/label":     {"io/conllu"},
	"parser/train":     {"io/conllu"},
	"io/store":         {"io/store/storetest"},
	"io/store/gs":      {"io/store/storetest"},
	"io/store/s3":      {"io/store/storetest"},
	"io/source":        {"io/store/storetest", "io/source/sourcetest"},
	"io/parquet":       {"io/conllu", "io/store/storetest"},
	"io/output":        {"io/store/storetest"},
	"io/treebank":      {"io/source/sourcetest"},
	"transforms":       {"model/modeltest", "transforms/transformstest", "io/store/storetest", "io/source/sourcetest"},
	"pipeline":         {"", "model", "model/modeltest", "transforms/transformstest", "io/store/storetest"},
	"pipeline/serve":   {""},
	"pipeline/nightly": {"transforms/transformstest", "parser/syntax", "io/store/storetest"},
	"cmd/treebeam":     {"io/store/storetest", "io/record/recordtest", "model/modeltest", "transforms/transformstest"},

	"parser/certify": {"parser/part/parttest"},
}

// withBeam are the packages that know Beam.
var withBeam = []string{"transforms", "transforms/transformstest", "pipeline", "pipeline/engine", "pipeline/nightly", "cmd/treebeam"}

// impure is what the algorithm (parser/...) must not import: it opens no
// files and no connections, and no result depends on a process's own chance.
var impure = []string{"os", "os/exec", "os/signal", "io/fs", "io/ioutil", "path/filepath", "syscall", "net", "net/http",
	"net/url", "math/rand", "hash/maphash", "plugin"}

// clocks are the functions by which a clock could get into a result.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

const (
	maxLines         = 500
	maxFunctionLines = 100
)

// inexact are the functions of package math that are computed otherwise on another
// processor, or in another build: some ask whether it has fused multiply-add, and the
// compiler may fuse what the others multiply and add.
var inexact = []string{"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cbrt", "Cos", "Cosh", "Erf", "Erfc", "Erfcinv", "Erfinv",
	"Exp", "Exp2", "Expm1", "Gamma", "Hypot", "J0", "J1", "Jn", "Lgamma", "Log", "Log10", "Log1p", "Log2", "Pow", "Sin", "Sincos", "Sinh",
	"Tan", "Tanh", "Y0", "Y1", "Yn"}

// mayBeInexact are the files of parser/ that may call them, and why.
var mayBeInexact = map[string]string{
	"parser/finetune/adam.go":       "an encoder is tuned in floats that add up in each processor's own order",
	"parser/finetune/decode.go":     "as above",
	"parser/finetune/functions.go":  "as above",
	"parser/finetune/operations.go": "as above",
	"parser/score/tensorstart.go":   "a root of what gonum's singular values are",
}

// emptyNames say nothing of what is in a package.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib", "tools"}

// A source is one Go file of the module.
type source struct {
	dir, name string // slash-separated, dir "" is the root
	lines     int
	file      *ast.File
	set       *token.FileSet
}

func (s *source) path() string { return path.Join(s.dir, s.name) }
func (s *source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// sources reads the files of the module, without lab/, a module of its own. It
// reads them itself, so that the go command's test cache
// sees them as inputs of this test.
func sources(t *testing.T) []*source {
	t.Helper()
	list, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Fatalf("only %d Go files were found", len(list))
	}
	return list
}

var readSources = sync.OnceValues(func() (list []*source, err error) {
	err = filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); file != "." && (file == "lab" || base[0] == '.' || base[0] == '_' || base == "testdata" || base == "out") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s := &source{name: d.Name(), set: token.NewFileSet(), lines: strings.Count(string(text), "\n")}
		if dir := filepath.ToSlash(filepath.Dir(file)); dir != "." {
			s.dir = dir
		}
		s.file, err = parser.ParseFile(s.set, file, text, parser.ParseComments|parser.SkipObjectResolution)
		list = append(list, s)
		return err
	})
	return list, err
})

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		allowed, known := imports[s.dir]
		if !known {
			t.Errorf("%s: package %q has no row in the table of imports", s.path(), s.dir)
			continue
		}
		if s.isTest() {
			allowed = append(slices.Clone(allowed), s.dir)
			allowed = append(allowed, forTests[s.dir]...)
		}
		for _, i := range s.file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ours, ok := strings.CutPrefix(name+"/", module); ok && !slices.Contains(allowed, strings.TrimSuffix(ours, "/")) {
				t.Errorf("%s imports %s, which its row of the table does not allow", s.path(), ours)
			}
			if strings.HasPrefix(name, beam) && !slices.Contains(withBeam, s.dir) {
				t.Errorf("%s imports Beam: only cmd, pipeline, transforms and Beam adapters of io may", s.path())
			}
			if strings.HasPrefix(s.dir, "parser/") && !s.isTest() && slices.Contains(impure, name) {
				t.Errorf("%s imports %s: the algorithm opens no files and depends on no chance of the process", s.path(), name)
			}
		}
	}
}

// The table itself must point one way.
func TestTableHasNoCycle(t *testing.T) {
	state := map[string]int{} // 1 being visited, 2 done
	var visit func(name, from string)
	visit = func(name, from string) {
		row, known := imports[name]
		if !known {
			t.Errorf("the row of %s names %s, which has none", from, name)
		}
		switch state[name] {
		case 1:
			t.Errorf("%s and %s may import each other", from, name)
			return
		case 2:
			return
		}
		state[name] = 1
		for _, next := range row {
			visit(next, name)
		}
		state[name] = 2
	}
	for name := range imports {
		visit(name, "the table")
	}
	for name := range imports {
		if _, err := os.Stat(filepath.Join(".", filepath.FromSlash(name))); err != nil {
			t.Errorf("the table has a row for %s: %v", name, err)
		}
	}
}

func TestNoClockInParser(t *testing.T) {
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.dir, "parser/") || s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
				t.Errorf("%s calls time.%s: the algorithm has no clock; let the caller hand one in", s.set.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

// What decides or learns takes graph.Exp and graph.Log, whose bits are the same
// everywhere.
func TestExactMathInParser(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.dir, "parser/") || s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "math" && slices.Contains(inexact, sel.Sel.Name) {
				used[s.path()] = true
				if mayBeInexact[s.path()] == "" {
					t.Errorf("%s calls math.%s: its last bits depend on the processor; take graph.Exp or graph.Log", s.set.Position(sel.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
	for path := range mayBeInexact {
		if !used[path] {
			t.Errorf("%s calls none of the functions that it may: take it off the list", path)
		}
	}
}

func TestSizesAndNames(t *testing.T) {
	for _, s := range sources(t) {
		if s.lines > maxLines {
			t.Errorf("%s has %d lines, at most %d: split it by subject", s.path(), s.lines, maxLines)
		}
		if name := strings.TrimSuffix(s.file.Name.Name, "_test"); slices.Contains(emptyNames, name) {
			t.Errorf("%s: package %s: name it for what is in it", s.path(), name)
		}
		if base := strings.TrimSuffix(strings.TrimSuffix(s.name, ".go"), "_test"); slices.Contains(emptyNames, base) {
			t.Errorf("%s: name the file for what is in it", s.path())
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d", s.set.Position(f.Pos()), f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

// Every package says in one comment what it is for.
func TestPackageComments(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t) {
		if !s.isTest() {
			has[s.dir] = has[s.dir] || s.file.Doc != nil && s.file.Doc.Text() != ""
		}
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("package %q has no package comment", dir)
		}
	}
}

// Notes to oneself do not belong in what is handed over.
func TestNoLeftOvers(t *testing.T) {
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X:"}
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, mark := range marks {
				if strings.Contains(group.Text(), mark) {
					t.Errorf("%s: %s", s.set.Position(group.Pos()), mark)
				}
			}
		}
	}
}
