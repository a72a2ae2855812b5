package source

import (
	"context"
	"errors"
	"iter"
)

// Bounds of a range: the target size is clamp(total/256, MinRange, MaxRange).
const (
	MinRange = 128 << 10
	MaxRange = 16 << 20
	MaxPack  = 2000 // files in a range
)

// PlanOptions say how inputs are cut into ranges.
type PlanOptions struct {
	RangeBytes int64  // target size of a range in stored bytes; 0 chooses
	Dir        string // what relative URIs are relative to, absolute; "" is the working directory
}

// A Plan is the list of all ranges of a run.
type Plan struct {
	Dir        string // absolute; what relative URIs are relative to
	Files      int
	Bytes      int64 // of all files, as stored
	RangeBytes int64 // the target size
	Ranges     []Range
}

// NewPlan cuts the inputs, which must be in List's order, into ranges. It
// opens no file. A plan of no inputs has no ranges.
func NewPlan(inputs []Input, o PlanOptions) (*Plan, error) { return nil, errors.ErrUnsupported }

// Digest is the SHA-256, in hexadecimal, of everything in the plan that can
// change rows: all but the directory and the spool paths.
func (p *Plan) Digest() string { return "" }

// Fingerprint returns the run's fingerprint, 64 hexadecimal digits, of the
// plan and of what else changes rows, in canonical form: the options, the
// model's digest, the format version.
func (p *Plan) Fingerprint(parts ...string) string { return "" }

// PlanName is the base name of the plan's file, "plan-<fp>.jsonl.zst".
func PlanName(fp string) string { return "plan-" + fp + ".jsonl.zst" }

// Write writes the plan to path atomically: to a temporary file in tmp ("" is
// the folder of path), synced and renamed. The file holds a header line and a
// line of JSON for each range.
func (p *Plan) Write(path, tmp string) error { return errors.ErrUnsupported }

// ReadPlan reads a whole plan file.
func ReadPlan(ctx context.Context, uri string) (*Plan, error) { return nil, errors.ErrUnsupported }

// PlanRanges yields the ranges of a plan file in order without holding them
// all. It ends with an error if the file is damaged or incomplete.
func PlanRanges(ctx context.Context, uri string) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) { yield(Range{}, errors.ErrUnsupported) }
}
