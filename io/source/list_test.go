package source

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// said compares what was listed, or the beginning of "error: " and the error.
func said(t *testing.T, what, got string, err error, want string) {
	t.Helper()
	if err != nil {
		got = "error: " + err.Error()
	}
	if got != want && !(strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, want)) {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func uris(inputs []Input) (list []string) {
	for i := range inputs {
		list = append(list, inputs[i].URI)
	}
	return list
}

// What is excluded is not listed, wherever it is met.
func TestExclude(t *testing.T) {
	dir := tree(t, map[string]string{
		"c/a.txt": "a", "c/b.txt": "b", "c/old/a.txt": "o", "c/s/old/x.txt": "x", "c/s/d.txt": "d", "c/s/e.md": "e", "c/[x].txt": "x",
	})
	all := "c/[x].txt c/a.txt c/b.txt c/old/a.txt c/s/d.txt c/s/e.md c/s/old/x.txt"
	for _, c := range []struct{ patterns, exclude, want string }{
		{"c", "", all},
		{"c", "none *.jsonl c/none/**", all},
		{"c", "old", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c", "old/", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c", "*.txt", "c/s/e.md"},
		{"c", "*.{txt,jsonl} s/old", "c/s/e.md"},
		{"c", "c/old", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c", "./old/*", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c", "**/old/**", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c/**/*.txt", "c/s", "c/[x].txt c/a.txt c/b.txt c/old/a.txt"},
		{"c/*.txt", "?.txt", "c/[x].txt"},
		{"c/a.txt c/s", "a.txt", "c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c/[x].txt c/s/e.md", `\[x\].txt`, "c/s/e.md"},
		{"./c/s", "c", "c/s/d.txt c/s/e.md c/s/old/x.txt"}, // a folder above is not met
		{"c/s", "c/*", "error: --exclude c/*: leaves no file"},
		{"c", "*", "error: --exclude *: leaves no file"},
		{"c", "[", `error: --exclude "[": is not a valid pattern`},
		{"c", "./", `error: --exclude "./": is not a valid pattern`},
	} {
		inputs, err := List(t.Context(), strings.Fields(c.patterns), ListOptions{Dir: dir, Exclude: strings.Fields(c.exclude)})
		said(t, c.patterns+" without "+c.exclude, strings.Join(uris(inputs), " "), err, c.want)
	}
}

// An excluded folder is not looked at: that it cannot be read is no failure.
func TestExcludedIsNotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := tree(t, map[string]string{"c/a.txt": "a", "c/secret/b.txt": "b"})
	secret := filepath.Join(dir, "c", "secret")
	must(t, os.Chmod(secret, 0))
	defer os.Chmod(secret, 0o755)
	inputs, err := List(t.Context(), []string{"c"}, ListOptions{Dir: dir, Exclude: []string{"secret"}})
	if err != nil || len(inputs) != 1 {
		t.Errorf("%v, %v", inputs, err)
	}
}

// Paths stand for themselves, under ids that do not depend on the others.
func TestPaths(t *testing.T) {
	dir := tree(t, map[string]string{"c/a.txt": "a", "d/a.txt": "b", "d/e/f.txt": "f", "c/*.txt": "star", "d/out/_treebeam/x": ""})
	abs := filepath.ToSlash(filepath.Join(dir, "c/a.txt"))
	for _, c := range []struct{ paths, want string }{
		{"c/a.txt d/a.txt", "c/a.txt=c/a.txt d/a.txt=d/a.txt"},
		{"./d c/*.txt", "c/*.txt=c/*.txt d/a.txt=d/a.txt d/e/f.txt=d/e/f.txt"},
		{"c/none.txt c/a.txt", "c/a.txt=c/a.txt c/none.txt=c/none.txt"},
		{abs, abs + "=" + strings.TrimPrefix(abs, "/")},
		{"none nor", "error: none: does not exist, nor any of the 2 paths in the list"},
		{"c/{a,b}.txt", "error: c/{a,b}.txt: does not exist"},
	} {
		got, err := List(t.Context(), nil, ListOptions{Dir: dir, Paths: strings.Fields(c.paths)})
		said(t, c.paths, names(got), err, c.want)
	}
	got, err := List(t.Context(), []string{"d"}, ListOptions{Dir: dir, Paths: []string{"d/e/f.txt", "c/a.txt"}, Exclude: []string{"c"}})
	if want := "d/a.txt=a.txt d/e/f.txt=d/e/f.txt"; err != nil || names(got) != want {
		t.Errorf("%v, %s, want %s", err, names(got), want)
	}
}

func TestReadPaths(t *testing.T) {
	for list, want := range map[string]string{
		"a.txt\nb c.txt\n":                     "a.txt|b c.txt",
		"\ufeffa.txt\r\n\r\nb.txt\r":           "a.txt|b.txt",
		"a\nb.txt\x00c.txt\x00":                "a\nb.txt|c.txt",
		"\xff\xfea\x00\n\x00":                  "error: L: is UTF-16",
		"\xfe\xff\x00/\x00a":                   "error: L: is UTF-16",
		"/\x00a\x00\n\x00":                     "error: L: is UTF-16",
		"\x00/\x00a\x00\n\x00/\x00b\x00\n":     "error: L: is UTF-16",
		"\x00/\x00a\x00\n":                     "error: L: is UTF-16",
		".\x00./a\n\x00./b\x00":                ".|./a\n|./b",
		"\n\n":                                 "error: L: names no file",
		"":                                     "error: L: names no file",
		"a\n" + strings.Repeat("x", maxPath+1): "error: L: line 2 has more than 32768 bytes",
		strings.Repeat("x", 1<<20):             "error: L: line 1 has more than 32768 bytes",
	} {
		paths, err := ReadPaths(strings.NewReader(list), "L")
		said(t, fmt.Sprintf("%.20q", list), strings.Join(paths, "|"), err, want)
	}
	if _, err := ReadPaths(iotest.ErrReader(os.ErrPermission), "L"); err == nil {
		t.Error("no error of the reader")
	}
	var endless zeros
	if _, err := ReadPaths(&endless, "L"); err == nil || endless > 1<<20 {
		t.Errorf("%v after %d bytes of one that never ends", err, endless)
	}
	const most = (1 << 20) / (5 + pathBytes)
	for n, want := range map[int]string{most: "", most + 1: "more than 1 MB"} {
		list := strings.Repeat("a.txt\n", n)
		if _, err := readPaths(strings.NewReader(list), "L", 1<<20); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d paths: %v, want %q", n, err, want)
		}
	}
}

// zeros are letters without an end, and how many were read.
type zeros int

func (z *zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	*z += zeros(len(b))
	return len(b), nil
}

// visible reports that no name of a path is skipped in folders.
func visible(parts []string) bool { return !slices.ContainsFunc(parts, isHidden) }

// takes is what a pattern without braces means, step by step and in no hurry.
func takes(segs, parts []string) bool {
	seg, name := segs[0], parts[0]
	lastSeg, isFile := len(segs) == 1, len(parts) == 1
	if seg == "**" && lastSeg {
		return visible(parts)
	}
	if seg == "**" {
		return takes(segs[1:], parts) || !isFile && !isHidden(name) && takes(segs, parts[1:])
	}
	if isHidden(name) && (seg == "" || name[0] != seg[0]) {
		return false
	}
	if ok, _ := path.Match(seg, name); !ok {
		return false
	}
	switch {
	case isFile:
		return lastSeg
	case lastSeg:
		return visible(parts[1:])
	}
	return takes(segs[1:], parts[1:])
}

// spread writes a pattern with braces as those without that it stands for.
func spread(p string) []string {
	open := strings.LastIndexByte(p, '{')
	if open < 0 {
		return []string{p}
	}
	shut := open + strings.IndexByte(p[open:], '}')
	var all []string
	for _, alternative := range strings.Split(p[open+1:shut], ",") {
		all = append(all, spread(p[:open]+alternative+p[shut+1:])...)
	}
	return all
}

// Random patterns take of random names what their definition says, on a disk and
// in an object store.
func TestGlobTakesWhatItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pick := func(from string) string {
		words := strings.Fields(from)
		return words[r.IntN(len(words))]
	}
	files := map[string]string{}
	for range 300 {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, pick("a b ab ba _a .b d"))
		}
		parts = append(parts, pick("a.txt b.txt ab.md _a.txt .c"))
		files[strings.Join(parts, "/")] = "x"
	}
	dir := tree(t, files)
	hits := 0
	for range 1500 {
		var segs []string
		for range 1 + r.IntN(4) {
			segs = append(segs, pick("** ** * a b ? a? [ab]* _* .* *b {a,b} {a,b}* {_a,d} {a,{b,d}} *{a,b}"))
		}
		segs = append(segs, pick("** * *.txt {a,b}.txt *.{txt,md} a.txt ?.txt _* [^a]*"))
		p := strings.Join(segs, "/")
		_, rest := splitPattern(p)
		if len(rest) != len(segs) {
			continue // begins with a folder that may not be there
		}
		g, err := newGlob(p, rest)
		must(t, err)
		var want []string
		for name := range files {
			parts := strings.Split(name, "/")
			said := slices.ContainsFunc(spread(p), func(p string) bool { return takes(strings.Split(p, "/"), parts) })
			if got := g.matches(parts); got != said {
				t.Errorf("%s takes %s: %v, want %v", p, name, got, said)
			}
			if said {
				want = append(want, name)
			}
		}
		hits += len(want)
		slices.Sort(want)
		inputs, err := List(t.Context(), []string{p}, ListOptions{Dir: dir, AllowEmpty: true})
		if got := uris(inputs); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, lists %q, want %q", p, err, got, want)
		}
	}
	if hits < 5000 {
		t.Errorf("only %d hits", hits)
	}
}

// What shells understand, and what is refused.
func TestBraces(t *testing.T) {
	dir := tree(t, map[string]string{"c/2023/a.txt": "", "c/2024/a.txt": "", "c/2025/a.md": "", "c/{x}/a.txt": "", "c/2025/!b.txt": ""})
	for pattern, want := range map[string]string{
		"c/{2023,2024}/*.txt":     "2023/a.txt 2024/a.txt",
		"c/202[!34]/*":            "2025/!b.txt 2025/a.md",
		"c/**/*.{md,jsonl}":       "2025/a.md",
		"c/{x}":                   "a.txt", // it is there
		`c/\{x\}/*`:               "{x}/a.txt",
		"{c,d}/2023":              "c/2023/a.txt",
		"c/{2023/*,2024/*}":       "a / cannot be between them",
		"c/{2023":                 "a { no }",
		strings.Repeat("*/", 70):  "more than 63 folders",
		"c/{2024,2023}/{b,c}.txt": "matches no file",
	} {
		inputs, err := List(t.Context(), []string{pattern}, ListOptions{Dir: dir})
		var ids []string
		for i := range inputs {
			ids = append(ids, inputs[i].DocID)
		}
		if got := strings.Join(ids, " "); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", filepath.ToSlash(pattern), got, err, want)
		}
	}
}

// A folder is read once, however many ways lead into it.
func TestGlobStepsOnce(t *testing.T) {
	g, err := newGlob("", []string{"**", "a", "**", "a", "**", "b"})
	must(t, err)
	name := strings.Repeat("a/", 40)
	if g.matches(strings.Split(name+"c", "/")) || !g.matches(strings.Split(name+"b", "/")) {
		t.Error("wrong")
	}
	at := g.start()
	if n := testing.AllocsPerRun(100, func() { g.step(at, "a") }); n > 0 {
		t.Error(fmt.Sprint(n, " allocations a name"))
	}
}

// Names that no document id can hold as they are give ids that no reader of
// comments ends a line in, and that differ from those of all other files.
func TestIDsOfOddNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("such names are for Linux")
	}
	dir := t.TempDir()
	names := []string{"%FF.txt", "\xff.txt", "%25FF.txt", "a\rb.txt", "a%0Db.txt", "a\nb.txt", "\x1b[31m.txt", "a\u2028b.txt", "a\u0085b.txt", "100%.txt"}
	for _, name := range names {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	inputs, err := List(context.Background(), []string{dir}, ListOptions{})
	if err != nil || len(inputs) != len(names) {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	var ids []string
	for i := range inputs {
		ids = append(ids, inputs[i].DocID)
		if _, err := NewPlan(t.Context(), ListingOf(inputs[i:i+1]), PlanOptions{}); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(ids)
	want := []string{"%1B[31m.txt", "%2525FF.txt", "%25FF.txt", "%FF.txt", "100%.txt", "a%0Ab.txt", "a%0Db.txt", "a%250Db.txt", "a%C2%85b.txt", "a%E2%80%A8b.txt"}
	if strings.Join(ids, " ") != strings.Join(want, " ") {
		t.Errorf("ids %q, want %q", ids, want)
	}
}

func TestList(t *testing.T) {
	dir := tree(t, map[string]string{
		"c/b.txt": "b", "c/a.txt": "a", "c/B.txt": "B", "c/s/d.txt": "d", "c/s/t/e.txt.gz": "e", "c/s/t/f.md": "f",
		"c/.hidden": "", "c/_skip/x.txt": "x", "c/s/.git/x.txt": "x", "c/out/trees/p": "p", "empty/": "", "c/s[1].txt": "odd",
	})
	must(t, os.Symlink(filepath.Join(dir, "c", "s"), filepath.Join(dir, "c", "link")))
	for _, c := range []struct {
		patterns string
		want     string
	}{
		{"c", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s/t/e.txt.gz=s/t/e.txt.gz c/s/t/f.md=s/t/f.md c/s[1].txt=s[1].txt"},
		{"c/ ./c", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s/t/e.txt.gz=s/t/e.txt.gz c/s/t/f.md=s/t/f.md c/s[1].txt=s[1].txt"},
		{"c/**/*.txt", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s[1].txt=s[1].txt"},
		{"c/s/**", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/*/*.txt", "c/s/d.txt=s/d.txt"},
		{"**/t/*", "c/s/t/e.txt.gz=c/s/t/e.txt.gz c/s/t/f.md=c/s/t/f.md"},
		{"c/**/**/f.*", "c/s/t/f.md=s/t/f.md"},
		{"c/_*/*.txt", "c/_skip/x.txt=_skip/x.txt"},
		{"c/.hidden", "c/.hidden=.hidden"},
		{"c/s[1].txt", "c/s[1].txt=s[1].txt"},
		{"c/s/d.txt c/s", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/s c/s/t/f.md", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/s/t/f.md c/s", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/t*/x empty", "error: c/t*/x: matches no file"},
		{"empty", "error: empty: is a folder without files, other than those whose names start with . or _"},
		{"empty/*", "error: empty/*: matches no file"},
		{"nowhere/x.txt", "error: nowhere/x.txt: does not exist"},
		{"nowhere/*.txt", "error: nowhere/*.txt: the folder nowhere does not exist"},
		{"c/[", "error: c/[: is not a valid pattern"},
		{"gs://b/x", "error: gs://b/x: gs:// is not supported"},
		{"-", "error: -: standard input can be read only once"},
		{"", "error: no input"},
	} {
		got, err := List(t.Context(), strings.Fields(c.patterns), ListOptions{Dir: dir, Skip: []string{filepath.Join(dir, "c", "out")}})
		said(t, c.patterns, names(got), err, c.want)
		var ie *InputError
		if err != nil && !errors.As(err, &ie) {
			t.Errorf("%s: %T", c.patterns, err)
		}
	}
}

func TestListSameID(t *testing.T) {
	dir := tree(t, map[string]string{"a/x.txt": "1", "b/x.txt": "2"})
	_, err := List(t.Context(), []string{"a", "b"}, ListOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), `same document id "x.txt" as a/x.txt; name both by one folder or pattern`) {
		t.Fatalf("got %v", err)
	}
	for _, both := range []string{".", "{a,b}/x.txt"} {
		if _, err := List(t.Context(), []string{both}, ListOptions{Dir: dir}); err != nil {
			t.Errorf("%s: %v", both, err)
		}
	}
}

func TestListOddNames(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "caf\xe9.txt")
	if err := os.WriteFile(bad, []byte("text"), 0o666); err != nil {
		t.Skip("the file system refuses names that are not UTF-8")
	}
	must(t, os.Symlink("nowhere", filepath.Join(dir, "broken.txt")))
	inputs, err := List(t.Context(), []string{dir}, ListOptions{})
	if err != nil || len(inputs) != 2 || inputs[1].DocID != "caf%E9.txt" {
		t.Fatalf("got %+v, %v", inputs, err)
	}
	plan, err := NewPlan(t.Context(), ListingOf(inputs), PlanOptions{})
	must(t, err)
	name := filepath.Join(dir, PlanName("x"))
	must(t, plan.Write(t.Context(), name, ""))
	plan, err = ReadPlan(t.Context(), name)
	must(t, err)
	r := &rangesOf(plan)[0]
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isFault(err, Permanent) {
		t.Errorf("a broken link: got %v", err)
	}
	if got := readAll(t, r, &r.Pieces[1]); got != "text" {
		t.Errorf("got %q", got)
	}
}
