package transforms_test

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A faulty input leads to rows of one kind.
type faulty struct {
	name, content string
	options       output.RowOptions
	setup         func(path string) error // in place of content
	stage         string                  // read, unless it says another
	warning       bool
}

// check fails unless reading the input leads to rows of the kind, and to no others.
func (in faulty) check(t *testing.T, kind syntax.Kind) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, in.name)
	if in.setup == nil {
		in.setup = func(path string) error { return os.WriteFile(path, []byte(in.content), 0o644) }
	}
	must(t, in.setup(path))
	if in.options.MaxWords == 0 {
		in.options.MaxWords = 1000
	}
	found := false
	each(t, dir, in.options, 1<<30, func(c *transforms.Chunk) {
		for i := range c.Failures {
			f := &c.Failures[i]
			found = true
			if f.Kind != kind || f.Reason == "" || (f.Severity == syntax.SeverityWarning) != in.warning || f.Stage != in.stage && in.stage+f.Stage != "read" {
				t.Errorf("%v: %+v", kind, f.Failure)
			}
		}
	})
	if !found {
		t.Errorf("%v: no row", kind)
	}
}

// Every kind of the list has an input that leads to it, of the severity that
// docs/failures.md names, and nothing else is in the rows.
func TestEveryKind(t *testing.T) {
	keep := output.RowOptions{KeepHeads: true}
	long := strings.Repeat("x", 33<<20)
	chain := &strings.Builder{}
	for i := range syntax.MaxWholeWords + 1 {
		chain.WriteString(row(i+1, "NN", fmt.Sprint(i)))
	}
	got := map[syntax.Kind]bool{}
	for kind, in := range map[syntax.Kind]faulty{
		syntax.KindInternal:     {name: "a.txt", content: "One " + transformstest.PanicTag + " .", stage: "tag"},
		syntax.KindNotText:      {name: "a.pdf", content: "%PDF-1.7\n"},
		syntax.KindBytes:        {name: "a.txt", content: "caf\xe9 .", warning: true},
		syntax.KindGone:         {name: "a.txt", setup: func(path string) error { return os.Symlink("none", path) }},
		syntax.KindPath:         {name: "a.txt", setup: func(path string) error { return os.Symlink("a.txt", path) }},
		syntax.KindIrregular:    {name: "a", setup: socket(t)},
		syntax.KindTruncated:    {name: "a.txt.gz", content: gzipped(strings.Repeat("One two .\n", 100))[:30]},
		syntax.KindDamaged:      {name: "a.txt.gz", content: "One two three four five six ."},
		syntax.KindColumns:      {name: "a.conllu", content: "1\tone\n"},
		syntax.KindNoValue:      {name: "a.conllu", content: "1\t\t_\t_\t_\t_\t_\t_\t_\t_\n"},
		syntax.KindWordID:       {name: "a.conllu", content: row(2, "_", "_")},
		syntax.KindToken:        {name: "a.conllu", content: "1-3\txy\t_\t_\t_\t_\t_\t_\t_\t_\n" + row(1, "_", "_")},
		syntax.KindEmptyNode:    {name: "a.conllu", content: row(1, "_", "_") + "7.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"},
		syntax.KindComment:      {name: "a.conllu", content: row(1, "_", "_") + "# late\n" + row(2, "_", "_"), warning: true},
		syntax.KindNoWords:      {name: "a.conllu", content: "# nothing\n"},
		syntax.KindLongBlock:    {name: "a.conllu", content: row(1, "_", "_") + "# " + long + "\n"},
		syntax.KindLongColumn:   {name: "a.conllu", content: "1\t" + strings.Repeat("x", syntax.MaxColumn+1) + "\t_\t_\t_\t_\t_\t_\t_\t_\n"},
		syntax.KindLongSentence: {name: "a.tok", content: strings.Repeat("x ", syntax.MaxWords+1)},
		syntax.KindHead:         {name: "a.conllu", content: row(1, "_", "7"), options: keep},
		syntax.KindNoRoot:       {name: "a.conllu", content: row(1, "_", "2") + row(2, "_", "1"), options: keep},
		syntax.KindTwoRoots:     {name: "a.conllu", content: row(1, "_", "0") + row(2, "_", "0"), options: keep},
		syntax.KindCycle:        {name: "a.conllu", content: row(1, "_", "0") + row(2, "_", "3") + row(3, "_", "2"), options: keep},
		syntax.KindHeadsLost:    {name: "a.conllu", content: chain.String(), options: keep, stage: "parse"},
		syntax.KindNoTokens:     {name: "a.vert", content: "<doc>\nOne\n"},
		syntax.KindJSON:         {name: "a.jsonl", content: `{"text": "One .`},
		syntax.KindNoObject:     {name: "a.jsonl", content: `["One ."]`},
		syntax.KindNoTextKey:    {name: "a.jsonl", content: `{"body": "One ."}`},
		syntax.KindTextType:     {name: "a.jsonl", content: `{"text": 1}`},
		syntax.KindKeyTwice:     {name: "a.jsonl", content: `{"text": "One .", "text": "Two ."}`},
		syntax.KindLongRecord:   {name: "a.jsonl", content: `{"id": 1, "text": "` + long + `"}`},
		syntax.KindRecordID:     {name: "a.jsonl", content: `{"text": "One .", "id": []}`, warning: true},
		syntax.KindQuotes:       {name: "a.csv", content: "text\n\"One\" .\n"},
		syntax.KindKept:         {name: "a.jsonl", content: `{"text": "One .", "by": 1, "by": 2}`, options: output.RowOptions{Keep: "by"}, warning: true},
	} {
		in.check(t, kind)
		got[kind] = true
	}

	// What a test that may be run by root cannot make on a disk.
	note := func(c transforms.Chunk) error {
		for i := range c.Failures {
			got[c.Failures[i].Kind] = true
		}
		return nil
	}
	closed := transforms.Live{Input: source.Input{URI: "-"}, From: iotest.ErrReader(fs.ErrPermission)}
	if err := transforms.ReadLive(t.Context(), &closed, nil, keep, nil, note); err != nil {
		t.Error(err)
	}
	folder := source.Range{N: 1, Pieces: []source.Piece{{Input: source.Input{URI: "a/", Version: "unlisted: why"}}}}
	if err := transforms.ReadPaced(t.Context(), &folder, nil, keep, nil, note); err != nil {
		t.Error(err)
	}
	for _, kind := range syntax.Kinds() {
		if !got[kind] {
			t.Errorf("nothing leads to %v", kind)
		}
	}
}

// socket makes a file that is none.
func socket(t *testing.T) func(path string) error {
	return func(path string) error {
		l, err := net.Listen("unix", path)
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	}
}
