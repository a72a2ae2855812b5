package source

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
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
	Dir        string // what relative URIs are relative to; "" is the working directory
}

// A Plan is the list of all ranges of a run.
type Plan struct {
	Dir        string // absolute, or "" if there was none; what relative URIs are relative to
	Files      int
	Bytes      int64 // of all files, as stored
	RangeBytes int64 // the target size
	Ranges     []Range
}

// NewPlan cuts the inputs, which must be in List's order, into ranges. It
// opens no file. A plan of no inputs has no ranges.
//
// A plain file of at least one and a half times the target is cut into equal
// pieces of about the target; anything else goes, whole, into the current pack
// until that has the target size or MaxPack files.
func NewPlan(inputs []Input, o PlanOptions) (*Plan, error) {
	if o.RangeBytes < 0 {
		return nil, fmt.Errorf("range size of %d bytes: must be positive, or 0 to choose one", o.RangeBytes)
	}
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &Plan{Dir: dir, Files: len(inputs), RangeBytes: o.RangeBytes}
	for i := range inputs {
		p.Bytes += inputs[i].Size
	}
	if p.RangeBytes == 0 {
		p.RangeBytes = min(max(p.Bytes/256, MinRange), MaxRange)
	}
	var pack []Piece
	var packed int64
	flush := func() {
		if len(pack) > 0 {
			p.Ranges = append(p.Ranges, Range{Pieces: pack})
			pack, packed = nil, 0
		}
	}
	for i := range inputs {
		in := &inputs[i]
		if n := pieces(in, p.RangeBytes); n > 1 {
			flush()
			for j := range n {
				start, end := in.Size/n*j, in.Size/n*(j+1)
				if j == n-1 {
					end = in.Size
				}
				p.Ranges = append(p.Ranges, Range{Pieces: []Piece{piece(in, start, end)}})
			}
			continue
		}
		if packed+in.Size > p.RangeBytes || len(pack) == MaxPack {
			flush()
		}
		pack, packed = append(pack, piece(in, 0, in.Size)), packed+in.Size
	}
	flush()
	for k := range p.Ranges {
		p.Ranges[k].K, p.Ranges[k].N, p.Ranges[k].Dir = k, len(p.Ranges), dir
	}
	return p, nil
}

// pieces returns the number of pieces of a file.
func pieces(in *Input, target int64) int64 {
	if compressionOf(in.URI) != plain || in.Gzip || strings.HasPrefix(in.Version, spooled) {
		return 1 // spooled input may be compressed: its name does not tell
	}
	return max(1, (in.Size+target/2)/target)
}

func piece(in *Input, start, end int64) Piece {
	return Piece{URI: in.URI, DocID: in.DocID, Size: in.Size, Version: in.Version, Path: in.Path, Gzip: in.Gzip, Start: start, End: end}
}

// Digest is the SHA-256, in hexadecimal, of everything in the plan that can
// change rows: all but the directory and the spool paths.
func (p *Plan) Digest() string {
	s := newPlanSum(len(p.Ranges))
	for i := range p.Ranges {
		s.add(&p.Ranges[i])
	}
	return s.digest()
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
	}
}

func (s planSum) digest() string { return hex.EncodeToString(s.h.Sum(nil)) }

// Fingerprint returns the run's fingerprint, 64 hexadecimal digits, of the
// plan and of what else changes rows, in canonical form: the options, the
// model's digest, the format version.
func (p *Plan) Fingerprint(parts ...string) string {
	h := fieldHash{sha256.New()}
	h.string("treebeam run")
	h.string(p.Digest())
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
