// Package gs registers Google Cloud Storage as a store when it is imported: names are
// gs://bucket/object. Credentials are Google's Application Default Credentials;
// STORAGE_EMULATOR_HOST names an emulator instead.
package gs

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/treebeam/treebeam/io/store"
)

const partBytes = 4 << 20

func init() {
	store.RegisterService(store.Scheme{
		Name: "gs", Title: "Google Cloud Storage", Endpoints: []string{"STORAGE_EMULATOR_HOST"}, PartBytes: partBytes,
		Remedy:  "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS",
		Connect: connect,
	})
}

// connect leaves it to the library to look for an emulator.
func connect(context.Context, string) (store.Service, error) {
	c, err := storage.NewClient(context.Background()) // it outlives every caller's context
	if err != nil {
		return nil, err
	}
	c.SetRetry(storage.WithPolicy(storage.RetryNever)) // see store.DefaultRetry
	return &service{c}, nil
}

type service struct{ client *storage.Client }

func (s *service) handle(o store.Object) *storage.ObjectHandle {
	return s.client.Bucket(o.Bucket).Object(o.Key).ReadCompressed(true)
}

// expecting returns the handle of an object that is written if its version is
// the expected one.
func (s *service) expecting(o store.Object, expect string) (*storage.ObjectHandle, error) {
	switch expect {
	case store.Anything:
		return s.handle(o), nil
	case store.Absent:
		return s.handle(o).If(storage.Conditions{DoesNotExist: true}), nil
	}
	g, err := generation(expect)
	return s.handle(o).If(storage.Conditions{GenerationMatch: g}), err
}

// Page implements store.Service.
func (s *service) Page(ctx context.Context, bucket, prefix, token string) (page []store.Info, next string, err error) {
	query := &storage.Query{Prefix: prefix, Projection: storage.ProjectionNoACL}
	if err := query.SetAttrSelection([]string{"Bucket", "Name", "Size", "Generation", "ContentEncoding"}); err != nil {
		return nil, "", err
	}
	objects := s.client.Bucket(bucket).Objects(ctx, query)
	info := objects.PageInfo()
	for info.Token = token; len(page) == 0 || info.Remaining() > 0; {
		attrs, err := objects.Next()
		if err == iterator.Done {
			return page, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		page = append(page, infoOf(attrs))
	}
	return page, info.Token, nil
}

func infoOf(a *storage.ObjectAttrs) store.Info {
	version := "g" + strconv.FormatInt(a.Generation, 10)
	return store.Info{Name: a.Name, Size: a.Size, Version: version, Gzip: a.ContentEncoding == "gzip"}
}

// generation is the generation of a version.
func generation(version string) (int64, error) {
	g, err := strconv.ParseInt(version[min(1, len(version)):], 10, 64)
	if err != nil || version[0] != 'g' || g <= 0 {
		return 0, fmt.Errorf("%w: version %q is not a generation", store.ErrVersion, version)
	}
	return g, nil
}

// Stat implements store.Service.
func (s *service) Stat(ctx context.Context, o store.Object) (store.Info, string, error) {
	attrs, err := s.handle(o).Attrs(ctx)
	if err != nil {
		return store.Info{}, "", err
	}
	return infoOf(attrs), fmt.Sprint(attrs.CRC32C), nil
}

// A sum is the CRC-32C of an object.
type sum uint32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// NewSum implements store.Service.
func (s *service) NewSum() store.Sum { return new(sum) }

func (s *sum) Write(part []byte) (int, error) {
	*s = sum(crc32.Update(uint32(*s), castagnoli, part))
	return len(part), nil
}

func (s *sum) String() string { return fmt.Sprint(uint32(*s)) }

// Open implements store.Service. Objects that are stored compressed come as they
// are stored.
func (s *service) Open(ctx context.Context, o store.Object, version string, off, n int64) (io.ReadCloser, error) {
	object := s.handle(o)
	if version != "" {
		g, err := generation(version)
		if err != nil {
			return nil, err
		}
		object = object.Generation(g)
	}
	r, err := object.NewRangeReader(ctx, off, n)
	if err != nil {
		return nil, err
	}
	if r.Attrs.Decompressed {
		r.Close()
		return nil, store.Final(errors.New("the server has decompressed the object on the way"))
	}
	return r, nil
}

// Put implements store.Service.
func (s *service) Put(ctx context.Context, o store.Object, expect string, data []byte) error {
	object, err := s.expecting(o, expect)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := newWriter(ctx, object, 0)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

// newWriter returns the library's writer with a buffer of the given size.
func newWriter(ctx context.Context, o *storage.ObjectHandle, buffer int) *storage.Writer {
	w := o.NewWriter(ctx)
	w.ChunkSize, w.ContentType = buffer, "application/octet-stream"
	return w
}

// uploads makes the library repeat uploads of several requests, because only it has the
// bytes. Repeating them is safe: they have conditions, or write the same bytes over any
// earlier ones. The library's pauses are like ours, but it ignores Retry-After.
var uploads = []storage.RetryOption{
	storage.WithBackoff(gax.Backoff{Initial: store.DefaultRetry.First, Max: store.DefaultRetry.Longest, Multiplier: 2}),
	storage.WithPolicy(storage.RetryAlways),
}

// uploadTime is how long a part of such an upload may take, with all repetitions.
var uploadTime = store.DefaultRetry.Patience + store.StallTime

// An upload publishes the object by Close, and by nothing else: any fault cancels
// the context first, and then Close is never called.
type upload struct {
	service *service
	name    string
	w       *storage.Writer
	cancel  context.CancelFunc
}

// Upload implements store.Service.
func (s *service) Upload(ctx context.Context, o store.Object, expect string) (store.Upload, error) {
	object, err := s.expecting(o, expect)
	if err != nil {
		return nil, store.ErrorOf(s, o.URI, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	w := newWriter(ctx, object.Retryer(uploads...), partBytes)
	w.ChunkRetryDeadline, w.ChunkTransferTimeout = uploadTime, store.StallTime
	return &upload{s, o.URI, w, cancel}, nil
}

// watched calls f, which must end in time.
func (u *upload) watched(f func() error) error {
	if err := store.Watch(u.cancel, uploadTime).Done(f()); err != nil {
		u.cancel()
		return store.ErrorOf(u.service, u.name, err)
	}
	return nil
}

func (u *upload) Part(data []byte) error {
	return u.watched(func() error {
		_, err := u.w.Write(data)
		return err
	})
}

func (u *upload) Complete(last []byte) error {
	defer u.cancel()
	if err := u.Part(last); err != nil {
		return err
	}
	return u.watched(u.w.Close)
}

func (u *upload) Drop(context.Context) { u.cancel() }

// Delete implements store.Service.
func (s *service) Delete(ctx context.Context, o store.Object) error { return s.handle(o).Delete(ctx) }

// Explain implements store.Service.
func (s *service) Explain(e *store.Error) {
	var api *googleapi.Error
	if errors.As(e.Err, &api) {
		e.After = store.RetryAfter(api.Header, time.Now())
	}
	switch {
	case errors.Is(e.Err, storage.ErrBucketNotExist):
		e.Kind = store.ErrNoBucket
	case errors.Is(e.Err, storage.ErrObjectNotExist):
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
		e.Err = store.Final(e.Err)
	}
}
