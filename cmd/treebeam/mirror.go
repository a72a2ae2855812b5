package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"github.com/treebeam/treebeam/io/mirror"
	"github.com/treebeam/treebeam/pipeline"
)

// extensions are those of the formats of convert.
var extensions = map[string]string{"conllu": ".conllu", pipeline.ConfidentCoNLLU: ".conllu", "text": ".txt", "jsonl": ".jsonl",
	pipeline.TreeFormat: ".tree", pipeline.SVGFormat: ".svg", pipeline.HTMLFormat: ".html"}

// A mirrored input file: the path of its mirror, and whether that is written.
type mirrored struct {
	name    string
	written bool
}

// A mirrorer writes the rows of an output, which come file by file, to a file
// each.
type mirrorer struct {
	folder    *mirror.Folder
	files     map[string]*mirrored // by source_uri
	rows      *pipeline.Writer     // of the open file
	source    string               // of the open file
	file      *mirror.File         // nil if none is open
	out       *bufio.Writer
	written   int   // files
	sentences int64 // in them
}

// convertPerFile writes a file below dir for every input file of output that
// has sentences. Nothing is written if one of them is there already, unless
// overwrite is set.
func convertPerFile(ctx context.Context, from *pipeline.Output, dir, to string, rows *pipeline.Writer, overwrite bool) (err error) {
	files, names, renamed, err := mirrorNames(from, extensions[to])
	if err != nil {
		return err
	}
	if err := checkTarget("--per-file", dir, true); err != nil {
		return err
	}
	if overwrite {
		if err := noInputs(dir, names, from); err != nil {
			return err
		}
	}
	folder, err := mirror.Open(dir)
	if err != nil {
		return refuse("--per-file %s: %w; name a folder that can be written", dir, err)
	}
	defer folder.Close()
	if !overwrite {
		switch old, err := folder.Existing(names); {
		case err != nil:
			return refuse("--per-file %s: %w", dir, err)
		case len(old) > 0:
			return refuse("--per-file %s: %d of the %d files are there already, such as %q; name another folder, or replace them with --overwrite",
				dir, len(old), len(names), old[0])
		}
	}
	m := &mirrorer{folder: folder, files: files, rows: rows}
	defer func() {
		if m.file != nil {
			m.file.Abort()
		}
	}()
	var buf []byte
	stats, err := from.Sentences(func(r *pipeline.Row) (err error) {
		source := sourceOf(r)
		if m.file == nil || source != m.source {
			if err := m.next(source); err != nil {
				return err
			}
		}
		if buf, err = m.rows.Append(buf[:0], r); err != nil {
			return err
		}
		m.sentences++
		_, err = m.out.Write(buf)
		return errOr(ctx.Err(), err)
	})
	if err := errOr(err, m.finish()); err != nil {
		return err
	}
	say(os.Stderr, "files written to %s: %d, with %d sentences\n", dir, m.written, m.sentences)
	for _, line := range renamed {
		say(os.Stderr, "%s\n", line)
	}
	reportConverted(stats)
	return nil
}

// renamedShown is how many changed names are listed.
const renamedShown = 5

// mirrorNames returns the file of each input file that has sentences, by
// source_uri, their paths, and lines about ids that were no names of files.
func mirrorNames(from *pipeline.Output, extension string) (files map[string]*mirrored, names, renamed []string, err error) {
	var sources, ids []string
	for d, err := range from.Documents {
		if err != nil {
			return nil, nil, nil, err
		}
		if d.Blocks > 0 {
			sources, ids = append(sources, d.SourceURI), append(ids, d.DocID)
		}
	}
	names = mirror.Names(ids, extension)
	files = make(map[string]*mirrored, len(names))
	changed := 0
	for i, name := range names {
		files[sources[i]] = &mirrored{name: name}
		if name == ids[i] || name == ids[i]+extension {
			continue
		}
		if changed++; changed <= renamedShown {
			renamed = append(renamed, fmt.Sprintf("%q is in %q: its id could not be the name of a file, or another file has it", ids[i], name))
		}
	}
	if changed > renamedShown {
		renamed = append(renamed, fmt.Sprintf("and %d more", changed-renamedShown))
	}
	return files, names, renamed, nil
}

func sourceOf(r *pipeline.Row) string {
	if r.Tree != nil {
		return r.Tree.SourceURI
	}
	return r.Failure.SourceURI
}

// next closes the file that is open and begins that of source.
func (m *mirrorer) next(source string) error {
	if err := m.finish(); err != nil {
		return err
	}
	to := m.files[source]
	switch {
	case to == nil:
		return fmt.Errorf("%s has sentences, but no row in documents/ that counts them: the output is damaged; parse again with --overwrite", source)
	case to.written:
		return fmt.Errorf("the sentences of %s do not stand together: the output is damaged; parse again with --overwrite", source)
	}
	file, err := m.folder.Create(to.name)
	if err != nil {
		return fmt.Errorf("writing the mirror of %s: %w", source, err)
	}
	to.written = true
	m.source, m.file, m.out = source, file, bufio.NewWriterSize(file, 1<<16)
	m.written++
	return nil
}

// finish gives the open file, if there is one, its name.
func (m *mirrorer) finish() error {
	file := m.file
	if file == nil {
		return nil
	}
	m.file = nil
	tail, err := m.rows.End(nil)
	if err == nil {
		_, err = m.out.Write(tail)
	}
	m.rows.Restart()
	if err := errOr(err, m.out.Flush()); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}
