// Package store reads and writes files wherever they are: on the local disk (plain
// paths and file://) and, once their packages are imported, in object stores (gs://,
// s3://). Of returns the Store of a name. A Store hides the differences in publishing a
// file, in its versions and in faults.
//
//	s, name, err := store.Of(ctx, "gs://bucket/out/trees/part.parquet")
//	w, err := s.Create(ctx, name, store.Options{})
//	defer w.Abort()
//	...
//	err = w.Commit()
//
// No store shows a half-written file under its name.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

var (
	// ErrCondition says that a file was not published because Options.Expect did not
	// hold.
	ErrCondition = errors.New("another process has written the file meanwhile")
	// ErrCredentials says that the store does not accept the caller's credentials.
	// Unlike fs.ErrPermission, it is not about one file, and may occur during a run.
	ErrCredentials = errors.New("the credentials are not valid, or have expired; renew them")
	// ErrVersion says that the wanted version of a file is no longer there.
	ErrVersion = errors.New("the file has changed")
	// ErrNotRegular says that a local name belongs to a folder, a pipe or a device and
	// not to a file.
	ErrNotRegular = errors.New("not a regular file; copy it to one first")
)

// ErrNoBucket is the fs.ErrNotExist of a bucket.
var ErrNoBucket error = noBucket{}

type noBucket struct{}

func (noBucket) Error() string        { return "the bucket does not exist" }
func (noBucket) Is(target error) bool { return target == fs.ErrNotExist }

// A Store keeps files under names: the paths or URIs that Of returns. Several
// goroutines may call its methods at once. All methods except Open retry transient
// faults with the patience of DefaultRetry, so callers need not. Errors name the file
// and hold no credentials; they wrap fs.ErrNotExist, fs.ErrPermission, ErrCredentials,
// ErrCondition or ErrVersion where one of these is the cause.
type Store interface {
	// List yields the files, at any depth, whose names begin with prefix, in
	// the byte order of their names. The pair with an error is the last. If
	// there are none, it yields nothing.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Stat returns the Info of a file.
	Stat(ctx context.Context, name string) (Info, error)
	// Open reads the stored bytes [off, off+n) of a version of a file; version
	// "" is the newest, and n must be positive. The reader may end early or
	// with an error when the connection breaks: see Retry.
	Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error)
	// Create begins a file. Nothing is visible before Commit. The context
	// must live until then.
	Create(ctx context.Context, name string, o Options) (Writer, error)
	// Delete removes a file. It is not an error if the file does not exist.
	Delete(ctx context.Context, name string) error
}

// Info describes a file without its contents.
type Info struct {
	Name string // as Open takes it
	Size int64  // stored bytes
	// Version tells one state of a file from another: "m" and the modification
	// time in nanoseconds on a local disk, "g" and the generation in Google
	// Cloud Storage, "e" and the entity tag in S3.
	Version string
	// Gzip says that the store declares the bytes to be compressed
	// (Content-Encoding). They are listed, counted and read as stored.
	Gzip bool
}

// Options say how a file is created.
type Options struct {
	// Expect is the required state of the name at Commit: Absent, Anything, or the
	// version of the file to be replaced. On a local disk it is checked just before the
	// renaming, so two processes may still both succeed within microseconds.
	Expect string
	// Temp is the folder, on the same file system, where a local file is kept
	// until Commit; "" is the folder of the file. Object stores need none.
	Temp string
}

// Values of Options.Expect other than versions.
const (
	Absent   = ""
	Anything = "*"
)

// A Writer writes one file. It is not safe for concurrent use.
type Writer interface {
	io.Writer
	// Commit makes the file durable and visible, all of it. If Options.Expect does not
	// hold, the error is ErrCondition; a store may give nil instead if the name holds
	// these very bytes. After any error the name holds what it held before, with one
	// exception: if the answer of an object store was lost, the whole file may be
	// there.
	Commit() error
	// Abort drops what was written. After Commit it does nothing.
	Abort()
}

var registry = struct {
	sync.Mutex
	open map[string]func(context.Context) (Store, error)
}{open: map[string]func(context.Context) (Store, error){
	"": func(context.Context) (Store, error) { return Local{}, nil },
}}

// Register makes open the function that returns the Store of names "scheme://...". open
// is called whenever the store is needed, so it should keep what is expensive to make.
// The scheme "" is the local disk; only tests replace it.
func Register(scheme string, open func(context.Context) (Store, error)) {
	registry.Lock()
	defer registry.Unlock()
	registry.open[scheme] = open
}

// Of returns the store of a path or URI, and the file's name in it.
func Of(ctx context.Context, uri string) (Store, string, error) {
	scheme, rest, _ := cutScheme(uri)
	if scheme == "file" {
		scheme, uri = "", rest
	}
	registry.Lock()
	open := registry.open[scheme]
	registry.Unlock()
	if open == nil {
		return nil, "", Unsupported(uri)
	}
	s, err := open(ctx)
	return s, uri, err
}

// Unsupported is the error of a URI whose scheme no store answers for, or nil.
func Unsupported(uri string) error {
	scheme, _, _ := cutScheme(uri)
	registry.Lock()
	defer registry.Unlock()
	if scheme == "file" || registry.open[scheme] != nil {
		return nil
	}
	if scheme == "gs" || scheme == "s3" {
		return fmt.Errorf("%s:// is not supported by this program: it must import github.com/treebeam/treebeam/io/store/%[1]s for its effect", scheme)
	}
	return fmt.Errorf("%s:// is not supported; name gs://..., s3://... or a local path", scheme)
}

// IsRemote reports whether uri has a scheme other than file://: it names an
// object store, supported or not.
func IsRemote(uri string) bool {
	scheme, _, ok := cutScheme(uri)
	return ok && scheme != "file"
}

func cutScheme(uri string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(uri, "://")
	if !ok {
		return "", uri, false
	}
	return scheme, rest, true
}

// Join appends path elements to a folder, which may be a URI.
func Join(folder string, elements ...string) string {
	if !IsRemote(folder) {
		return filepath.Join(append([]string{strings.TrimPrefix(folder, "file://")}, elements...)...)
	}
	return strings.TrimRight(folder, "/") + "/" + path.Join(elements...)
}

// Within is the path of a listed file relative to the folder that holds it,
// with forward slashes.
func Within(folder, name string) string {
	return strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, folder)), "/")
}

// Split cuts the URI of an object into its bucket and the rest, which is ""
// for the bucket alone.
func Split(uri string) (bucket, object string, err error) {
	_, rest, _ := cutScheme(uri)
	bucket, object, _ = strings.Cut(rest, "/")
	if bucket == "" {
		return "", "", fmt.Errorf("%s names no bucket", uri)
	}
	return bucket, object, nil
}

// OpenFile opens the whole of a file as it is now. The reader retries transient faults.
// A pipe counts as an empty file: see CheckRegular.
func OpenFile(ctx context.Context, uri string) (io.ReadCloser, Info, error) {
	s, name, err := Of(ctx, uri)
	if err != nil {
		return nil, Info{}, err
	}
	for n := 1; ; n++ {
		info, err := s.Stat(ctx, name)
		if err != nil {
			return nil, Info{}, err
		}
		r, err := NewReader(ctx, s, info, 0, info.Size)
		if errors.Is(err, ErrVersion) && n < maxReplaced {
			continue // it was replaced meanwhile
		}
		return r, info, err
	}
}

// maxReplaced is how often a file that is replaced again and again is opened.
const maxReplaced = 5

// NewReader returns a reader of the bytes [off, off+n) of the version that info names.
// It retries transient faults.
func NewReader(ctx context.Context, s Store, info Info, off, n int64) (io.ReadCloser, error) {
	return DefaultRetry.For(info.Name).Reader(ctx, func(at int64) (io.ReadCloser, error) {
		return s.Open(ctx, info.Name, info.Version, at, off+n-at)
	}, off, off+n)
}

// ReadFile reads the whole of a small file.
func ReadFile(ctx context.Context, uri string) ([]byte, error) {
	r, info, err := OpenFile(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, info.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", uri, err)
	}
	return data, nil
}

// WriteFile writes the whole of a small file.
func WriteFile(ctx context.Context, uri string, data []byte, o Options) error {
	return Write(ctx, uri, o, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write makes a file of what write writes: all of it, or no file.
func Write(ctx context.Context, uri string, o Options, write func(io.Writer) error) error {
	s, name, err := Of(ctx, uri)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.Create(ctx, name, o)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return err
	}
	return w.Commit()
}

// Delete removes the file at uri, if there is one.
func Delete(ctx context.Context, uri string) error {
	s, name, err := Of(ctx, uri)
	if err != nil {
		return err
	}
	return s.Delete(ctx, name)
}

// List lists the files in the folder at uri, at any depth, in byte order.
func List(ctx context.Context, uri string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		s, name, err := Of(ctx, uri)
		if err != nil {
			yield(Info{}, err)
			return
		}
		s.List(ctx, strings.TrimRight(filepath.ToSlash(name), "/")+"/")(yield)
	}
}

// Stat returns the Info of the file at uri.
func Stat(ctx context.Context, uri string) (Info, error) {
	s, name, err := Of(ctx, uri)
	if err != nil {
		return Info{}, err
	}
	return s.Stat(ctx, name)
}

// Exists reports whether there is a file at uri.
func Exists(ctx context.Context, uri string) (bool, error) {
	_, err := Stat(ctx, uri)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
