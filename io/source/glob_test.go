package source

import (
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
		if err != nil {
			t.Fatal(err)
		}
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
		var got []string
		for i := range inputs {
			got = append(got, inputs[i].URI)
		}
		if err != nil || !slices.Equal(got, want) {
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
		"c/{2023/*,2024/*}":       "a / cannot stand between them",
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
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("a/", 40)
	if g.matches(strings.Split(name+"c", "/")) || !g.matches(strings.Split(name+"b", "/")) {
		t.Error("wrong")
	}
	at := g.start()
	if n := testing.AllocsPerRun(100, func() { g.step(at, "a") }); n > 0 {
		t.Error(fmt.Sprint(n, " allocations a name"))
	}
}
