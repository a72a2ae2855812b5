// Package gs is Google Cloud Storage as a store: names are gs://bucket/object.
// Importing it registers the scheme. Credentials are Google's Application
// Default Credentials; STORAGE_EMULATOR_HOST names an emulator instead.
package gs

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/treebeam/treebeam/io/store"
)

const scheme = "gs"

func init() { store.Register(scheme, open) }

// clients holds a client for each value of STORAGE_EMULATOR_HOST: one.
var clients = struct {
	sync.Mutex
	byHost map[string]*bucketStore
}{byHost: map[string]*bucketStore{}}

func open(context.Context) (store.Store, error) {
	clients.Lock()
	defer clients.Unlock()
	host := os.Getenv("STORAGE_EMULATOR_HOST")
	if s := clients.byHost[host]; s != nil {
		return s, nil
	}
	c, err := storage.NewClient(context.Background()) // it outlives every caller's context
	if err != nil {
		return nil, store.Final(fmt.Errorf("no access to Google Cloud Storage: %s; "+
			"run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS", store.Redact(err.Error())))
	}
	c.SetRetry(storage.WithPolicy(storage.RetryNever)) // see store.DefaultRetry
	s := &bucketStore{c}
	clients.byHost[host] = s
	return s, nil
}

// do calls f until it succeeds or fails for good.
func do(ctx context.Context, name string, f func(ctx context.Context) error) error {
	return store.DefaultRetry.Request(ctx, func(err error) error { return fault(name, err) }, f)
}

// uploads of several requests are repeated by the library: only it has the
// bytes. They may be: they have conditions, or write the same bytes over
// whatever is there. Its pauses are like ours, but it does not heed Retry-After.
var uploads = []storage.RetryOption{
	storage.WithBackoff(gax.Backoff{Initial: store.DefaultRetry.First, Max: store.DefaultRetry.Longest, Multiplier: 2}),
	storage.WithPolicy(storage.RetryAlways),
}

// uploadTime is how long a chunk of such an upload may take, with all repetitions.
var uploadTime = store.DefaultRetry.Patience + store.StallTime

// chunkBytes is how much of a file one request of an upload carries, and about
// the memory of a writer. A smaller file is sent by one request.
const chunkBytes = 4 << 20

type bucketStore struct{ client *storage.Client }

func (s *bucketStore) object(name string) (*storage.ObjectHandle, error) {
	bucket, object, err := store.Split(name)
	if err != nil {
		return nil, store.Final(err)
	}
	return s.client.Bucket(bucket).Object(object).ReadCompressed(true), nil
}

// List implements store.Store.
func (s *bucketStore) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		bucket, object, err := store.Split(prefix)
		if err != nil {
			yield(store.Info{}, err)
			return
		}
		query := &storage.Query{Prefix: object, Projection: storage.ProjectionNoACL}
		if err := query.SetAttrSelection([]string{"Bucket", "Name", "Size", "Generation", "ContentEncoding"}); err != nil {
			yield(store.Info{}, err)
			return
		}
		for token, more := "", true; more; more = token != "" {
			var page []*storage.ObjectAttrs
			if err := do(ctx, prefix, func(ctx context.Context) (err error) {
				objects := s.client.Bucket(bucket).Objects(ctx, query) // anew: the errors of an iterator stay
				page, token, err = nextPage(objects, token)
				return err
			}); err != nil {
				yield(store.Info{}, err)
				return
			}
			for _, attrs := range page {
				if !yield(info(scheme+"://"+bucket+"/"+attrs.Name, attrs), nil) {
					return
				}
			}
		}
	}
}

// nextPage returns the objects that one request lists and the token of the next
// page, "" if there is none; after an error it is the token that it was given.
func nextPage(objects *storage.ObjectIterator, token string) (page []*storage.ObjectAttrs, next string, err error) {
	info := objects.PageInfo()
	for info.Token = token; len(page) == 0 || info.Remaining() > 0; {
		attrs, err := objects.Next()
		if err == iterator.Done {
			return page, "", nil
		}
		if err != nil {
			return nil, token, err
		}
		page = append(page, attrs)
	}
	return page, info.Token, nil
}

func info(name string, a *storage.ObjectAttrs) store.Info {
	return store.Info{Name: name, Size: a.Size, Version: version(a.Generation), Gzip: a.ContentEncoding == "gzip"}
}

func version(generation int64) string { return "g" + strconv.FormatInt(generation, 10) }

// generation is the generation of a version; ok is false if it is none.
func generation(version string) (g int64, ok bool) {
	if version == "" || version[0] != 'g' {
		return 0, false
	}
	g, err := strconv.ParseInt(version[1:], 10, 64)
	return g, err == nil && g > 0
}

// Stat implements store.Store.
func (s *bucketStore) Stat(ctx context.Context, name string) (store.Info, error) {
	o, err := s.object(name)
	if err != nil {
		return store.Info{}, err
	}
	attrs, err := attrsOf(ctx, store.DefaultRetry, o, name)
	if err != nil {
		return store.Info{}, err
	}
	return info(name, attrs), nil
}

func attrsOf(ctx context.Context, retry store.Retry, o *storage.ObjectHandle, name string) (attrs *storage.ObjectAttrs, err error) {
	err = retry.Request(ctx, func(err error) error { return fault(name, err) }, func(ctx context.Context) (err error) {
		attrs, err = o.Attrs(ctx)
		return err
	})
	return attrs, err
}

// Open implements store.Store. Objects that are stored compressed come as they
// are stored.
func (s *bucketStore) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	o, err := s.object(name)
	if err != nil {
		return nil, err
	}
	if version != "" {
		g, ok := generation(version)
		if !ok {
			return nil, &store.Error{Name: name, Kind: store.ErrVersion, Err: fmt.Errorf("version %q is no generation", version)}
		}
		o = o.Generation(g)
	}
	ctx, cancel := context.WithCancel(ctx)
	watch := store.Watch(cancel, store.StallTime)
	r, err := o.NewRangeReader(ctx, off, n)
	if err == nil && r.Attrs.Decompressed {
		r.Close()
		err = store.Final(errors.New("the server has decompressed the object on the way"))
	}
	if err = watch.Done(err); err != nil {
		defer cancel()
		err = fault(name, err)
		if version != "" && errors.Is(err, fs.ErrNotExist) {
			if _, nowErr := s.Stat(ctx, name); nowErr == nil {
				return nil, &store.Error{Name: name, Kind: store.ErrVersion, Err: err}
			}
		}
		return nil, err
	}
	return watch.Reader(r, func(err error) error { return fault(name, err) }), nil
}

// Create implements store.Store.
func (s *bucketStore) Create(ctx context.Context, name string, o store.Options) (store.Writer, error) {
	object, err := s.object(name)
	if err != nil {
		return nil, err
	}
	switch o.Expect {
	case store.Anything:
	case store.Absent:
		object = object.If(storage.Conditions{DoesNotExist: true})
	default:
		g, ok := generation(o.Expect)
		if !ok {
			return nil, fmt.Errorf("%s: version %q is no generation", name, o.Expect)
		}
		object = object.If(storage.Conditions{GenerationMatch: g})
	}
	unconditional, err := s.object(name)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, object: object, unconditional: unconditional, name: name, cancel: func() {}, sum: crc32.New(castagnoli)}, nil
}

// A writer sends a small file at Commit by one request, and begins an upload of
// several when a file grows large. It publishes that by Close, and by nothing
// else: any fault cancels the context first, and then Close is never called.
type writer struct {
	ctx                   context.Context // that of Create
	object, unconditional *storage.ObjectHandle
	name                  string
	buf                   []byte             // all of a small file
	w                     *storage.Writer    // nil while the file is small
	cancel                context.CancelFunc // of w
	done                  error              // nil while the object can still be written
	size                  int64
	sum                   hash.Hash32
}

var (
	errDone    = errors.New("the file was published or dropped already")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func (w *writer) Write(b []byte) (int, error) {
	if w.done != nil {
		return 0, w.done
	}
	w.size += int64(len(b))
	w.sum.Write(b)
	if w.w == nil && len(w.buf)+len(b) <= chunkBytes {
		w.buf = append(w.buf, b...)
		return len(b), nil
	}
	if w.w == nil {
		ctx, cancel := context.WithCancel(w.ctx)
		w.w, w.cancel = newWriter(ctx, w.object.Retryer(uploads...), chunkBytes), cancel
		w.w.ChunkRetryDeadline, w.w.ChunkTransferTimeout = uploadTime, store.StallTime
		if _, err := w.send(w.buf); err != nil {
			return 0, err
		}
		w.buf = nil
	}
	return w.send(b)
}

// newWriter returns the library's writer with a buffer of so many bytes.
func newWriter(ctx context.Context, o *storage.ObjectHandle, buffer int) *storage.Writer {
	w := o.NewWriter(ctx)
	w.ChunkSize, w.ContentType = buffer, "application/octet-stream"
	return w
}

// send writes to the upload.
func (w *writer) send(b []byte) (int, error) {
	watch := store.Watch(w.cancel, uploadTime)
	n, err := w.w.Write(b)
	if err = watch.Done(err); err != nil {
		w.cancel()
		w.done = fault(w.name, err)
	}
	return n, w.done
}

func (w *writer) Commit() error {
	if w.done != nil {
		return w.done
	}
	w.done = errDone
	var err error
	if w.w == nil {
		err = do(w.ctx, w.name, w.put)
	} else if err = store.Watch(w.cancel, uploadTime).Done(w.w.Close()); err != nil {
		err = fault(w.name, err)
	}
	w.cancel()
	if (store.IsTransient(err) || errors.Is(err, store.ErrCondition)) && w.isThere(err) {
		return nil
	}
	return err
}

// put sends a small file.
func (w *writer) put(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	one := newWriter(ctx, w.object, 0)
	if _, err := one.Write(w.buf); err != nil {
		return err
	}
	return one.Close()
}

// isThere reports, after the fault of a request to publish it, that the object
// under the name has the bytes of this one: an answer was lost, or another
// process has written the same.
func (w *writer) isThere(fault error) bool {
	attrs, err := attrsOf(w.ctx, store.After(fault), w.unconditional, w.name)
	return err == nil && attrs.Size == w.size && attrs.CRC32C == w.sum.Sum32()
}

func (w *writer) Abort() {
	w.cancel()
	w.buf = nil
	if w.done == nil {
		w.done = errDone
	}
}

// Delete implements store.Store.
func (s *bucketStore) Delete(ctx context.Context, name string) error {
	o, err := s.object(name)
	if err != nil {
		return err
	}
	return do(ctx, name, func(ctx context.Context) error {
		if err := o.Delete(ctx); !errors.Is(err, storage.ErrObjectNotExist) {
			return err
		}
		return nil
	})
}

// fault is err as the callers of a store want it.
func fault(name string, err error) error {
	e := &store.Error{Name: name, Err: err}
	var api *googleapi.Error
	if errors.As(err, &api) {
		e.After = store.RetryAfter(api.Header, time.Now())
	}
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		e.Kind = store.ErrNoBucket
	case errors.Is(err, storage.ErrObjectNotExist):
		e.Kind = fs.ErrNotExist
	case api == nil:
	case api.Code == http.StatusNotFound:
		e.Kind = fs.ErrNotExist
	case api.Code == http.StatusUnauthorized:
		e.Kind = fmt.Errorf("%w (%d)", store.ErrCredentials, api.Code)
	case api.Code == http.StatusForbidden:
		e.Kind = fmt.Errorf("%w (%d)", fs.ErrPermission, api.Code)
	case api.Code == http.StatusPreconditionFailed:
		e.Kind = store.ErrCondition
	case api.Code >= 400 && api.Code < 500 && api.Code != http.StatusRequestTimeout && api.Code != http.StatusTooManyRequests:
		e.Err = store.Final(err)
	}
	return e
}
