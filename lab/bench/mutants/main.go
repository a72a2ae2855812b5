// Package mutants measures the tests: it changes one operator of the product at
// a time and counts the changes that the tests notice.
//
//	go run -C lab ./bench mutants -n 300                        of parser, io and transforms
//	go run -C lab ./bench mutants -n 30 -seed 2 parser/graph    of one folder
//
// A mutant negates or shifts a comparison, exchanges && and ||, + and -, * and /,
// ++ and --, or leaves out a !. The tests of its package run without the tests of
// other packages; a failure, a panic and a time-out kill the mutant. Mutants that
// do not compile are drawn again. Files of the working tree are never written:
// the go command reads the mutant through -overlay. Survivors are printed as
// FILE:LINE: OLD to NEW.
package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// operators maps an operator to what takes its place.
var operators = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.INC: token.DEC, token.DEC: token.INC, token.NOT: token.ILLEGAL,
}

// A mutant is a change of one operator.
type mutant struct {
	file     string
	at, line int // offset in bytes, and line from 1
	old      token.Token
}

func (m mutant) new() string {
	if m.old == token.NOT {
		return ""
	}
	return operators[m.old].String()
}

// Main runs the measurement with the arguments of the command line.
func Main() error {
	n := flag.Int("n", 300, "`NUMBER` of mutants")
	seed := flag.Uint64("seed", 1, "`SEED` of the draw")
	limit := flag.Duration("timeout", 5*time.Minute, "kill the tests of a mutant after `TIME`")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = []string{"parser", "io", "transforms"}
	}
	var all []mutant
	for _, folder := range folders {
		found, err := collect(folder)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried, killed := 0, 0
	for _, m := range all {
		if tried == *n {
			break
		}
		switch dead, err := try(m, *limit); {
		case errors.Is(err, errNoProgram):
		case err != nil:
			return err
		case dead:
			tried, killed = tried+1, killed+1
		default:
			tried++
			fmt.Printf("%s:%d: %s to %q\n", m.file, m.line, m.old, m.new())
		}
	}
	fmt.Printf("%d of %d mutants killed (%.0f %%), of %d places\n", killed, tried, 100*float64(killed)/float64(max(tried, 1)), len(all))
	return nil
}

// collect returns the mutants of all files below a folder whose package has
// tests, but generated files.
func collect(folder string) (all []mutant, err error) {
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if tests, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*_test.go")); len(tests) == 0 {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			add := func(pos token.Pos, op token.Token) {
				if _, ok := operators[op]; ok {
					p := set.Position(pos)
					all = append(all, mutant{file: name, at: p.Offset, line: p.Line, old: op})
				}
			}
			switch node := node.(type) {
			case *ast.BinaryExpr:
				add(node.OpPos, node.Op)
			case *ast.UnaryExpr:
				if node.Op == token.NOT {
					add(node.OpPos, node.Op)
				}
			case *ast.IncDecStmt:
				add(node.TokPos, node.Tok)
			case *ast.GenDecl: // constants say what the product is, not what it does
				return node.Tok != token.CONST
			}
			return true
		})
		return nil
	})
	return all, err
}

// errNoProgram says that a mutant does not compile.
var errNoProgram = errors.New("does not compile")

// try reports whether the tests of its package notice a mutant.
func try(m mutant, limit time.Duration) (dead bool, err error) {
	dir, err := os.MkdirTemp("", "mutant-*")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(m.file)
	if err != nil {
		return false, err
	}
	mutated := filepath.Join(dir, "mutant.go")
	changed := string(text[:m.at]) + m.new() + string(text[m.at+len(m.old.String()):])
	if err := os.WriteFile(mutated, []byte(changed), 0o644); err != nil {
		return false, err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	description, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, description, 0o644); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	test := exec.CommandContext(ctx, "go", "test", "-tags", "disable_grpc_modules", "-trimpath", "-vet=off", "-failfast", "-overlay", overlay, "./"+filepath.ToSlash(filepath.Dir(m.file)))
	test.WaitDelay = 5 * time.Second
	out, err := test.CombinedOutput()
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return false, errNoProgram
	}
	return err != nil, nil
}
