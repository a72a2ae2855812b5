package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/serve"
)

// A desk holds the flags of serve for correcting a file.
type desk struct {
	file string // or the folder of an output
	to   string // the file that the trees of an output go to first
	by   string
}

func (d *desk) define(fs *pflag.FlagSet) {
	fs.StringVar(&d.file, "edit", "", "serve a page to correct the trees in `FILE`, which is CoNLL-U, or an output folder")
	fs.StringVar(&d.to, "edit-to", "", "with --edit and an output folder: first write its trees to the new `FILE`")
	fs.StringVar(&d.by, "by", "", "with --edit: `NAME` of the corrector, for the comments in the file (your user name)")
}

// open opens the server of the page. If the trees are in an output, it writes them to a
// new file.
func (d *desk) open(ctx context.Context, limits serve.Limits) (*serve.Server, error) {
	if d.file == "" {
		return nil, refuse("--edit-to and --by are for --edit; name a CoNLL-U file or an output with it")
	}
	info, err := os.Stat(d.file)
	folder := store.IsRemote(d.file) || err == nil && info.IsDir()
	packed := func(name string) bool { return strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst") }
	switch {
	case packed(d.file) || packed(d.to):
		return nil, refuse("--edit cannot correct a compressed file: decompress it first, or name one with --edit-to that ends in .conllu")
	case err != nil && !folder:
		return nil, refuse("--edit %s: %w; name a CoNLL-U file or an output of treebeam parse", d.file, err)
	case store.IsRemote(d.to) || d.to == "-":
		return nil, refuse("--edit-to %s: trees are corrected in a file of this machine; name one", store.Redact(d.to))
	case folder && d.to == "":
		return nil, refuse("--edit %s is an output folder; name the CoNLL-U file in which its trees are corrected with --edit-to FILE", store.Redact(d.file))
	case !folder && d.to != "":
		return nil, refuse("--edit-to is for an output folder, and --edit %s is a file: it is corrected in place; copy it first to keep it", d.file)
	}
	if folder {
		if err := d.export(ctx); err != nil {
			return nil, err
		}
		d.file = d.to
	}
	if who, err := user.Current(); err == nil && d.by == "" {
		d.by = who.Username
	}
	s, err := serve.NewEditor(serve.Corrections{File: d.file, Who: d.by, Now: time.Now, Confidence: pipeline.ReadConfidence}, pipeline.Version(), limits, spoken{os.Stderr})
	if err != nil {
		return nil, refuse("--edit %s: %w", d.file, err)
	}
	return s, nil
}

// export writes the trees of an output with their confidence.
func (d *desk) export(ctx context.Context) error {
	if err := checkEnding("--edit-to", d.to, "conllu"); err != nil {
		return err
	}
	if _, err := os.Lstat(d.to); err == nil {
		return refuse("--edit-to %s exists; if it has the trees to correct, name it with --edit", d.to)
	}
	from, err := openOne(ctx, []string{d.file}, d.to)
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
	say(os.Stderr, "correct %s of %s on %s until ctrl-C\n", view.Many(int64(sentences), "sentence"), d.file, addressOf(l))
	if left > 0 {
		say(os.Stderr, "%s cannot be corrected on the page, and stay as they are\n", view.Many(int64(left), "other block"))
	}
	return nil
}
