package source

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds of an archive. One that exceeds them is not read.
const (
	maxMembers = 100_000
	maxNames   = 16 << 20 // bytes of the names of all members, or of the directory of zip
	maxName    = 4 << 10
	// keptMembers is how many members of compressed tars a process keeps: a watch lists its
	// input again and again.
	keptMembers = 20_000
	// An archive may be expanded to expandTimes its bytes, or expandAlways if that is more.
	expandTimes  = 200
	expandAlways = 1 << 30
)

// InArchive is what stands between the name of an archive and that of a member: in URIs of
// Java's archives, it stands there, too.
const InArchive = "!/"

// A Place is where an archive has the bytes of a member. For readers, the member is a file
// of its own, of so many bytes as it has when it is unpacked.
type Place struct {
	Size    int64  `json:"size"`    // of the archive
	Version string `json:"version"` // likewise, as in Input
	Gzip    bool   `json:"gzip,omitempty"`
	// At is where the member begins: in the archive or, in a compressed tar, after
	// decompression.
	At     int64  `json:"at"`
	Packed int64  `json:"packed,omitempty"` // stored bytes of a member that is deflated; else 0
	Zip    bool   `json:"zip,omitempty"`
	CRC    uint32 `json:"crc,omitempty"`    // CRC-32 of a member of zip
	Stream bool   `json:"stream,omitempty"` // the archive is a compressed tar
	// Reason, unless it is "", says why the member, or the whole archive, cannot be read.
	Reason string      `json:"reason,omitempty"`
	Kind   syntax.Kind `json:"kind,omitempty"`
}

// cuttable reports whether the member may be read in pieces. A member of zip has a sum
// that only a reader of the whole can check.
func (m *Place) cuttable() bool { return m == nil || !m.Zip && !m.Stream && m.Reason == "" }

// sliced reports whether the member's bytes are in the archive as they are.
func (m *Place) sliced() bool { return m == nil || m.Packed == 0 && !m.Stream }

// isArchive reports whether a file is an archive by its name.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	if compressionOf(name) != plain {
		return strings.HasSuffix(name, ".tgz") || strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), ".tar")
	}
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tar")
}

// SamePlace reports whether two members with the same name are at the same place of an
// archive in the same state. Files that are in no archive are.
func (in *Input) SamePlace(other *Input) bool {
	if in.In == nil || other.In == nil {
		return in.In == other.In
	}
	return *in.In == *other.In
}

// file is the stored file that the input is, or is in.
func (in *Input) file() (size int64, version string) {
	if in.In != nil {
		return in.In.Size, in.In.Version
	}
	return in.Size, in.Version
}

// addArchive adds the members of an archive, which was found with a name below root, and
// what is wrong with it as one more input.
func (l *lister) addArchive(root, name string, archive Input) {
	members, err := listArchive(l.ctx, l.dir, &archive)
	var fault *Error
	if err != nil && (!errors.As(err, &fault) || fault.Kind != Permanent) {
		l.err = cmp.Or(l.err, fmt.Errorf("listing what is in %w", err))
		return
	}
	place := archive.stored()
	if !store.IsRemote(place) {
		place = l.resolve(place)
	}
	for i := range members {
		m := members[i]
		uri := archive.URI + InArchive + escape(m.name, isInvalid)
		if hides(m.name) || l.excludesAny(root, uri) {
			continue
		}
		if m.lost && fault == nil {
			fault = irregular(&archive, "two of its members are called %q, and only the last is read; give them different names", m.name)
		}
		l.insert(place+"\x00"+m.name, Input{URI: uri, Size: m.size, Version: m.version, Path: archive.stored(), In: &m.Place},
			name+InArchive+m.name)
	}
	if fault != nil {
		broken := archive
		why := syntax.Fault{Kind: syntax.KindDamaged, Reason: fault.Err.Error()}
		errors.As(fault, &why)
		broken.In = &Place{Size: archive.Size, Version: archive.Version, Gzip: archive.Gzip, Reason: why.Reason, Kind: why.Kind}
		broken.Path = archive.stored()
		l.insert(place, broken, name)
	}
}

// hides reports whether a member is skipped, as a file with such a name is in folders.
func hides(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if isHidden(part) {
			return true
		}
	}
	return false
}

// A member is a file in an archive.
type member struct {
	Place
	name    string // cleaned, not empty
	size    int64  // unpacked
	version string
	lost    bool // a member of zip with other bytes has the same name and comes before it
}

// members are those of an archive so far.
type members struct {
	archive *Input
	most    int64 // bytes that it may expand to
	list    []member
	places  map[string]int // in list, by name
	names   int            // their bytes
	size    int64          // unpacked
}

// add adds a member. The last of several with the same name counts, as when an archive is
// unpacked. That is how a tar is updated, but not a zip.
func (l *members) add(m member) error {
	m.name = strings.TrimPrefix(path.Clean("/"+m.name), "/")
	if m.size < 0 || m.size > l.most-l.size {
		return irregular(l.archive, "its members have over %d bytes, %d times as many as it has itself; extract those that are wanted", l.most, expandTimes)
	}
	l.size += m.size
	if l.names += len(m.name); len(l.list) == maxMembers || l.names > maxNames {
		return irregular(l.archive, "it has over %d members, or %d MB of their names; make smaller archives", maxMembers, maxNames>>20)
	}
	switch {
	case m.name == "":
		return nil
	case len(m.name) > maxName:
		return irregular(l.archive, "the name of a member has %d bytes, the limit is %d", len(m.name), maxName)
	}
	m.Size, m.Place.Version, m.Gzip = l.archive.Size, l.archive.Version, l.archive.Gzip
	if i, ok := l.places[m.name]; ok {
		before := &l.list[i]
		m.lost = m.Zip && (before.lost || before.CRC != m.CRC || before.size != m.size)
		l.list[i] = m
		return nil
	}
	l.places[m.name] = len(l.list)
	l.list = append(l.list, m)
	return nil
}

func irregular(archive *Input, format string, a ...any) *Error {
	return permanent(archive.URI, 0, syntax.KindIrregular, format, a...)
}

// listArchive lists the members of an archive, which is relative to dir. Members that it
// has found before an error are returned with it. The directory of a zip and the beginning
// of each of its members are read, all headers of a tar, and all bytes of a compressed one.
func listArchive(ctx context.Context, dir string, archive *Input) ([]member, error) {
	most := max(expandAlways, min(archive.Size, math.MaxInt64/expandTimes)*expandTimes)
	l := &members{archive: archive, most: most, places: map[string]int{}}
	f, err := Open(ctx, &Range{Dir: dir}, &Piece{Input: *archive, End: archive.Size})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if strings.HasSuffix(strings.ToLower(archive.URI), ".zip") {
		err = l.zip(f)
		return l.list, err
	}
	if f.comp == plain {
		err = l.tar(f)
		return l.list, err
	}
	listedTars.Lock()
	defer listedTars.Unlock()
	if list, ok := listedTars.members[f.state()]; ok {
		return list, nil
	}
	err = l.tar(f)
	if err == nil && len(l.list) <= keptMembers {
		if listedTars.kept += len(l.list); listedTars.kept > keptMembers {
			listedTars.members, listedTars.kept = map[string][]member{}, len(l.list)
		}
		listedTars.members[f.state()] = l.list
	}
	return l.list, err
}

// listedTars are the members of compressed tars by File.state.
var listedTars = struct {
	sync.Mutex
	members map[string][]member
	kept    int
}{members: map[string][]member{}}

// zip lists the members of a zip archive.
func (l *members) zip(f *File) error {
	f.comp = plain // whatever a store says
	random, err := f.Random()
	if err != nil {
		return err
	}
	directory := &boundedReader{random, maxNames + 1<<17} // its end is looked for in some more bytes
	z, err := zip.NewReader(directory, l.archive.Size)
	if directory.left < 0 {
		return irregular(l.archive, "its directory has over %d MB; make smaller archives", maxNames>>20)
	}
	if err != nil {
		return l.broken(err)
	}
	directory.left = math.MaxInt64
	packed := uint64(0)
	for _, file := range z.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		m := member{name: file.Name, size: int64(file.UncompressedSize64), version: fmt.Sprintf("z%08x-%d", file.CRC32, file.Modified.Unix())}
		m.Zip, m.CRC = true, file.CRC32
		begin, err := file.DataOffset()
		if fault := new(Error); errors.As(err, &fault) && fault.Kind != Permanent {
			return err
		}
		size := uint64(l.archive.Size)
		switch m.At = begin; {
		case file.Flags&1 != 0:
			m.Kind, m.Reason = syntax.KindIrregular, "the member is encrypted; extract it first"
		case err != nil || file.CompressedSize64 > size || uint64(begin) > size-file.CompressedSize64 ||
			file.Method == zip.Store && file.CompressedSize64 != file.UncompressedSize64,
			file.CompressedSize64 == 0 && file.UncompressedSize64 > 0:
			m.Kind, m.Reason = syntax.KindDamaged, "the archive says of the member what cannot be; make the archive again"
		case !file.Mode().IsRegular():
			m.Kind, m.Reason = syntax.KindIrregular, "the member is a link or a device, not a file"
		case file.Method == zip.Deflate: // an empty file may have no packed bytes
			m.Packed = int64(file.CompressedSize64)
		case file.Method != zip.Store:
			m.Kind, m.Reason = syntax.KindIrregular, fmt.Sprintf("the member is compressed by method %d of zip, not by deflate; extract it first", file.Method)
		}
		if m.Reason != "" {
			m.size = 0
		} else if packed += file.CompressedSize64; packed > size {
			return irregular(l.archive, "its members overlap, as in archives made to expand without end")
		}
		if err := l.add(m); err != nil {
			return err
		}
	}
	return nil
}

// tar lists the members of a tar archive.
func (l *members) tar(f *File) error {
	stream := f.comp != plain
	var in io.Reader
	var at func() int64
	if stream {
		r, err := f.At(0)
		if err != nil {
			return err
		}
		counted := &countingReader{r: r, most: l.most}
		in, at = counted, func() int64 { return counted.n }
	} else {
		random, err := f.Random()
		if err != nil {
			return err
		}
		section := io.NewSectionReader(random, 0, l.archive.Size)
		in = section
		at = func() int64 { n, _ := section.Seek(0, io.SeekCurrent); return n }
	}
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return l.broken(err)
		}
		m := member{name: h.Name, size: h.Size, version: fmt.Sprintf("t%d", h.ModTime.UnixNano())}
		m.At, m.Stream = at(), stream
		sparse := h.Typeflag == tar.TypeGNUSparse
		for key := range h.PAXRecords {
			sparse = sparse || strings.HasPrefix(key, "GNU.sparse.")
		}
		switch {
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case sparse:
			m.Reason = "the member has holes (a sparse file); extract it first"
		case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse:
			m.Reason = "the member is a link or a device, not a file"
		case !stream && m.size > l.archive.Size-m.At:
			return permanent(l.archive.URI, 0, syntax.KindTruncated, "the archive ends within the member %q; fetch or make it again", m.name)
		}
		if m.Reason != "" {
			m.Kind, m.size = syntax.KindIrregular, 0
		}
		if err := l.add(m); err != nil {
			return err
		}
	}
}

// broken is the error of an archive that cannot be listed to its end.
func (l *members) broken(err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errExpands):
		return irregular(l.archive, "it expands to over %d times its bytes; extract those members that are wanted", expandTimes)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return permanent(l.archive.URI, 0, syntax.KindTruncated, "the archive ends too early; fetch or make it again")
	}
	return permanent(l.archive.URI, 0, syntax.KindDamaged, "the archive is damaged, or not what the name says (%v); fetch or make it again", err)
}

var errExpands = errors.New("the archive expands too much")

// A countingReader counts the bytes that were read, up to a bound.
type countingReader struct {
	r       io.Reader
	n, most int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.n += int64(n); c.n > c.most {
		return n, errExpands
	}
	return n, err
}

// A boundedReader reads so many bytes more.
type boundedReader struct {
	io.ReaderAt
	left int64
}

func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errExpands
	}
	return b.ReaderAt.ReadAt(p, off)
}
