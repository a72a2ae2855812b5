package nightly

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
)

// Options are the input and the options of a night. The night itself sets Output, Files
// and Overwrite of the pipeline's options.
type Options struct {
	pipeline.Options
	State        string // folder
	All          bool   // parse every file again, with any model and options
	AllowDeletes bool   // let many documents, or all, disappear
	// Accept, if set, is asked before what the night has parsed, or taken over,
	// becomes current: found counts that, and current all that then is current. Its error
	// ends the night: the snapshot before stays.
	Accept     func(found, current Found) error
	Generation Generation // of a watch, if it has a window
}

// A Reason says why a file is parsed or not.
type Reason string

const (
	Unchanged Reason = "unchanged"
	New       Reason = "new"
	Changed   Reason = "changed"
	Grown     Reason = "grown"  // changed, but its old bytes are its beginning: only its tail is parsed
	Copied    Reason = "copied" // new, but its bytes were known under another name: its rows are copied
	Kept      Reason = "kept"   // unchanged, but other columns are kept: its rows are copied with these
	Retry     Reason = "retry"  // could not be read the night before
	Again     Reason = "again"  // unchanged, but --all
	Lost      Reason = "lost"   // unchanged, but the state has lost rows of it: see Night.Lost
	Deleted   Reason = "deleted"
	unread    Reason = "unread"  // the same, but could not be read: counted as Unchanged if it still cannot
	touched   Reason = "touched" // the same size, another time: counted as Unchanged if the bytes are the same
)

// parsed reports whether files of this reason are parsed.
func (r Reason) parsed() bool {
	return r == New || r == Changed || r == Grown || r == Retry || r == Again || r == Lost
}

// Counts are numbers of files by reason.
type Counts map[Reason]int

func (c Counts) String() string {
	var parts []string
	for _, r := range []Reason{New, Copied, Changed, Grown, Kept, Retry, Again, Lost, Deleted, Unchanged} {
		if c[r] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c[r], r))
		}
	}
	if len(parts) == 0 {
		return "no files"
	}
	return "files: " + strings.Join(parts, ", ")
}

// maxDeletes is the share of the documents that may disappear in a night
// without being allowed to.
const maxDeletes = 0.2

// A Decision says whether a night parses one file, and why.
type Decision struct {
	URI    string `json:"source_uri"`
	Reason Reason `json:"reason"`
	Why    string `json:"why,omitempty"` // details of the reason

	input *source.Input // nil if it is Deleted
}

// A Night is a plan. Plan has written nothing yet.
type Night struct {
	Decisions  []Decision // about all files, of a generation those that it was given, sorted by URI
	Counts     Counts
	Duplicates []pipeline.Duplicate // files that were left out: Options.Dedup
	Touched    int                  // of the unchanged files: their time changed, their bytes did not
	Bytes      int64                // of the files to be parsed
	// Runs are the folders of the runs that will parse files, usually one. Runs of
	// interrupted nights that go on come first.
	Runs []PlannedRun
	// TakenOver counts the files that need no parsing, because a night that was
	// interrupted, or came second, has parsed them. Left are the folders of such
	// nights that are not reused.
	TakenOver map[string]int // by run
	Left      []string
	// Lost says what is wrong with the damaged runs of Base. Their documents are parsed
	// again, whether or not they have changed.
	Lost map[string]string

	options Options
	rekeep  bool // nothing but Keep differs from the base
	state   *State
	base    *Snapshot // nil in the first night
	made    output.Provenance
	listed  []source.Input            // sorted by URI
	entries map[string]*parquet.Entry // of the files that are done, by URI
	tails   map[string]*parquet.Entry // of the tails that are done, by URI
	copies  []copied                  // sorted by URI
}

// A PlannedRun is one run of the pipeline.
type PlannedRun struct {
	Name      string
	Files     int
	Continued bool // an interrupted one

	inputs     []source.Input
	rangeBytes int64
	retry      bool // it is there: what it could not read is tried again
}

// Base is the snapshot that the night starts from, nil in the first.
func (n *Night) Base() *Snapshot { return n.base }

// Dir is the folder of the state.
func (n *Night) Dir() string { return n.state.dir }

// Idle reports whether nothing has changed. Run then makes no snapshot.
func (n *Night) Idle() bool {
	return n.base != nil && !n.base.gone && n.Counts[Unchanged] == len(n.Decisions) && n.Touched == 0
}

// Plan lists the input, compares it with the current snapshot and decides about every
// file. It writes nothing. Input, options or a state that cannot be used are a
// *pipeline.Refusal. If too many documents would disappear, Plan returns the night
// together with the refusal.
func Plan(ctx context.Context, o Options) (*Night, error) {
	state, err := o.openState(ctx)
	if err != nil {
		return nil, err
	}
	made, err := o.Provenance(ctx)
	if err != nil {
		return nil, err
	}
	base, err := state.base(ctx, o.All)
	if err != nil {
		return nil, &pipeline.Refusal{Err: err}
	}
	inputs, err := o.list(ctx, state, base)
	if err != nil {
		return nil, err
	}
	rekeep, err := o.rekeeps(state, base, &made)
	if err != nil {
		return nil, err
	}
	n := &Night{options: o, rekeep: rekeep, state: state, base: base, made: made, listed: inputs, Counts: Counts{},
		TakenOver: map[string]int{}, entries: map[string]*parquet.Entry{}, tails: map[string]*parquet.Entry{}}
	if !o.All && o.Generation.looks() {
		if n.Lost, err = base.lost(ctx); err != nil {
			return nil, refuse("what %s holds cannot be looked at: %w; if that stays so, --all parses every file again", state.dir, err)
		}
	}
	if o.Dedup {
		err = n.distinct(ctx)
	}
	if err == nil {
		err = n.decide(ctx)
	}
	if err == nil {
		err = n.findCopies(ctx)
	}
	if err != nil {
		return nil, state.remedied(err)
	}
	if err := n.planRuns(ctx); err != nil {
		return nil, err
	}
	if len(n.copies) > 0 {
		name, _ := n.copiesRun()
		n.Left = slices.DeleteFunc(n.Left, func(run string) bool { return run == name })
	}
	if gone := n.gone(); gone > 0 && !o.AllowDeletes && float64(gone) > maxDeletes*float64(base.Documents) {
		return n, refuse("%s of %s would disappear, for example %s%s; if the input is not where it was, put it back, "+
			"and name it as before (a relative path is another name than an absolute one); if they may go: --allow-deletes",
			view.Number(gone), view.Many(base.Documents, "document"), n.example(Deleted), n.leftOut())
	}
	return n, nil
}

// openState opens the state, unless it or the input cannot be those of a night.
func (o *Options) openState(ctx context.Context) (*State, error) {
	state, err := At(o.State)
	if err != nil {
		return nil, err
	}
	if slices.Contains(o.Inputs, "-") {
		return nil, refuse("--state cannot be used with standard input, which has no name to recognize it by: name files or folders")
	}
	if err := o.CheckEngine(state.dir); err != nil { // the pipeline sees no patterns, but what they match
		return nil, err
	}
	if runs, err := output.Records(ctx, state.dir); err != nil {
		return nil, &pipeline.Refusal{Err: err}
	} else if len(runs) > 0 {
		return nil, refuse("%s is the output of a parse without --state or --watch: name another folder", state.dir)
	}
	return state, nil
}

// list returns the files of the input, sorted by URI. A generation is given its files.
func (o *Options) list(ctx context.Context, state *State, base *Snapshot) ([]source.Input, error) {
	if o.Generation.Window != "" {
		return o.Files, nil
	}
	listing := source.ListOptions{Paths: o.Paths, Exclude: o.Exclude,
		Skip: []string{state.dir}, AllowEmpty: o.AllowDeletes && base != nil}
	inputs, err := source.List(ctx, o.Inputs, listing)
	if err != nil && base != nil {
		listing.AllowEmpty = true
		if _, other := source.List(ctx, o.Inputs, listing); other == nil {
			err = fmt.Errorf("%w; if its documents may go: --allow-deletes", err)
		}
	}
	if err != nil {
		return nil, &pipeline.Refusal{Err: err}
	}
	return inputs, o.NoteUnmatched(source.ListingOf(inputs).All())
}

// rekeeps reports whether nothing but Keep differs from how the base was made. Another
// difference is refused, unless every file is parsed again.
func (o *Options) rekeeps(state *State, base *Snapshot, made *output.Provenance) (bool, error) {
	if base == nil || base.Made == *made || o.All {
		return false, nil
	}
	remedy := "name another --output"
	if o.Generation.Window == "" {
		remedy = "--all to parse every file again"
		kept := *made
		if kept.Options.Keep = base.Made.Options.Keep; base.Made == kept {
			return true, nil
		}
	}
	return false, refuse("%s was made differently:\n  %s\ngive the same model and options again, or %s",
		state.dir, strings.Join(pipeline.Differences(&base.Made, made), "\n  "), remedy)
}

func (n *Night) example(r Reason) string {
	i := slices.IndexFunc(n.Decisions, func(d Decision) bool { return d.Reason == r })
	return n.Decisions[i].URI
}

// decide compares the listing with the base, both sorted by URI.
func (n *Night) decide(ctx context.Context) error {
	n.Decisions = make([]Decision, 0, len(n.listed))
	var known, failed []*parquet.Entry // of the files that are touched and unread, in the order of the decisions
	var inputs, again []*source.Input
	for at, err := range merge(n.base, n.listed) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		d := Decision{input: at.input}
		switch {
		case at.input == nil && n.options.Generation.keeps(at.entry.SourceURI):
			continue
		case at.input == nil:
			d.URI, d.Reason = at.entry.SourceURI, Deleted
		case at.entry == nil:
			d.URI, d.Reason = at.input.URI, New
		default:
			d.URI = at.input.URI
			d.Reason, d.Why = n.compare(ctx, at.entry, at.input)
		}
		switch d.Reason {
		case touched:
			e := *at.entry
			known, inputs = append(known, &e), append(inputs, at.input)
		case unread:
			e := *at.entry
			failed, again = append(failed, &e), append(again, at.input)
		default:
			n.settle(&d, at.entry)
		}
		n.Decisions = append(n.Decisions, d)
	}
	i := 0
	for version := range pipeline.SourceVersions(ctx, inputs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for n.Decisions[i].Reason != touched {
			i++
		}
		d, e := &n.Decisions[i], known[0]
		switch known = known[1:]; {
		case version == "":
			d.Reason, d.Why = Changed, "it cannot be read"
		case version != e.SourceVersion:
			d.Reason, d.Why = Changed, "other bytes of the same number"
		}
		n.settle(d, e)
	}
	readable := n.readable(ctx, again)
	for i := range n.Decisions {
		d := &n.Decisions[i]
		if d.Reason != unread {
			continue
		}
		if d.Reason = Unchanged; readable[d.URI] {
			d.Reason, d.Why = Retry, "it could not be read"
		}
		n.settle(d, failed[0])
		failed = failed[1:]
	}
	slices.SortFunc(n.copies, func(a, b copied) int { return strings.Compare(a.input.URI, b.input.URI) })
	if n.options.All || n.rekeep {
		n.Touched = 0
	}
	return nil
}

// settle counts a decision, about a file that may have an entry, and notes what follows from it.
func (n *Night) settle(d *Decision, e *parquet.Entry) {
	if (d.Reason == Unchanged || d.Reason == touched) && n.Lost[e.Run] != "" {
		d.Reason, d.Why = Lost, "its rows in "+dataDir+"/"+e.Run+" are lost"
	}
	if d.Reason == touched {
		e.Version = d.input.Version // of a copy that decide has made
		n.entries[d.URI] = e
		d.Reason, d.Why = Unchanged, "another time, the same bytes"
		n.Touched++
	}
	if d.Reason == Unchanged && (n.options.All || n.rekeep) {
		delete(n.entries, d.URI)
		if d.Reason = Again; n.rekeep && e.SourceVersion != "" && e.Format != "" {
			known := *e
			n.copies = append(n.copies, copied{input: d.input, from: &known, reason: Kept})
			d.Reason, d.Why = Kept, ""
		}
	}
	if d.Reason.parsed() {
		n.Bytes += d.input.Size
	}
	if d.Reason == Grown {
		n.Bytes -= n.copies[len(n.copies)-1].before.To
	}
	n.Counts[d.Reason]++
}

// A pair is a file of a snapshot, of a listing, or of both.
type pair struct {
	entry *parquet.Entry
	input *source.Input
}

func (p *pair) uri() string {
	if p.input != nil {
		return p.input.URI
	}
	return p.entry.SourceURI
}

// merge yields the files of a snapshot, which may be nil, and of a listing in
// the order of their URIs. The pair with an error is the last.
func merge(base *Snapshot, inputs []source.Input) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		for e, err := range base.entries() {
			if err != nil {
				yield(pair{}, err)
				return
			}
			for len(inputs) > 0 && inputs[0].URI < e.SourceURI {
				if !yield(pair{nil, &inputs[0]}, nil) {
					return
				}
				inputs = inputs[1:]
			}
			p := pair{entry: e}
			if len(inputs) > 0 && inputs[0].URI == e.SourceURI {
				p.input, inputs = &inputs[0], inputs[1:]
			}
			if !yield(p, nil) {
				return
			}
		}
		for i := range inputs {
			if !yield(pair{nil, &inputs[i]}, nil) {
				return
			}
		}
	}
}

// compare decides about a file that the snapshot knows. A file of the same
// size and version is not opened, unless it could not be read before or was no
// text: then it counts as unread. One of the same size and another version counts as
// touched until its bytes are read.
func (n *Night) compare(ctx context.Context, e *parquet.Entry, in *source.Input) (Reason, string) {
	known := e.SourceVersion != "" // its bytes could be read to the end
	switch {
	case e.DocID != in.DocID:
		return Changed, fmt.Sprintf("its document id was %s and is %s", e.DocID, in.DocID)
	case e.StoredBytes == in.Size && e.Version == in.Version:
		if known {
			return Unchanged, ""
		}
		return unread, ""
	case !known:
		return Retry, "it could not be read, and has changed"
	case n.grown(ctx, e, in):
		return Grown, fmt.Sprintf("%s, %s before", view.Many(in.Size, "byte"), view.Number(e.StoredBytes))
	case e.StoredBytes != in.Size:
		return Changed, fmt.Sprintf("%s, %s before", view.Many(in.Size, "byte"), view.Number(e.StoredBytes))
	}
	return touched, ""
}

// readable returns the URIs of the files whose first bytes can be read and may be text, or
// for which why not may have changed. It reads the members of a compressed tar in few passes.
func (n *Night) readable(ctx context.Context, inputs []*source.Input) map[string]bool {
	streamed := new(source.Range)
	for _, in := range inputs {
		if in.In != nil && in.In.Stream {
			streamed.Pieces = append(streamed.Pieces, source.Piece{Input: *in, End: in.Size})
		}
	}
	files, next := source.NewFiles(ctx, streamed), 0
	defer files.Close()
	readable := map[string]bool{}
	for _, in := range inputs {
		var f *source.File
		var err error
		if in.In != nil && in.In.Stream {
			f, err = files.Open(next)
			next++
		} else {
			f, err = source.OpenFile(ctx, in)
		}
		if err == nil {
			err = n.mayBeText(f, in)
			f.Close()
		}
		var fault *source.Error
		var notText *source.NotText
		readable[in.URI] = !(errors.As(err, &fault) && fault.Kind == source.Permanent || errors.As(err, &notText))
	}
	return readable
}

// mayBeText is the error of the first bytes of a file.
func (n *Night) mayBeText(f *source.File, in *source.Input) error {
	head, err := f.Head()
	if err != nil {
		return err
	}
	rules, _ := output.ParseRules(n.options.Rows.Rules) // they were checked
	rows := rules.Options(&n.options.Rows, in)
	want, err := source.ParseFormat(rows.From)
	if err == nil {
		_, err = source.Detect(in.URI, head, want, rows.Encoding)
	}
	return err
}
