package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
)

// actsOnTerminal says where a text does, -1 if it does not.
func actsOnTerminal(text string) int {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
}

// What is printed for people goes through say or spoken, so that no name of a
// file, no job and no other machine's note acts on a terminal.
func TestMessagesAreSaid(t *testing.T) {
	files, err := filepath.Glob("*.go")
	must(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && isSelector(f, "fmt", "Fprint", "Fprintf", "Fprintln") && isSelector(call.Args[0], "os", "Stderr") {
				t.Errorf("%s: fmt.%s to standard error; use say", set.Position(call.Pos()), f.Sel.Name)
			}
			return true
		})
	}
}

func isSelector(e ast.Expr, of string, names ...string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == of && strings.Contains(" "+strings.Join(names, " ")+" ", " "+s.Sel.Name+" ")
}

// Commands that print names of files where nothing has failed.
func TestNamesInMessages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "\x1b[31mx\r\u009b")
	must(t, os.Mkdir(dir, 0o755))
	named := func(name, from string) string {
		data, err := os.ReadFile(from)
		must(t, err)
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, data, 0o644))
		return path
	}
	toy, bank, many := trainedToy(t), named("xx_toy-ud-train.conllu", toyTrain), named("dev.conllu", manyToys(t, 40))
	pdf := named("a.pdf", toyDev)
	must(t, os.WriteFile(pdf, []byte("%PDF-1.4"), 0o644))
	for _, args := range [][]string{
		{"train", "--check", "--train", bank, "--dev", many},
		{"train", "--only", "lemmas", "--from", toy, "--train", bank, "--dev", many, "--model", filepath.Join(dir, "new.tbm")},
		{"calibrate", "--model", named("toy.tbm", toy), "--dev", many},
		toyCommand(pdf, "--output", filepath.Join(dir, "out")),
	} {
		status, stdout, stderr := treebeam(t, "", args...)
		if status == exitRefused || stderr+stdout == "" {
			t.Errorf("%q: status %d\n%s", args, status, stderr)
		}
		for _, text := range []string{stdout, stderr} {
			if strings.HasPrefix(text, "{") {
				continue // JSON, for machines
			}
			if at := actsOnTerminal(text); at >= 0 {
				t.Errorf("%q prints %.200q", args, text[at:])
			}
		}
	}
}

// What packages write to their own logs.
func TestLogsAreSaid(t *testing.T) {
	var b bytes.Buffer
	transforms.LogTo(spoken{&b})
	defer transforms.LogTo(os.Stderr)
	store.DefaultRetry.Notify(&os.PathError{Op: "read", Path: "s3://b/\x1b[31m\r", Err: os.ErrDeadlineExceeded}, time.Hour)
	if got := b.String(); !strings.Contains(got, "waiting, for 1h0m0s so far: read s3://b/␛[31m␍: ") || actsOnTerminal(got) >= 0 {
		t.Errorf("%q", got)
	}
}

// One sentence is not "1 sentences".
func TestOneSentenceOfData(t *testing.T) {
	for want, d := range map[string]model.Data{
		"x, 1 sentence, 1 word, sha256 y":        {File: "x", SHA256: "y", Sentences: 1, Words: 1},
		"x, 2 sentences, 12,345 words, sha256 y": {File: "x", SHA256: "y", Sentences: 2, Words: 12345},
	} {
		if got := dataLine(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
