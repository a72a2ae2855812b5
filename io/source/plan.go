package source

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/treebeam/treebeam/io/store"
)

// Bounds of a range: the target size is clamp(total/256, minRange, maxRange).
const (
	minRange = 128 << 10
	maxRange = 16 << 20
	MaxPack  = 2000 // files in a range
)

// PlanOptions say how inputs are split into ranges.
type PlanOptions struct {
	RangeBytes int64  // target size of a range in stored bytes; 0 chooses
	Dir        string // what relative URIs are relative to; "" is the working directory
	// Least, unless nil, says how many bytes the pieces of a file have at least, by the
	// head of its decompressed bytes. It is asked about files that would be cut.
	Least func(in *Input, head []byte) int64
}

// A Plan is the list of all ranges of a run. It does not hold them: Ranges computes
// them again from the listing, or reads them from the plan's file.
type Plan struct {
	Dir        string // absolute, or "" if there was none; what relative URIs are relative to
	Files      int
	Bytes      int64 // of all files, as stored
	RangeBytes int64 // the target size
	// Digest is the SHA-256, in hexadecimal, of everything in the plan that can
	// change rows: all but the directory and where a name is not its URI.
	Digest string
	Sizes  []int64 // stored bytes of every range

	pieces iter.Seq2[[]Piece, error] // range by range
}

// NewPlan splits the inputs into ranges. It opens only files that are large enough to
// be split, if o.Least needs their heads. A plan without inputs has no ranges. The
// listing must not be closed before the plan is written.
//
// A plain file of at least one and a half times the target is split into equal pieces
// of about the target, and a compressed one where decompression can begin (see split).
// Any other file goes, whole, into the current pack until that has the target size or
// MaxPack files.
func NewPlan(ctx context.Context, inputs *Listing, o PlanOptions) (*Plan, error) {
	if o.RangeBytes < 0 {
		return nil, fmt.Errorf("range size of %d bytes: must be positive, or 0 to choose one", o.RangeBytes)
	}
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &Plan{Dir: dir, Files: inputs.Files, Bytes: inputs.Bytes, RangeBytes: o.RangeBytes}
	if p.RangeBytes == 0 {
		p.RangeBytes = min(max(p.Bytes/256, minRange), maxRange)
	}
	cuts, err := o.cuts(ctx, inputs.All(), dir, p.RangeBytes)
	if err != nil {
		return nil, err
	}
	p.pieces = cut(inputs.All(), cuts, p.RangeBytes)
	for r, err := range p.Ranges() { // which do not know yet how many they are
		if err != nil {
			return nil, err
		}
		p.Sizes = append(p.Sizes, r.Bytes())
	}
	sum := newPlanSum(len(p.Sizes))
	for r, err := range p.Ranges() {
		if err != nil {
			return nil, err
		}
		sum.add(&r)
	}
	p.Digest = sum.digest()
	return p, nil
}

// headsAtOnce bounds the heads that are read at once for a plan.
const headsAtOnce = 64

// cuts returns how the files are cut that are, by their places.
func (o *PlanOptions) cuts(ctx context.Context, inputs iter.Seq2[*Input, error], dir string, target int64) (map[int]division, error) {
	var mu, unpacking sync.Mutex // a decoder takes memory
	cuts := map[int]division{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(headsAtOnce)
	next := 0
	for in, err := range inputs {
		i := next
		next++
		if err != nil {
			return nil, errors.Join(err, g.Wait())
		}
		if pieces(in, target) == 1 {
			continue
		}
		g.Go(func() error {
			var d division
			packed := in.compression() != plain
			if packed {
				unpacking.Lock()
				defer unpacking.Unlock()
				if d.members = split(in, dir, pieces(in, target)); d.members == nil {
					return nil
				}
			}
			least, err := o.least(ctx, in, dir)
			n := pieces(in, max(target, least))
			if packed && least > target {
				d.members = split(in, dir, n)
			}
			if !packed {
				d.equal = n
			}
			mu.Lock()
			defer mu.Unlock()
			cuts[i] = d
			return err
		})
	}
	return cuts, g.Wait()
}

// least asks o.Least about a file. One that cannot be read is not cut: whoever reads it
// makes a row of that, or says that it has changed.
func (o *PlanOptions) least(ctx context.Context, in *Input, dir string) (int64, error) {
	if o.Least == nil {
		return 1, nil
	}
	var head []byte
	f, err := Open(ctx, &Range{Dir: dir}, &Piece{Input: *in, End: in.Size})
	if err == nil {
		defer f.Close()
		head, err = f.Head()
	}
	var fault *Error
	switch {
	case err == nil:
		return o.Least(in, head), nil
	case errors.As(err, &fault) && fault.Kind != Transient:
		return in.Size, nil
	}
	return 0, fmt.Errorf("reading the beginning of %w", err)
}

// Ranges yields the ranges in order. It may be called more than once. The last pair has
// the error, if any.
func (p *Plan) Ranges() iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		k := 0
		for pieces, err := range p.pieces {
			if !yield(Range{K: k, N: len(p.Sizes), Dir: p.Dir, Pieces: pieces}, err) || err != nil {
				return
			}
			k++
		}
	}
}

// Inputs yields the input files in order, as Ranges does ranges.
func (p *Plan) Inputs() iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		for pieces, err := range p.pieces {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range pieces {
				if pieces[i].Start == pieces[i].Tail && !yield(&pieces[i].Input, nil) {
					return
				}
			}
		}
	}
}

// pieces returns the number of pieces of a file, if it can be cut anywhere.
func pieces(in *Input, target int64) int64 {
	size := in.Size - in.Tail
	if in.compression() == bzipped || in.Gzip || !in.In.cuttable() || target >= size {
		return 1
	}
	return max(1, (size+target/2)/target)
}

// A planSum computes a plan's digest range by range.
type planSum struct{ h fieldHash }

func newPlanSum(ranges int) planSum {
	s := planSum{fieldHash{sha256.New()}}
	s.h.int(int64(ranges))
	return s
}

func (s planSum) add(r *Range) {
	s.h.int(int64(len(r.Pieces)))
	for i := range r.Pieces {
		p := &r.Pieces[i]
		s.h.string(p.URI)
		s.h.string(p.DocID)
		s.h.string(p.Version)
		s.h.int(p.Size)
		s.h.int(p.Start)
		s.h.int(p.End)
		if p.Gzip {
			s.h.string("gzip")
		}
		if m := p.In; m != nil {
			s.h.string("in")
			s.h.string(m.Version)
			for _, n := range []int64{m.Size, m.At, m.Packed, int64(m.CRC)} {
				s.h.int(n)
			}
		}
		if p.From > 0 || p.To > 0 {
			s.h.int(p.From)
			s.h.int(p.To)
		}
	}
}

func (s planSum) digest() string { return hex.EncodeToString(s.h.Sum(nil)) }

// Fingerprint returns the run's fingerprint, 64 hexadecimal digits: a digest of the
// plan and of parts, which must hold everything else that changes rows in canonical
// form: the options, the model's digest, the format version.
func (p *Plan) Fingerprint(parts ...string) string {
	h := fieldHash{sha256.New()}
	h.string("treebeam run")
	h.string(p.Digest)
	for _, s := range parts {
		h.string(s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A fieldHash hashes fields so that no two lists of them give the same bytes.
type fieldHash struct{ hash.Hash }

func (h fieldHash) int(v int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	h.Write(b[:])
}

func (h fieldHash) string(s string) {
	h.int(int64(len(s)))
	h.Write([]byte(s))
}

// PlanName is the base name of the plan's file, "plan-<fp>.jsonl.zst".
func PlanName(fp string) string { return "plan-" + strings.ToLower(fp) + ".jsonl.zst" }

// planVersion is the version of the plan file's format.
const planVersion = 1

// planHeader is the first line of a plan file; a line for each range follows.
type planHeader struct {
	Plan       int    `json:"treebeam_plan"`
	Dir        string `json:"dir"`
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`
	RangeBytes int64  `json:"range_bytes"`
	Ranges     int    `json:"ranges"`
	Digest     string `json:"digest"`
}

// base64Path marks a path that JSON cannot hold. Paths are absolute, so that
// none begins like this.
const base64Path = "base64:"

// Write writes the plan to path, which may be a URI, whole or not at all. On a local
// disk it is first written to a temporary file in tmp ("" is the folder of path). The
// file holds a header line and a line of JSON for each range.
func (p *Plan) Write(ctx context.Context, path, tmp string) error {
	if err := store.Write(ctx, path, store.Options{Expect: store.Anything, Temp: tmp}, p.encode); err != nil {
		return fmt.Errorf("writing the plan %s: %w", path, err)
	}
	return nil
}

func (p *Plan) encode(w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	if err := e.Encode(planHeader{planVersion, encodePath(p.Dir), p.Files, p.Bytes, p.RangeBytes, len(p.Sizes), p.Digest}); err != nil {
		return err
	}
	for r, err := range p.Ranges() {
		if err != nil {
			return err
		}
		r.Pieces = slices.Clone(r.Pieces)
		for j := range r.Pieces {
			r.Pieces[j].Path = encodePath(r.Pieces[j].Path)
		}
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return z.Close()
}

func encodePath(p string) string {
	if utf8.ValidString(p) {
		return p
	}
	return base64Path + base64.StdEncoding.EncodeToString([]byte(p))
}

func decodePath(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, base64Path)
	if !ok {
		return p, nil
	}
	b, err := base64.StdEncoding.DecodeString(rest)
	return string(b), err
}

// ReadPlan reads a whole plan file and checks it against its digest. Ranges reads it
// again.
func ReadPlan(ctx context.Context, uri string) (*Plan, error) {
	p := new(Plan)
	err := readPlan(ctx, uri, p, func(r Range) bool {
		p.Sizes = append(p.Sizes, r.Bytes())
		return true
	})
	if err != nil {
		return nil, err
	}
	p.pieces = func(yield func([]Piece, error) bool) {
		for r, err := range PlanRanges(ctx, uri) {
			if !yield(r.Pieces, err) {
				return
			}
		}
	}
	return p, nil
}

// PlanRanges yields the ranges of a plan file in order without holding them
// all. It ends with an error if the file is damaged or incomplete.
func PlanRanges(ctx context.Context, uri string) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		if err := readPlan(ctx, uri, new(Plan), func(r Range) bool { return yield(r, nil) }); err != nil {
			yield(Range{}, err)
		}
	}
}

// PlanRange returns range k of a plan file, which it reads up to there.
func PlanRange(ctx context.Context, uri string, k int) (r Range, err error) {
	found := false
	err = readPlan(ctx, uri, new(Plan), func(next Range) bool {
		r, found = next, next.K == k
		return !found
	})
	if err == nil && !found {
		err = fmt.Errorf("the plan %s has no range %d", uri, k)
	}
	return r, err
}

// readPlan reads a plan file: first the part about all ranges, into p, then the ranges,
// until yield returns false.
func readPlan(ctx context.Context, uri string, p *Plan, yield func(Range) bool) error {
	f, _, err := store.OpenFile(ctx, uri)
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(&contextReader{ctx, f}, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err == nil {
		defer z.Close()
		err = decodePlan(bufio.NewReader(z), p, yield)
	}
	if err != nil {
		return fmt.Errorf("the plan %s cannot be read: %w; delete it and run the same command again", uri, err)
	}
	return nil
}

// decodePlan is readPlan without the compression.
func decodePlan(r io.Reader, p *Plan, yield func(Range) bool) error {
	d := json.NewDecoder(r)
	var h planHeader
	if err := decodeLine(d, &h); err != nil {
		return err
	}
	if h.Plan != planVersion {
		return fmt.Errorf("it is not a plan of version %d", planVersion)
	}
	dir, err := decodePath(h.Dir)
	if err != nil {
		return err
	}
	p.Dir, p.Files, p.Bytes, p.RangeBytes, p.Digest = dir, h.Files, h.Bytes, h.RangeBytes, h.Digest
	sum := newPlanSum(h.Ranges)
	for k := range h.Ranges {
		var rng Range
		if err := decodeLine(d, &rng); err != nil {
			return err
		}
		if err := checkRange(&rng, k, h.Ranges); err != nil {
			return err
		}
		rng.Dir = dir
		sum.add(&rng)
		if k == h.Ranges-1 && sum.digest() != h.Digest {
			return errors.New("its digest is wrong")
		}
		if !yield(rng) {
			return nil
		}
	}
	if err := d.Decode(&h); err != io.EOF {
		return errors.New("there is something after the last range")
	}
	return nil
}

// decodeLine decodes a value that must be there.
func decodeLine(d *json.Decoder, v any) error {
	err := d.Decode(v)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// checkRange checks what later code relies on, and restores paths.
func checkRange(r *Range, k, n int) error {
	if r.K != k || r.N != n || len(r.Pieces) == 0 || len(r.Pieces) > MaxPack {
		return fmt.Errorf("range %d of %d is not what it should be", k, n)
	}
	for i := range r.Pieces {
		p := &r.Pieces[i]
		if p.URI == "" || p.Tail < 0 || p.Start < p.Tail || p.Start > p.End || p.End > p.Size || len(r.Pieces) > 1 && p.Bytes() < p.Size-p.Tail ||
			p.In != nil && (p.In.At < 0 || p.In.Packed < 0 || p.In.Size < 0) || p.Before.At < 0 || p.Before.From < 0 || p.Before.From > p.From || p.To != 0 && p.To <= p.From {
			return fmt.Errorf("piece %d of range %d is not what it should be", i, k)
		}
		var err error
		if p.Path, err = decodePath(p.Path); err != nil {
			return err
		}
	}
	return nil
}
