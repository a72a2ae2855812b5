package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/pipeline"
)

// newDocument begins the comment of the first sentence of raw text.
const newDocument = "# newdoc id = "

// A copied file is new and has the bytes of a file that the base knows, under whatever
// name. Its rows are those of that file, with other names in them.
type copied struct {
	input *source.Input
	from  *parquet.Entry
}

// findCopies decides about new files whose bytes the base has rows of. It opens those
// that have the size and the ending of such a file, and reads them whole.
func (n *Night) findCopies(ctx context.Context) error {
	if n.base == nil || n.options.All || n.options.Generation.Window != "" {
		return nil
	}
	like := map[string][]*parquet.Entry{} // by size and ending
	place := func(uri string, size int64) string {
		_, ending, _ := strings.Cut(path.Base(uri), ".")
		return fmt.Sprintf("%d.%s", size, ending)
	}
	for i, j := 0, 0; i < len(n.Decisions); i++ {
		if d := &n.Decisions[i]; d.Reason == New {
			like[place(d.URI, n.listed[j].Size)] = nil
		}
		if n.Decisions[i].Reason != Deleted {
			j++
		}
	}
	if len(like) == 0 {
		return nil
	}
	for e, err := range n.base.Entries() {
		if err != nil {
			return err
		}
		at := place(e.SourceURI, e.StoredBytes)
		if _, wanted := like[at]; wanted && n.copyable(e) {
			known := *e
			like[at] = append(like[at], &known)
		}
	}
	for i, j := 0, 0; i < len(n.Decisions); i++ {
		d := &n.Decisions[i]
		if d.Reason == Deleted {
			continue
		}
		in := &n.listed[j]
		j++
		candidates := like[place(in.URI, in.Size)]
		if d.Reason != New || len(candidates) == 0 || !plain(in.URI) || !plain(in.DocID) {
			continue
		}
		version, err := pipeline.SourceVersion(ctx, in)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // the run says why
		}
		if k := slices.IndexFunc(candidates, func(e *parquet.Entry) bool { return e.SourceVersion == version }); k >= 0 {
			n.copies = append(n.copies, copied{in, candidates[k]})
			n.Counts[New]--
			n.Counts[Copied]++
			n.Bytes -= in.Size
			d.Reason, d.Why = Copied, "the bytes of "+candidates[k].SourceURI
		}
	}
	if n.Counts[New] == 0 {
		delete(n.Counts, New)
	}
	return nil
}

// copyable reports whether rows of the file hold its name only in columns that are known,
// and depend on no more of it than its ending. Reasons of failures may name it, records
// have ids of their own, and rules go by paths.
func (n *Night) copyable(e *parquet.Entry) bool {
	return e.SourceVersion != "" && e.Format == string(source.Text) && e.Failures+e.Warnings == 0 &&
		n.made.Options.Document == "" && n.made.Options.Rules == "" && n.Lost[e.Run] == ""
}

// distinct leaves out of the listing files that have the bytes of files before them.
func (n *Night) distinct(ctx context.Context) error {
	known := map[string]string{}
	for at, err := range merge(n.base, n.listed) {
		if err != nil {
			return err
		}
		if e, in := at.entry, at.input; e != nil && in != nil && e.StoredBytes == in.Size && e.Version == in.Version {
			known[in.URI] = e.SourceVersion
		}
	}
	var err error
	n.listed, n.Duplicates, err = pipeline.Distinct(ctx, n.listed, known)
	return err
}

// leftOut says how many of the documents that would disappear are duplicates, "" for none.
func (n *Night) leftOut() string {
	left := map[string]bool{}
	for _, d := range n.Duplicates {
		left[d.URI] = true
	}
	count := 0
	for i := range n.Decisions {
		if d := &n.Decisions[i]; d.Reason == Deleted && left[d.URI] {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("; --dedup leaves out %d of them", count)
}

// plain reports whether rows hold a name as it is.
func plain(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// gone counts the documents that would disappear: not those that are there under another
// name.
func (n *Night) gone() int {
	moved := map[string]bool{}
	for i := range n.copies {
		moved[n.copies[i].from.SourceURI] = true
	}
	gone := 0
	for i := range n.Decisions {
		if d := &n.Decisions[i]; d.Reason == Deleted && !moved[d.URI] {
			gone++
		}
	}
	return gone
}

// copiesRun is the name of the run of copied rows, and the fingerprint of it.
func (n *Night) copiesRun() (name, fp string) {
	sum := sha256.New()
	fmt.Fprintf(sum, "treebeam copies\n%d\n", defaultPartWords)
	for i := range n.copies {
		c := &n.copies[i]
		fmt.Fprintf(sum, "%q %q %q %s\n", c.input.URI, c.input.DocID, c.from.SourceURI, c.from.Run)
	}
	fp = hex.EncodeToString(sum.Sum(nil))
	number, _ := n.base.next()
	return runName(number, "", fp), fp
}

// copyRows writes the run of copied rows, unless an interrupted night has, and notes its
// documents.
func (n *Night) copyRows(ctx context.Context) error {
	if len(n.copies) == 0 {
		return nil
	}
	name, fp := n.copiesRun()
	parts := n.copiedParts()
	job := output.Run{Record: output.Record{FP: fp, Provenance: n.made}, Ranges: len(parts), Output: n.state.RunDir(name)}
	for k, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := n.copyPart(&job, k, part); err != nil {
			return n.state.remedied(err)
		}
	}
	if err := job.Complete(ctx); err != nil {
		return err
	}
	versions := map[string]string{}
	for i := range n.copies {
		versions[n.copies[i].input.URI] = n.copies[i].input.Version
	}
	return n.note(ctx, name, versions)
}

// copiedParts cuts the copies, sorted by their URIs, into parts of which each has its
// sources in the order of these, too: the rows of a run are read in one direction.
func (n *Night) copiedParts() (parts [][]copied) {
	words := int64(0)
	for i := range n.copies {
		c := &n.copies[i]
		last := len(parts) - 1
		if last < 0 || len(parts[last]) == maxPartFiles || words+c.from.Words > defaultPartWords ||
			cmp.Compare(n.copies[i-1].from.SourceURI, c.from.SourceURI) >= 0 {
			parts, last, words = append(parts, nil), last+1, 0
		}
		parts[last], words = append(parts[last], *c), words+c.from.Words
	}
	return parts
}

// copyPart writes one part of the run.
func (n *Night) copyPart(job *output.Run, k int, part []copied) error {
	r := n.base.rows()
	defer r.close()
	var files []output.File
	for i := range part {
		for f, err := range r.fileOf(part[i].from) {
			if err != nil {
				return err
			}
			c := *f
			c.URI, c.DocID = part[i].input.URI, part[i].input.DocID
			files = append(files, c)
		}
	}
	trees := func(yield func(*parquet.Tree, error) bool) {
		for i := range part {
			for t, err := range part[i].trees(r) {
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
	return job.Rewrite(k, files, trees, func(func(*parquet.Failure, error) bool) {})
}

// trees yields the trees of a copy.
func (c *copied) trees(r *rows) iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		for t, err := range r.treesOf(c.from) {
			if err != nil {
				yield(nil, err)
				return
			}
			place, ok := strings.CutPrefix(t.SentID, c.from.DocID+"@")
			if !ok || t.DocID != c.from.DocID {
				yield(nil, fmt.Errorf("%s has the sentence %s of the document %s: it cannot be copied; --all parses every file again", c.from.SourceURI, t.SentID, t.DocID))
				return
			}
			row := *t
			row.SourceURI, row.DocID, row.SentID = c.input.URI, c.input.DocID, c.input.DocID+"@"+place
			if i := slices.Index(row.Comments, newDocument+c.from.DocID); i >= 0 {
				row.Comments = slices.Clone(row.Comments)
				row.Comments[i] = newDocument + c.input.DocID
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}
