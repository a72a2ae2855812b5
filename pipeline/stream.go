package pipeline

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// Stream parses the inputs and writes their sentences to w in input order, in the
// format o.To. It has the stages of a run, but works in this process, without an output
// folder or temporary files. The bytes of the sentences are those of a run's output in
// the same format.
//
// Standard input and named pipes are read as they come: whenever the input pauses, all
// sentences of its complete paragraphs are parsed and written. w receives whole
// sentences, many in one call of Write if they come fast.
//
// With o.EndMarks, a mark follows the last sentence of each document (see endMark), so
// that a program that writes documents to standard input knows when a document is
// complete. With o.Limit, Stream ends after so many sentences.
//
// Stream returns the sums of its work. An error before any work is a *Refusal.
func Stream(ctx context.Context, o Options, w io.Writer) (*output.Summary, error) {
	if o.HasNoInput() {
		return nil, refuse("no input: name files or folders; '-' reads standard input")
	}
	if err := validateRows(&o.Rows); err != nil {
		return nil, err
	}
	format, err := mustFormat(cmp.Or(o.To, "conllu"))
	if err != nil {
		return nil, err
	}
	if err := o.checkFormat(format); err != nil {
		return nil, err
	}
	m, digest, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	inputs, err := source.List(ctx, o.Inputs, source.ListOptions{Paths: o.Paths, Exclude: o.Exclude, Live: true})
	if err != nil {
		return nil, &Refusal{Err: err}
	}
	if err := o.NoteUnmatched(source.ListingOf(inputs).All()); err != nil {
		return nil, err
	}
	if err := o.keepsInputs(inputs); err != nil {
		return nil, err
	}
	if o.Write.Generator != "" {
		o.Write.Model = cmp.Or(worldName(&o.Rows), modelName(o.Model, digest))
	}
	o.Write.Keep = o.Rows.KeepColumns()
	rows := &Writer{format, o.Write, format.begin(o.Write)}
	s := &stream{model: m, made: output.Provenance{ModelDigest: digest, Options: o.Rows}, options: o.Rows, out: bufio.NewWriterSize(w, 1<<16), rows: rows}
	if o.EndMarks {
		s.marks = &endMarks{before: format.beforeMark}
		s.pace.Ends = true
	}
	if o.Limit > 0 {
		s.limit = &limit{left: o.Limit}
	}
	switch err := o.read(ctx, inputs, m, &s.pace, func(read reader) error { return s.parse(ctx, read) }); {
	case err == errLimit:
		s.sum.Cut()
	case err != nil:
		return nil, err
	default:
		if err := s.sum.Close(); err != nil {
			return nil, err
		}
		s.sum.NoteIdle(&o.Rows)
	}
	s.sum.NoteLanguage(m.TrainedOn())
	if s.buf, err = s.rows.End(s.buf[:0]); err != nil {
		return nil, err
	}
	if _, err := s.out.Write(s.buf); err != nil {
		return nil, err
	}
	return &s.sum.Summary, s.out.Flush()
}

// A reader gives what it reads to emit, chunk by chunk.
type reader func(ctx context.Context, emit func(transforms.Chunk) error) error

// read calls each with a reader of every range of the inputs, in order. Standard input
// and named pipes are read as they come.
func (o *Options) read(ctx context.Context, inputs []source.Input, m transforms.Stages, pace *transforms.Pace, each func(read reader) error) error {
	for len(inputs) > 0 {
		if inputs[0].Live() {
			if err := o.readLive(inputs[0], m, pace, each); err != nil {
				return err
			}
			inputs = inputs[1:]
			continue
		}
		n := slices.IndexFunc(inputs, func(in source.Input) bool { return in.Live() })
		if n < 0 {
			n = len(inputs)
		}
		plan, err := source.NewPlan(ctx, source.ListingOf(inputs[:n]), source.PlanOptions{RangeBytes: o.RangeBytes, Least: transforms.LeastPiece(o.Rows)})
		if err != nil {
			return &Refusal{Err: err}
		}
		for r, err := range plan.Ranges() {
			if err != nil {
				return err
			}
			if err := each(func(ctx context.Context, emit func(transforms.Chunk) error) error {
				return transforms.ReadPaced(ctx, &r, m, o.Rows, pace, emit)
			}); err != nil {
				return err
			}
		}
		inputs = inputs[n:]
	}
	return nil
}

// readLive is read of standard input or a named pipe.
func (o *Options) readLive(in source.Input, m transforms.Stages, pace *transforms.Pace, each func(read reader) error) error {
	live := transforms.Live{Input: in, From: o.Stdin}
	if in.URI != "-" {
		f, err := os.Open(filepath.FromSlash(in.URI))
		if err != nil {
			return err
		}
		defer f.Close()
		live.From = f
	}
	return each(func(ctx context.Context, emit func(transforms.Chunk) error) error {
		return transforms.ReadLive(ctx, &live, m, o.Rows, pace, emit)
	})
}

// checkFormat refuses options that a format has no place for.
func (o *Options) checkFormat(f *Format) error {
	switch {
	case o.Rows.Keep != "" && !f.Table:
		return refuse("--keep: %s has no place for values; take --to jsonl, tsv or csv, or --output FOLDER for Parquet", f.Name)
	case o.Rows.Ranges && !f.marks:
		return refuse("--ranges: %s has no place for them; use --to conllu or jsonl", f.Name)
	case o.EndMarks && !f.marks:
		return refuse("--end-marks: %s has no place for them; use --to jsonl or conllu", f.Name)
	case o.Rows.Words:
		return refuse("--words is for Parquet: add --output FOLDER; --to tsv also writes a row for each word")
	}
	return o.checkLimit()
}

// keepsInputs refuses to write over one of the inputs or of the user's lists.
func (o *Options) keepsInputs(inputs []source.Input) error {
	info, err := os.Stat(o.Output)
	if err != nil {
		return nil
	}
	isInput := func(in source.Input) bool {
		if in.In != nil {
			in.Size = in.In.Size // of the archive
		}
		return in.Size == info.Size() && isFile(info, cmp.Or(in.Path, in.URI))
	}
	if info.Mode().IsRegular() && slices.ContainsFunc(inputs, isInput) {
		return refuse("--output %s is one of the inputs: it would be lost; name another file", o.Output)
	}
	for option, name := range o.Custom.Names {
		if isFile(info, name) {
			return refuse("--output %s is the file of %s: it would be lost; name another file", o.Output, option)
		}
	}
	return nil
}

// isFile reports whether a URI names the file of info.
func isFile(info os.FileInfo, uri string) bool {
	if store.IsRemote(uri) {
		return false
	}
	file, err := os.Stat(filepath.FromSlash(uri))
	return err == nil && os.SameFile(file, info)
}

type stream struct {
	model   transforms.Stages
	made    output.Provenance
	options output.RowOptions
	pace    transforms.Pace
	rows    *Writer
	out     *bufio.Writer
	buf     []byte
	sum     output.Tally
	marks   *endMarks // nil: none are written
	limit   *limit    // nil: all are parsed
}

// parse parses and writes the chunks that read gives, which runs ahead by one
// chunk. After the limit its error is errLimit.
func (s *stream) parse(ctx context.Context, read reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chunks := make(chan transforms.Chunk, 1)
	end := make(chan error, 1)
	go func() {
		defer close(chunks)
		end <- read(ctx, func(c transforms.Chunk) error {
			select {
			case chunks <- c:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for c := range chunks {
		c = transforms.SegmentChunk(c, s.model, s.options)
		enough := s.limit.cut(&c)
		if err := s.write(transforms.StageSegmented(c, s.model, s.options)); err != nil {
			return err
		}
		if enough {
			return errLimit
		}
	}
	return <-end
}

// write writes the sentences of a parsed chunk, and the failed ones in their places.
func (s *stream) write(c transforms.Chunk) error {
	batch := c.Batch()
	if err := s.sum.Add(batch); err != nil {
		return err
	}
	for _, p := range placesOf(&c, s.marks != nil) {
		if err := s.endsBefore(&c, p.file); err != nil {
			return err
		}
		var row output.Row
		if p.failed {
			f := batch.FailureRow(p.i)
			s.marks.count(&f)
			row = output.Row{DocID: f.DocID, Failure: &f}
		} else {
			t := batch.TreeRow(p.i, &s.made)
			s.marks.count(nil)
			row = output.Row{DocID: t.DocID, Format: c.Files[p.file].Format, Tree: &t}
		}
		if err := s.row(&row); err != nil {
			return err
		}
	}
	if err := s.endsBefore(&c, int32(len(c.Files))); err != nil {
		return err
	}
	return s.out.Flush()
}

// A place says where a sentence or a failure of a chunk is in the input.
type place struct {
	file   int32
	start  int64
	i      int  // in Sentences or in Failures
	failed bool // in Failures
}

// placesOf returns the places of the sentences of a chunk and of its failures, of all or of
// those that stand for sentences, in the order of the input. At one place, sentences come
// first.
func placesOf(c *transforms.Chunk, all bool) []place {
	places := make([]place, len(c.Sentences))
	for i := range c.Sentences {
		places[i] = place{c.Sentences[i].File, c.Sentences[i].StartByte, i, false}
	}
	for i := range c.Failures {
		if f := &c.Failures[i]; f.Sentence || all {
			places = append(places, place{f.File, f.ByteOffset, i, true})
		}
	}
	slices.SortStableFunc(places, place.compare)
	return places
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.file, other.file), cmp.Compare(p.start, other.start))
}

func (s *stream) row(r *output.Row) error {
	var err error
	if s.buf, err = s.rows.Append(s.buf[:0], r); err != nil {
		return err
	}
	_, err = s.out.Write(s.buf)
	return err
}
