package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/pipeline"
)

// Comments with the ids of a document, at its first sentence, and of a sentence.
const (
	newDocument = "# newdoc id = "
	ownSentID   = "# sent_id = "
)

// maxTurns bounds how often the copies of a night turn back in the order of their sources.
// Each time, the rows of the base are read from their beginning again.
const maxTurns = 64

// madeID follows the id of the file in the id of a record or a line that has none.
var madeID = regexp.MustCompile(`^#\d+$`)

// A copied file has rows of a file that the base knows: it is new and has the bytes of
// that file, whose rows it gets with other names in them; or it has grown, and its own
// rows come before those of its tail; or other columns of it are kept.
type copied struct {
	input  *source.Input
	from   *parquet.Entry
	reason Reason     // Copied, Grown or Kept
	before source.Sum // if it has grown: of the bytes before its tail
}

// grown reports whether the rows of a file stay and only its tail is to be parsed. If so, it
// notes that.
func (n *Night) grown(ctx context.Context, e *parquet.Entry, in *source.Input) bool {
	if n.options.All || n.rekeep || n.options.Generation.Window != "" || n.Lost[e.Run] != "" || in.In != nil || e.StoredBytes == 0 || e.StoredBytes >= in.Size {
		return false
	}
	before, err := n.options.Grown(ctx, in, e.StoredBytes, e.SourceVersion)
	if err != nil || before.To == 0 { // the run says what is wrong
		return false
	}
	known := *e
	n.copies = append(n.copies, copied{input: in, from: &known, reason: Grown, before: before})
	return true
}

// findCopies decides about new files whose bytes the base has rows of. It opens those
// that have the size and the ending of such a file, and reads them whole. After maxTurns,
// files stay new.
func (n *Night) findCopies(ctx context.Context) error {
	if n.base == nil || n.options.All || n.rekeep || n.options.Generation.Window != "" {
		return nil
	}
	known, err := n.likeNew()
	if err != nil || len(known) == 0 {
		return err
	}
	var likely []*Decision
	var inputs []*source.Input
	for i := range n.Decisions {
		d, in := &n.Decisions[i], n.Decisions[i].input
		if d.Reason == New && len(known[likenessOf(in.URI, in.Size)]) > 0 && plain(in.URI) && plain(in.DocID) {
			likely, inputs = append(likely, d), append(inputs, in)
		}
	}
	turns, last, i := 0, "", -1
	turn := func(from string) {
		if from <= last {
			turns++
		}
		last = from
	}
	grown := n.copies // which are between the others
	for version := range pipeline.SourceVersions(ctx, inputs) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		i++
		d, in := likely[i], inputs[i]
		candidates := known[likenessOf(in.URI, in.Size)] // which have a version
		if k := slices.IndexFunc(candidates, func(e *parquet.Entry) bool { return e.SourceVersion == version }); k >= 0 {
			n.copies = append(n.copies, copied{input: in, from: candidates[k], reason: Copied})
			for ; len(grown) > 0 && grown[0].input.URI < in.URI; grown = grown[1:] {
				turn(grown[0].from.SourceURI)
			}
			turn(candidates[k].SourceURI)
			n.Counts[New]--
			n.Counts[Copied]++
			n.Bytes -= in.Size
			d.Reason, d.Why = Copied, "the bytes of "+candidates[k].SourceURI
		}
		if turns >= maxTurns {
			break
		}
	}
	if n.Counts[New] == 0 {
		delete(n.Counts, New)
	}
	slices.SortFunc(n.copies, func(a, b copied) int { return strings.Compare(a.input.URI, b.input.URI) })
	return nil
}

// A likeness is what a file has in common with its copies at a glance.
type likeness struct {
	ending string
	bytes  int64
}

func likenessOf(uri string, bytes int64) likeness {
	_, ending, _ := strings.Cut(path.Base(uri), ".")
	return likeness{ending, bytes}
}

// likeNew returns the files of the base that a new file may be a copy of. The list of a new
// file without any is nil.
func (n *Night) likeNew() (map[likeness][]*parquet.Entry, error) {
	like := map[likeness][]*parquet.Entry{}
	for i := range n.Decisions {
		if d := &n.Decisions[i]; d.Reason == New {
			like[likenessOf(d.URI, d.input.Size)] = nil
		}
	}
	if len(like) == 0 {
		return nil, nil
	}
	for e, err := range n.base.entries() {
		if err != nil {
			return nil, err
		}
		at := likenessOf(e.SourceURI, e.StoredBytes)
		if _, wanted := like[at]; wanted && n.copyable(e) {
			known := *e
			like[at] = append(like[at], &known)
		}
	}
	return like, nil
}

// copyable reports whether rows of the file hold its name only in columns that are known,
// and depend on no more of it than its ending. Reasons of failures may name it, and rules
// go by paths.
func (n *Night) copyable(e *parquet.Entry) bool {
	return e.SourceVersion != "" && e.Failures+e.Warnings == 0 && n.made.Options.Rules == "" && n.Lost[e.Run] == ""
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
	fmt.Fprintf(sum, "treebeam copies\n%d\n", partWords)
	for i := range n.copies {
		c := &n.copies[i]
		fmt.Fprintf(sum, "%q %q %q %s\n", c.input.URI, c.input.DocID, c.from.SourceURI, c.from.Run)
		if c.reason == Grown {
			fmt.Fprintf(sum, "grown %d %d %q\n", c.before.To, c.input.Size, c.input.Version)
		}
		if c.reason == Kept {
			fmt.Fprintf(sum, "kept %q\n", n.made.Options.Keep)
		}
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
	job := output.Run{Record: output.Record{FP: fp, Provenance: n.made}, Ranges: len(parts), Output: n.state.runDir(name)}
	r, last := n.base.rows(), ""
	defer func() { r.close() }()
	for k, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if part[0].from.SourceURI <= last {
			r.close()
			r = n.base.rows()
		}
		last = part[len(part)-1].from.SourceURI
		if err := n.copyPart(ctx, &job, k, part, r); err != nil {
			return n.state.remedied(err)
		}
	}
	if err := job.Complete(ctx); err != nil {
		return err
	}
	inputs := map[string]*source.Input{}
	for i := range n.copies {
		inputs[n.copies[i].input.URI] = n.copies[i].input
	}
	return n.note(ctx, name, inputs)
}

// copiedParts cuts the copies, sorted by their URIs, into parts of which each has its
// sources in the order of these, too: the rows of a run are read in one direction.
func (n *Night) copiedParts() (parts [][]copied) {
	words := int64(0)
	for i := range n.copies {
		c := &n.copies[i]
		last := len(parts) - 1
		if last < 0 || len(parts[last]) == maxPartFiles || words+c.from.Words > partWords ||
			cmp.Compare(n.copies[i-1].from.SourceURI, c.from.SourceURI) >= 0 {
			parts, last, words = append(parts, nil), last+1, 0
		}
		parts[last], words = append(parts[last], *c), words+c.from.Words
	}
	return parts
}

// copyPart writes one part of the run, from r, which has not come past its rows.
func (n *Night) copyPart(ctx context.Context, job *output.Run, k int, part []copied, r *rows) error {
	var files []output.File
	var kept []*parquet.Failure // of files with other columns to keep: all of a night or none
	var entries []*parquet.Entry
	inputs := inputsOf(ctx, part)
	defer inputs.Close()
	for i := range part {
		c, tail := &part[i], n.tails[part[i].input.URI]
		f, err := r.fileOf(c.from)
		if err != nil {
			return err
		}
		f.URI, f.DocID = c.input.URI, c.input.DocID
		if c.reason == Kept {
			if kept, err = rekept(n.options.Kept(ctx, inputs, i, c.input), c, &f, r, kept); err != nil {
				return err
			}
		} else if entries = append(entries, c.from); tail != nil {
			entries = append(entries, tail)
		}
		if tail == nil {
			files = append(files, f)
			continue
		}
		rest, err := r.fileOf(tail)
		if err != nil {
			return err
		}
		f.Stored, f.End, f.EOF, f.Sum = rest.Stored, rest.Start, false, &c.before
		rest.Tail = 0
		files = append(files, f, rest)
	}
	trees := func(yield func(*parquet.Tree, error) bool) {
		inputs := inputsOf(ctx, part)
		defer inputs.Close()
		for i := range part {
			c := &part[i]
			rows := c.trees(r)
			if tail := n.tails[c.input.URI]; tail != nil {
				rows = ofAll([]*parquet.Entry{c.from, tail}, r.treesOf)
			} else if c.reason == Kept {
				rows = keptTrees(n.options.Kept(ctx, inputs, i, c.input), c, r)
			}
			for t, err := range rows {
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
	return job.Rewrite(k, files, trees, func(yield func(*parquet.Failure, error) bool) {
		for _, row := range kept {
			if !yield(row, nil) {
				return
			}
		}
		ofAll(entries, r.failuresOf)(yield)
	})
}

// inputsOf returns the files of copies, for one pass in their order: each member of a
// compressed tar alone would take one from the beginning of the archive.
func inputsOf(ctx context.Context, part []copied) *source.Files {
	r := new(source.Range)
	for i := range part {
		r.Pieces = append(r.Pieces, source.Piece{Input: *part[i].input, End: part[i].input.Size})
	}
	return source.NewFiles(ctx, r)
}

// rekept gives the file f of a copy the values that are kept now, and appends its failures to
// list, with the warnings of values that are not kept in place of those that there were.
func rekept(values iter.Seq2[pipeline.Kept, error], c *copied, f *output.File, r *rows, list []*parquet.Failure) ([]*parquet.Failure, error) {
	f.Meta = nil
	first := len(list)
	for row, err := range ofAll([]*parquet.Entry{c.from}, r.failuresOf) {
		if err != nil {
			return nil, err
		}
		if pipeline.NotKept(row) {
			f.Warnings--
			continue
		}
		row := *row
		list = append(list, &row)
	}
	for kept, err := range values {
		if err != nil {
			return nil, err
		}
		if kept.End > 0 {
			f.MergeMeta(kept.Meta)
		}
		f.Warnings += int64(len(kept.Warnings))
		for i := range kept.Warnings {
			list = append(list, &kept.Warnings[i])
		}
	}
	slices.SortStableFunc(list[first:], func(a, b *parquet.Failure) int { return cmp.Compare(a.ByteOffset, b.ByteOffset) })
	return list, nil
}

// keptTrees yields the trees of a copy with the values that are kept now.
func keptTrees(values iter.Seq2[pipeline.Kept, error], c *copied, r *rows) iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		next, stop := iter.Pull2(values)
		defer stop()
		var record pipeline.Kept
		for t, err := range r.treesOf(c.from) {
			for more := true; err == nil && t.StartByte >= record.End; {
				if record, err, more = next(); err == nil && !more {
					err = fmt.Errorf("%s has no record of the sentence %s: --all parses every file again", c.input.URI, t.SentID)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			row := *t
			if row.Meta = record.Meta; !yield(&row, nil) {
				return
			}
		}
		for { // to the end, where a file that has changed is found out
			_, err, more := next()
			if err != nil {
				yield(nil, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// trees yields the trees of a copy. Names in them are those of the file, unless records,
// or the comments and ids of CoNLL, have their own. A record's own id that consists of the
// file's old id, # and digits counts as made.
func (c *copied) trees(r *rows) iter.Seq2[*parquet.Tree, error] {
	format := source.Format(c.from.Format)
	records := format == source.JSONL || format.Table()
	return func(yield func(*parquet.Tree, error) bool) {
		for t, err := range r.treesOf(c.from) {
			if err != nil {
				yield(nil, err)
				return
			}
			row := *t
			row.SourceURI = c.input.URI
			if part, found := strings.CutPrefix(t.DocID, c.from.DocID); found && (part == "" && !records || madeID.MatchString(part)) {
				row.DocID = c.input.DocID + part
			}
			at := "@" + strconv.FormatInt(t.StartByte, 10)
			if t.SentID == t.DocID+at && !slices.Contains(row.Comments, ownSentID+t.SentID) {
				row.SentID = row.DocID + at
			}
			if i := slices.Index(row.Comments, newDocument+t.DocID); i >= 0 && format != source.CoNLLU && format != source.CoNLLX {
				row.Comments = slices.Clone(row.Comments)
				row.Comments[i] = newDocument + row.DocID
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}
