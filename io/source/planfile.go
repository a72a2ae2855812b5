package source

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/treebeam/treebeam/io/store"
)

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

// Write writes the plan to path, which may be a URI, all of it or nothing.
// On a local disk it is first written to a temporary file in tmp ("" is the
// folder of path). The file holds a header line and a line of JSON for each
// range.
func (p *Plan) Write(ctx context.Context, path, tmp string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, name, err := store.Of(ctx, path)
	if err != nil {
		return err
	}
	f, err := s.Create(ctx, name, store.Options{Expect: store.Anything, Temp: tmp})
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	defer f.Abort()
	if err := p.encode(f); err != nil {
		return fmt.Errorf("writing the plan %s: %w", path, err)
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}

func (p *Plan) encode(w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	err = e.Encode(planHeader{planVersion, encodePath(p.Dir), p.Files, p.Bytes, p.RangeBytes, len(p.Ranges), p.Digest()})
	for i := 0; i < len(p.Ranges) && err == nil; i++ {
		r := p.Ranges[i]
		r.Pieces = append([]Piece(nil), r.Pieces...)
		for j := range r.Pieces {
			r.Pieces[j].Path = encodePath(r.Pieces[j].Path)
		}
		err = e.Encode(r)
	}
	if err != nil {
		z.Close()
		return err
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

// ReadPlan reads a whole plan file and checks it against its digest.
func ReadPlan(ctx context.Context, uri string) (*Plan, error) {
	var p *Plan
	for r, err := range readPlanFile(ctx, uri, func(h *planHeader) {
		p = &Plan{Dir: h.Dir, Files: h.Files, Bytes: h.Bytes, RangeBytes: h.RangeBytes}
	}) {
		if err != nil {
			return nil, err
		}
		p.Ranges = append(p.Ranges, r)
	}
	return p, nil
}

// PlanRanges yields the ranges of a plan file in order without holding them
// all. It ends with an error if the file is damaged or incomplete.
func PlanRanges(ctx context.Context, uri string) iter.Seq2[Range, error] {
	return readPlanFile(ctx, uri, func(*planHeader) {})
}

func readPlanFile(ctx context.Context, uri string, header func(*planHeader)) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		f, _, err := store.OpenFile(ctx, uri)
		if err != nil {
			yield(Range{}, fmt.Errorf("reading the plan: %w", err))
			return
		}
		defer f.Close()
		for r, err := range decodePlan(&contextReader{ctx, f}, header) {
			if err != nil {
				err = fmt.Errorf("the plan %s cannot be read: %w; delete it and run the same command again", uri, err)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// decodePlan yields the ranges of an encoded plan. The pair with an error is
// the last.
func decodePlan(r io.Reader, header func(*planHeader)) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			yield(Range{}, err)
			return
		}
		defer z.Close()
		decodeLines(bufio.NewReader(z), header)(yield)
	}
}

// decodeLines is decodePlan without the compression.
func decodeLines(r io.Reader, header func(*planHeader)) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		d := json.NewDecoder(r)
		var h planHeader
		if err := decodeLine(d, &h); err != nil {
			yield(Range{}, err)
			return
		}
		if h.Plan != planVersion {
			yield(Range{}, fmt.Errorf("it is no plan of version %d", planVersion))
			return
		}
		var err error
		if h.Dir, err = decodePath(h.Dir); err != nil {
			yield(Range{}, err)
			return
		}
		header(&h)
		sum := newPlanSum(h.Ranges)
		for k := range h.Ranges {
			var rng Range
			err := decodeLine(d, &rng)
			if err == nil {
				err = checkRange(&rng, k, h.Ranges)
			}
			if err != nil {
				yield(Range{}, err)
				return
			}
			rng.Dir = h.Dir
			sum.add(&rng)
			if k == h.Ranges-1 && sum.digest() != h.Digest {
				yield(Range{}, errors.New("its digest is wrong"))
				return
			}
			if !yield(rng, nil) {
				return
			}
		}
		if err := d.Decode(&h); err != io.EOF {
			yield(Range{}, errors.New("there is something after the last range"))
		}
	}
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
		if p.URI == "" || p.Start < 0 || p.Start > p.End || p.End > p.Size || len(r.Pieces) > 1 && !p.Whole() {
			return fmt.Errorf("piece %d of range %d is not what it should be", i, k)
		}
		var err error
		if p.Path, err = decodePath(p.Path); err != nil {
			return err
		}
	}
	return nil
}
