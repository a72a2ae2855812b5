package main

import (
	"cmp"
	"context"
	"os"

	"github.com/treebeam/treebeam/io/mirror"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// convertPerFile writes a file below dir for every input file of output that has
// sentences. It writes nothing if one of these files already exists, unless overwrite
// is set.
func convertPerFile(ctx context.Context, from *output.Reader, dir, to string, rows *pipeline.Writer, overwrite bool) (err error) {
	files, err := mirrorOf(from, pipeline.FormatOf(to).Extensions[0])
	if err != nil {
		return err
	}
	if err := output.CheckTarget("--per-file", dir, true); err != nil {
		return err
	}
	if overwrite {
		if err := from.NoInputs("--per-file", dir, files.Names); err != nil {
			return err
		}
	}
	w, err := files.Open(dir)
	if err != nil {
		return refuse("--per-file %s: %w; name a folder that can be written", dir, err)
	}
	defer w.Abort()
	if !overwrite {
		switch old, err := w.Existing(); {
		case err != nil:
			return refuse("--per-file %s: %w", dir, err)
		case len(old) > 0:
			return refuse("--per-file %s: %d of the %d files are there already, such as %q; name another folder, or replace them with --overwrite",
				dir, len(old), len(files.Names), old[0])
		}
	}
	w.End = func(dst []byte) ([]byte, error) {
		defer rows.Restart()
		return rows.End(dst)
	}
	stats, err := from.Sentences(func(r *output.Row) error {
		err := w.Write(r.SourceURI(), func(dst []byte) ([]byte, error) { return rows.Append(dst, r) })
		return cmp.Or(ctx.Err(), err)
	})
	if err := cmp.Or(err, w.Close()); err != nil {
		return err
	}
	say(os.Stderr, "files written to %s: %d, with %d sentences\n", dir, w.Files, w.Texts)
	printRenamed(files.Renamed)
	reportConverted(stats)
	return nil
}

// mirrorOf gives each input file that has sentences a file.
func mirrorOf(from *output.Reader, extension string) (*mirror.Mapping, error) {
	var documents []mirror.Document
	for d, err := range from.Documents {
		if err != nil {
			return nil, err
		}
		if d.Blocks > 0 {
			documents = append(documents, mirror.Document{Source: d.SourceURI, ID: d.DocID})
		}
	}
	return mirror.Map(documents, extension), nil
}

// renamedShown is how many changed names are listed.
const renamedShown = 5

func printRenamed(list []mirror.Renamed) {
	for _, r := range list[:min(len(list), renamedShown)] {
		say(os.Stderr, "%q is in %q: its id could not be the name of a file, or another file has it\n", r.ID, r.Name)
	}
	if more := len(list) - renamedShown; more > 0 {
		say(os.Stderr, "and %d more\n", more)
	}
}
