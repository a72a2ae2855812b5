package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"sync"
	"time"
)

// A Scheme is a kind of object store: the beginning of its URIs, and the way to connect
// to it.
type Scheme struct {
	Name      string   // of its URIs: "gs"
	Title     string   // of the service, for messages
	Endpoints []string // environment variables that name another service; the first that is set counts
	Remedy    string   // what a user without credentials should do
	// PartBytes is how much of a file one request of an upload carries, and the
	// memory of a writer. A smaller file is sent by one request.
	PartBytes int
	Connect   func(ctx context.Context, endpoint string) (Service, error)
}

// A Service makes the single requests of an object store. RegisterService makes a Store
// of it, which repeats requests, gives up stalled ones, splits files into parts, and
// finds out whether a file exists if the answer to its upload was lost.
type Service interface {
	// Page lists objects whose keys begin with prefix, in byte order, one page of
	// them from token on, which is "" for the first. The names of the infos are keys.
	// next is the token of the next page, "" after the last.
	Page(ctx context.Context, bucket, prefix, token string) (page []Info, next string, err error)
	// Stat says what an object is, and the Sum that the service keeps of it.
	Stat(ctx context.Context, o Object) (info Info, sum string, err error)
	// Open reads the stored bytes [off, off+n) of a version, "" for the newest.
	Open(ctx context.Context, o Object, version string, off, n int64) (io.ReadCloser, error)
	// Put writes a whole object if Options.Expect holds.
	Put(ctx context.Context, o Object, expect string, data []byte) error
	// Upload begins an object of several parts. It repeats its own requests (see
	// Request), and its errors are *Error.
	Upload(ctx context.Context, o Object, expect string) (Upload, error)
	Delete(ctx context.Context, o Object) error
	// NewSum returns a Sum of nothing.
	NewSum() Sum
	// Explain says what the error e.Err of the service means: it sets Kind and After,
	// and wraps Err in Final where no repetition helps.
	Explain(e *Error)
}

// An Object is a place in an object store.
type Object struct {
	URI         string
	Bucket, Key string
}

// An Upload writes one object in parts. Nothing is visible before Complete.
type Upload interface {
	Part(data []byte) error
	Complete(last []byte) error
	// Drop forgets the parts. It is called after all errors, too.
	Drop(ctx context.Context)
}

// A Sum is the checksum that a service keeps of its objects. Write is called once
// for each part.
type Sum interface {
	Write(part []byte) (int, error)
	String() string
}

// RegisterService makes a service answer for the URIs of a scheme. It has one
// client for each endpoint.
func RegisterService(scheme Scheme) {
	var mu sync.Mutex
	clients := map[string]Store{}
	Register(scheme.Name, func(ctx context.Context) (Store, error) {
		mu.Lock()
		defer mu.Unlock()
		endpoint := ""
		for _, name := range scheme.Endpoints {
			endpoint = cmp.Or(endpoint, os.Getenv(name))
		}
		if s := clients[endpoint]; s != nil {
			return s, nil
		}
		service, err := scheme.Connect(ctx, endpoint)
		if err != nil {
			return nil, Final(fmt.Errorf("no access to %s: %s; %s", scheme.Title, Redact(err.Error()), scheme.Remedy))
		}
		s := &buckets{scheme, service}
		clients[endpoint] = s
		return s, nil
	})
}

// buckets is the Store of a Service.
type buckets struct {
	scheme  Scheme
	service Service
}

func (b *buckets) object(name string) (Object, error) {
	bucket, key, err := Split(name)
	if err == nil && key == "" {
		err = fmt.Errorf("%s names a bucket and no object", name)
	}
	if err != nil {
		err = Final(err)
	}
	return Object{name, bucket, key}, err
}

// ErrorOf is an error of a service as the callers of a Store want it.
func ErrorOf(s Service, name string, err error) *Error {
	e := &Error{Name: name, Err: err}
	if errors.Is(err, ErrVersion) {
		e.Kind = ErrVersion
	} else {
		s.Explain(e)
	}
	return e
}

// Request calls f, which makes one request to a service, until it succeeds or can never
// succeed.
func (r Retry) Request(ctx context.Context, s Service, name string, f func(ctx context.Context) error) error {
	return r.Do(ctx, func() error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := Watch(cancel, StallTime).Done(f(ctx)); err != nil {
			return ErrorOf(s, name, err)
		}
		return nil
	})
}

// List implements Store.
func (b *buckets) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		bucket, key, err := Split(prefix)
		if err != nil {
			yield(Info{}, err)
			return
		}
		for token, more := "", true; more; more = token != "" {
			var page []Info
			var next string
			if err := DefaultRetry.Request(ctx, b.service, prefix, func(ctx context.Context) (err error) {
				page, next, err = b.service.Page(ctx, bucket, key, token)
				return err
			}); err != nil {
				yield(Info{}, err)
				return
			}
			for _, info := range page {
				info.Name = b.scheme.Name + "://" + bucket + "/" + info.Name
				if !yield(info, nil) {
					return
				}
			}
			token = next
		}
	}
}

// Stat implements Store.
func (b *buckets) Stat(ctx context.Context, name string) (Info, error) {
	o, err := b.object(name)
	if err != nil {
		return Info{}, err
	}
	info, _, err := b.stat(ctx, DefaultRetry, o)
	return info, err
}

func (b *buckets) stat(ctx context.Context, retry Retry, o Object) (info Info, sum string, err error) {
	err = retry.Request(ctx, b.service, o.URI, func(ctx context.Context) (err error) {
		info, sum, err = b.service.Stat(ctx, o)
		return err
	})
	info.Name = o.URI
	return info, sum, err
}

// Open implements Store.
func (b *buckets) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	o, err := b.object(name)
	if err != nil {
		return nil, err
	}
	request, cancel := context.WithCancel(ctx)
	watch := Watch(cancel, StallTime)
	r, err := b.service.Open(request, o, version, off, n)
	if err = watch.Done(err); err == nil {
		return watch.Reader(r, func(err error) error { return ErrorOf(b.service, name, err) }), nil
	}
	cancel()
	fault := ErrorOf(b.service, name, err)
	changed := errors.Is(fault, ErrCondition)
	if version != "" && errors.Is(fault, fs.ErrNotExist) {
		_, now := b.Stat(ctx, name)
		changed = now == nil
	}
	if changed {
		return nil, &Error{Name: name, Kind: ErrVersion, Err: fault}
	}
	return nil, fault
}

// Delete implements Store.
func (b *buckets) Delete(ctx context.Context, name string) error {
	o, err := b.object(name)
	if err != nil {
		return err
	}
	err = DefaultRetry.Request(ctx, b.service, name, func(ctx context.Context) error { return b.service.Delete(ctx, o) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Create implements Store.
func (b *buckets) Create(ctx context.Context, name string, options Options) (Writer, error) {
	o, err := b.object(name)
	if err != nil {
		return nil, err
	}
	return &objectWriter{ctx: ctx, store: b, object: o, expect: options.Expect, sum: b.service.NewSum()}, nil
}

// An objectWriter sends a small file at Commit. Of a large file, it sends each part
// once it is full and more bytes follow.
type objectWriter struct {
	ctx    context.Context
	store  *buckets
	object Object
	expect string

	buf    []byte
	size   int64
	sum    Sum
	upload Upload // nil while the file is small
	done   error  // nil while the object can still be written
}

func (w *objectWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if w.done != nil {
			return len(b) - len(rest), w.done
		}
		if len(w.buf) == w.store.scheme.PartBytes {
			w.fail(w.sendPart())
			continue
		}
		n := min(len(rest), w.store.scheme.PartBytes-len(w.buf))
		w.buf = append(w.buf, rest[:n]...)
		w.size += int64(n)
		rest = rest[n:]
	}
	return len(b), w.done
}

// fail ends the writing if there is an error.
func (w *objectWriter) fail(err error) {
	if err != nil {
		w.drop()
		w.done = err
	}
}

func (w *objectWriter) sendPart() (err error) {
	if w.upload == nil {
		if w.upload, err = w.store.service.Upload(w.ctx, w.object, w.expect); err != nil {
			return err
		}
	}
	w.sum.Write(w.buf)
	err = w.upload.Part(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *objectWriter) Commit() error {
	if w.done != nil {
		return w.done
	}
	w.done = errDone
	w.sum.Write(w.buf)
	var err error
	if w.upload != nil {
		err = w.upload.Complete(w.buf)
	} else {
		err = DefaultRetry.Request(w.ctx, w.store.service, w.object.URI, func(ctx context.Context) error {
			return w.store.service.Put(ctx, w.object, w.expect, w.buf)
		})
	}
	if err == nil || w.ctx.Err() == nil && w.isThere(err) {
		return nil
	}
	w.drop()
	if w.expect != Anything && errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNoBucket) { // the file to replace
		err = &Error{Name: w.object.URI, Kind: ErrCondition, Err: err}
	}
	return err
}

// isThere reports, after the fault of a request to publish it, that the object
// under the name has the bytes of this one: an answer was lost, or another
// process has written the same.
func (w *objectWriter) isThere(fault error) bool {
	info, sum, err := w.store.stat(w.ctx, after(fault), w.object)
	return err == nil && info.Size == w.size && sum == w.sum.String()
}

func (w *objectWriter) Abort() {
	if w.done == nil {
		w.done = errDone
		w.drop()
	}
}

// dropTime is how long a service may take to forget the parts of an upload.
const dropTime = 10 * time.Second

// drop removes the parts that were sent. They are not visible; if it fails, a rule
// of the bucket should remove them.
func (w *objectWriter) drop() {
	w.buf = nil
	if w.upload != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), dropTime)
		defer cancel()
		w.upload.Drop(ctx)
	}
}

// secrets are the parts of URLs and headers that may give access: everything after a
// question mark (signatures, tokens, upload sessions), names and passwords before a
// host, and the values of headers and fields of that kind.
var secrets = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(\w+://)[^/\s"'@]+@`), "$1"},
	{regexp.MustCompile(`(\w+://[^\s"'?]*)\?[^\s"']*`), "$1"},
	{regexp.MustCompile(`(?i)(\b(?:bearer|basic|aws4-hmac-sha256)\s+)[^\s"',;]+`), "${1}***"},
	{regexp.MustCompile(`(?i)("?\b[\w-]*(?:token|secret|password|signature|credential|authorization|access[_-]?key(?:[_-]?id)?|private_key|upload_id)"?\s*[=:]\s*"?)[^\s"'&,;]+`), "${1}***"},
}

// Redact removes possible credentials from a text.
func Redact(s string) string {
	for _, secret := range secrets {
		s = secret.pattern.ReplaceAllString(s, secret.with)
	}
	return s
}

// An Error is a fault of an object store. Its text holds no credentials.
type Error struct {
	Name string
	Err  error // as the client library gave it: do not print it
	Kind error // fs.ErrNotExist, fs.ErrPermission, ErrCredentials, ErrCondition, ErrVersion or nil
	// After is how long the server asks clients to wait, 0 if it does not say.
	After time.Duration
}

func (e *Error) Error() string {
	if e.Kind != nil {
		return e.Name + ": " + e.Kind.Error()
	}
	return e.Name + ": " + Redact(e.Err.Error())
}

func (e *Error) Unwrap() []error {
	if e.Kind != nil {
		return []error{e.Kind, e.Err}
	}
	return []error{e.Err}
}
