package model

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"github.com/treebeam/treebeam/io/sections"
)

// URIs of the English models inside the program. "" means Default().
const (
	Embedded         = "embedded"          // the fast one
	EmbeddedAccurate = "embedded-accurate" // with an encoder
)

// Default returns the URI of the English model that a program uses unless another is named:
// EmbeddedAccurate, or Embedded if the program does not include the accurate model.
func Default() string {
	if accurate == "" {
		return Embedded
	}
	return EmbeddedAccurate
}

// ErrNoAccurate is in the error of Open for EmbeddedAccurate if the program does not
// include it.
var ErrNoAccurate = errors.New(noAccurate)

// ErrMany is in the error for a world that is opened as a model.
var ErrMany = errors.New("it has many languages")

// IsEmbedded reports whether a URI names a model, or a world, inside the program.
func IsEmbedded(uri string) bool {
	return isEnglish(uri) || uri == EmbeddedWorld || strings.HasPrefix(uri, EmbeddedWorld+":")
}

func isEnglish(uri string) bool { return uri == "" || uri == Embedded || uri == EmbeddedAccurate }

// The embedded English model is english.tbm, written by `make model`, and its
// calibrator english.cal, written by `make calibrate` and bound to it. They are
// strings, so that the linker keeps them read-only. An empty file is none.
var (
	//go:embed english.tbm
	english string
	//go:embed english.cal
	calibrator string
)

// Opened files are never closed: every use of a model may alias the bytes of its file, and
// a process works with a handful at most.
type files[T any] struct {
	sync.Mutex
	open map[string]opened[T] // by absolute path
}

// An opened file is what was in it when it looked like info.
type opened[T any] struct {
	info os.FileInfo
	of   T
}

// file maps a file, unless it was opened and has not changed since. load makes of its bytes
// what the cache keeps, and reports whether that aliases them. The lock is held.
func (x *files[T]) file(path string, load func(data []byte) (of T, aliased bool, err error)) (of T, err error) {
	f, info, err := openRegular(path)
	if err != nil {
		return of, err
	}
	defer f.Close()
	if old := x.open[path]; old.info != nil && os.SameFile(old.info, info) && old.info.Size() == info.Size() &&
		old.info.ModTime().Equal(info.ModTime()) {
		return old.of, nil
	}
	if info.Size() == 0 {
		return of, sections.Check(nil)
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return of, fmt.Errorf("mapping it: %w", err)
	}
	of, aliased, err := load(data)
	if err != nil || !aliased {
		data.Unmap()
	}
	if err == nil {
		x.open[path] = opened[T]{info, of}
	}
	return of, err
}

// shared is the process-wide cache of models. It also has the embedded ones, by URI.
var shared = struct {
	files[*Model]
	models map[string]*Model // by digest
}{files[*Model]{open: map[string]opened[*Model]{}}, map[string]*Model{}}

var loads atomic.Int64

// Loads returns how many models this process has loaded. Opening a model that is in the
// cache does not count.
func Loads() int64 { return loads.Load() }

// Open returns the model of a URI: "", Embedded, EmbeddedAccurate, a path, a file:// URI,
// or a language of a world (EmbeddedWorld). Every model is loaded and checked once per
// process; later calls return the same *Model, even under another name. A file is
// mapped, not read: to replace it, rename another file over it, and never write into
// it. Errors are not cached. They name the file and say what to do. Open is safe for
// concurrent use.
func Open(uri string) (*Model, error) {
	if world, code, ok := languageOf(uri); ok {
		return openLanguageOf(uri, world, code)
	}
	if uri == EmbeddedWorld {
		return nil, fmt.Errorf("model %s: %w: name one, as in %s:de", uri, ErrMany, uri)
	}
	shared.Lock()
	defer shared.Unlock()
	if isEnglish(uri) {
		return openEmbedded(cmp.Or(uri, Default()) == EmbeddedAccurate)
	}
	path, err := localPath(uri)
	if err != nil {
		return nil, err
	}
	m, err := shared.file(path, func(data []byte) (*Model, bool, error) {
		before := len(shared.models)
		m, err := cached(data, extra{})
		return m, len(shared.models) > before, err
	})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", uri, err)
	}
	return m, nil
}

// BuiltIn returns the embedded model with a digest, and its URI, or nil if there is
// none. It opens embedded models until it has found it.
func BuiltIn(digest string) (uri string, m *Model) {
	for _, uri := range []string{Embedded, EmbeddedAccurate} {
		if m, err := Open(uri); err == nil && m.Digest == digest {
			return uri, m
		}
	}
	return "", nil
}

// OpenBytes is Open for the bytes of a model file, for instance from an object store.
// data must not change afterwards.
func OpenBytes(data []byte) (*Model, error) {
	shared.Lock()
	defer shared.Unlock()
	return cached(aligned(data), extra{})
}

func openEmbedded(encoder bool) (*Model, error) {
	uri, more := Embedded, extra{calibrator: bytesOf(calibrator)}
	if encoder {
		uri, more.overlay, more.overlayCalibrator = EmbeddedAccurate, bytesOf(accurate), bytesOf(accurateCalibrator)
	}
	if m, ok := shared.open[uri]; ok {
		return m.of, nil
	}
	if encoder && accurate == "" {
		return nil, ErrNoAccurate
	}
	if english == "" {
		return nil, fmt.Errorf("this program was built without the English model: name a model with --model FILE, or run make model and build again")
	}
	m, err := cached(bytesOf(english), more)
	if err != nil {
		return nil, fmt.Errorf("%s model: %w", uri, err)
	}
	shared.open[uri] = opened[*Model]{of: m}
	return m, nil
}

// openRegular opens a file that can be mapped. The caller closes it.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: check the name of the model", err)
	}
	if info.IsDir() {
		return nil, nil, fmt.Errorf("this is a folder: name the model file in it")
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, nil, fmt.Errorf("this is a pipe or a device: a model is mapped, so it must be a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: check the name of the model", err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
	}
	return f, info, err
}

// An extra is what belongs to a model and has files of its own: a calibrator, an
// overlay, and the overlay's calibrator. Each may be empty, that is, absent.
type extra struct{ calibrator, overlay, overlayCalibrator []byte }

// cached returns the model of data and what belongs to it, loading it if it is
// not there yet. The cache's lock is held.
func cached(data []byte, more extra) (*Model, error) {
	if err := sections.Check(data); err != nil {
		return nil, err // cheaper than the digest, and says more
	}
	sum := sha256.New()
	add := func(part []byte) string {
		sum.Write(part)
		return hex.EncodeToString(sum.Sum(nil))
	}
	own, overlaid := add(data), add(more.overlay)
	add(more.calibrator)
	digest := add(more.overlayCalibrator)
	if m := shared.models[digest]; m != nil {
		return m, nil
	}
	f, err := Decode(data)
	if err == nil {
		err = f.calibrate(more.calibrator, own)
	}
	if err == nil && len(more.overlay) > 0 {
		f, err = f.Overlay(more.overlay, own)
	}
	if err == nil {
		err = f.calibrate(more.overlayCalibrator, overlaid)
	}
	if err != nil {
		return nil, err
	}
	m, err := New(f)
	if err != nil {
		return nil, err
	}
	m.Digest, m.Size = digest, len(data)+len(more.calibrator)+len(more.overlay)+len(more.overlayCalibrator)
	loads.Add(1)
	shared.models[digest] = m
	return m, nil
}

// OpenOverlay opens the file of a sparse model together with an overlay that was made
// for it, without their calibrators. The digest covers both files.
func OpenOverlay(sparse, overlay string) (*Model, error) {
	data, err := os.ReadFile(sparse)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	more, err := os.ReadFile(overlay)
	if err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	shared.Lock()
	defer shared.Unlock()
	m, err := cached(aligned(data), extra{overlay: aligned(more)})
	if err != nil {
		return nil, fmt.Errorf("model %s with %s: %w", sparse, overlay, err)
	}
	return m, nil
}

// localPath returns the absolute path that a URI names.
func localPath(uri string) (string, error) {
	path := uri
	if scheme, _, ok := strings.Cut(uri, "://"); ok {
		u, err := url.Parse(uri)
		if err != nil || scheme != "file" || u.Host != "" && u.Host != "localhost" {
			return "", fmt.Errorf("model %s: only local files can be opened: copy it here and name its path", uri)
		}
		path = u.Path
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("model %s: %w", uri, err)
	}
	return path, nil
}

// bytesOf returns the bytes of a string, aligned; they must not be changed.
func bytesOf(s string) []byte { return aligned(unsafe.Slice(unsafe.StringData(s), len(s))) }

// aligned returns data, or a copy if it does not start at a multiple of 8:
// that serves every element, for offsets in a file are multiples of 64.
func aligned(data []byte) []byte {
	if len(data) == 0 || uintptr(unsafe.Pointer(&data[0]))%8 == 0 {
		return data
	}
	words := make([]uint64, (len(data)+7)/8)
	out := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(data))
	copy(out, data)
	return out
}

// Digest returns the SHA-256 of the bytes of a model file, in hexadecimal. Models are
// cached and recorded under it.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
