package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/serve"
)

// A desk holds the flags of serve for correcting a file.
type desk struct {
	file    string // or the folder of an output
	to      string // the file that the trees of an output go to first
	by      string
	adapted string // the file of the model that corrections make
	model   string // what it is made from, and offers come from; "": nothing is offered, or the built-in one's
}

func (d *desk) define(fs *pflag.FlagSet) {
	fs.StringVar(&d.file, "edit", "", "serve a page to correct the trees in `FILE`, which is CoNLL-U, or an output folder")
	fs.StringVar(&d.to, "edit-to", "", "with --edit and an output folder: first write its trees to the new `FILE`")
	fs.StringVar(&d.by, "by", "", "with --edit: `NAME` of the corrector, for the comments in the file (your user name)")
	fs.StringVar(&d.adapted, "adapt", "", "with --edit: the page can teach a model the corrected sentences, and write it to `FILE` if it has become better")
}

// open opens the page on which the trees are corrected. If they are in an output, it writes
// them to a new file.
func (d *desk) open(ctx context.Context, limits serve.Limits) (p page, err error) {
	if d.file == "" {
		return p, refuse("--edit-to, --by and --adapt are for --edit; name a CoNLL-U file or an output with it")
	}
	info, err := os.Stat(d.file)
	folder := store.IsRemote(d.file) || err == nil && info.IsDir()
	packed := func(name string) bool { return strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst") }
	switch {
	case packed(d.file) || packed(d.to):
		return p, refuse("--edit cannot correct a compressed file: decompress it first, or name one with --edit-to that ends in .conllu")
	case err != nil && !folder:
		return p, refuse("--edit %s: %w; name a CoNLL-U file or an output of treebeam parse", d.file, err)
	case store.IsRemote(d.to) || d.to == "-":
		return p, refuse("--edit-to %s: trees are corrected in a file of this machine; name one", store.Redact(d.to))
	case folder && d.to == "":
		return p, refuse("--edit %s is an output folder; name the CoNLL-U file in which its trees are corrected with --edit-to FILE", store.Redact(d.file))
	case !folder && d.to != "":
		return p, refuse("--edit-to is for an output folder, and --edit %s is a file: it is corrected in place; copy it first to keep it", d.file)
	}
	from := d.file
	if folder {
		d.file = d.to
	}
	if who, err := user.Current(); err == nil && d.by == "" {
		d.by = who.Username
	}
	teacher, err := d.teacher()
	if err == nil && folder { // last, because it writes
		err = d.export(ctx, from)
	}
	if err != nil {
		return p, err
	}
	p.announce = func(l net.Listener) error { return d.announce(l, p.Server) }
	if p.Server, err = serve.NewEditor(serve.Corrections{File: d.file, Who: d.by, Now: time.Now, Confidence: pipeline.ReadConfidence, Teacher: teacher}, pipeline.Version(), limits, spoken{os.Stderr}); err != nil {
		return p, refuse("--edit %s: %w", d.file, err)
	}
	return p, nil
}

// teacher opens the model that makes offers on the page, and which it can adapt.
func (d *desk) teacher() (t serve.Teacher, err error) {
	if d.model == "" && d.adapted == "" {
		return t, nil
	}
	if d.adapted != "" {
		if err := cmp.Or(notAmong("--adapt", d.adapted, "the file of --edit", d.file), canWrite("--adapt", d.adapted)); err != nil {
			return t, err
		}
	}
	f := adaptFlags{from: cmp.Or(d.model, model.Default()), model: d.adapted, seed: 1}
	from, err := model.Open(f.from)
	if err != nil {
		return t, &refusal{err}
	}
	t.Offers = func(s *syntax.Sentence) ([]model.Offers, error) { return eval.Offers(from, s) }
	if d.adapted == "" {
		return t, nil
	}
	t.Model = filepath.Base(d.adapted)
	t.Adapt = func(text []byte, tell func(string)) (string, error) {
		begun := time.Now()
		trees, err := treebank.Parse(text, d.file)
		if err != nil {
			return "", err
		}
		a, home, err := f.adapt(from, trees, func(format string, a ...any) { tell(fmt.Sprintf(format, a...)) })
		if err != nil {
			return "", err
		}
		x := &a.About
		verdict := fmt.Sprintf("LAS on your %s: %.2f before, %.2f after", view.Many(len(trees.Sentences), "tree"), x.Before.LAS, x.After.LAS)
		if x.HomeBefore != nil && x.HomeAfter != nil {
			verdict += fmt.Sprintf("; on other trees: %.2f before, %.2f after", x.HomeBefore.LAS, x.HomeAfter.LAS)
		}
		if line := f.unmeasured(home); line != "" {
			tell(line)
		}
		if err := a.Worse(); err != nil {
			return "", fmt.Errorf("nothing was written: %w", err)
		}
		if err := writeModel(f.model, a.Data); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s. Written to %s in %s.", verdict, t.Model, time.Since(begun).Round(time.Second)), nil
	}
	return t, nil
}

// export writes the trees of an output with their confidence.
func (d *desk) export(ctx context.Context, folder string) error {
	if err := checkEnding("--edit-to", d.to, "conllu"); err != nil {
		return err
	}
	if _, err := os.Lstat(d.to); err == nil {
		return refuse("--edit-to %s exists; if it has the trees to correct, name it with --edit", d.to)
	}
	from, err := openOne(ctx, []string{folder}, d.to)
	if err != nil {
		return err
	}
	return convertToOne(ctx, from, d.to, func(out io.Writer) (*pipeline.Writer, error) {
		o := new(display).write(view.AllConf, out)
		o.Model = pipeline.ModelName(from.Made.ModelDigest, &from.Made.Options)
		return pipeline.NewWriter("conllu", o)
	})
}

// announce says where the page is. An address that other machines reach is refused.
func (d *desk) announce(l net.Listener, s *serve.Server) error {
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return refuse("--listen %s: other machines could change the file of --edit; listen on localhost:8080", l.Addr())
	}
	sentences, left := s.Left()
	say(os.Stderr, "correct %s of %s on %s until ctrl-C\n", view.Many(sentences, "sentence"), d.file, addressOf(l))
	if left > 0 {
		say(os.Stderr, "%s cannot be corrected on the page, and stay as they are\n", view.Many(left, "other block"))
	}
	return nil
}
