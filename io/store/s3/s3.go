// Package s3 is Amazon S3, and what speaks its language, as a store: names are
// s3://bucket/key. Importing it registers the scheme. Credentials, region and
// endpoint are those of the AWS tools: AWS_ACCESS_KEY_ID, AWS_PROFILE,
// AWS_REGION, AWS_ENDPOINT_URL, ~/.aws, roles of machines and pods.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/treebeam/treebeam/io/store"
)

const scheme = "s3"

func init() { store.Register(scheme, open) }

// endpoints are the variables that name another service than Amazon's.
var endpoints = []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}

// clients holds a client for each endpoint: one.
var clients = struct {
	sync.Mutex
	byEndpoint map[string]*bucketStore
}{byEndpoint: map[string]*bucketStore{}}

func open(ctx context.Context) (store.Store, error) {
	endpoint := ""
	for _, name := range endpoints {
		if endpoint == "" {
			endpoint = os.Getenv(name)
		}
	}
	clients.Lock()
	defer clients.Unlock()
	if s := clients.byEndpoint[endpoint]; s != nil {
		return s, nil
	}
	s, err := newClient(ctx, endpoint)
	if err != nil {
		return nil, store.Final(fmt.Errorf("no access to S3: %s; run aws configure, or set AWS_PROFILE, "+
			"or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", store.Redact(err.Error())))
	}
	clients.byEndpoint[endpoint] = s
	return s, nil
}

func newClient(ctx context.Context, endpoint string) (*bucketStore, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithDefaultRegion("us-east-1"), config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, err
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return nil, err
	}
	return &bucketStore{s3.NewFromConfig(c, func(o *s3.Options) {
		o.Retryer = aws.NopRetryer{} // see store.DefaultRetry
		if endpoint != "" {
			o.UsePathStyle = true // buckets of other services seldom are hosts
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
	})}, nil
}

type bucketStore struct{ client *s3.Client }

// do calls f until it succeeds or fails for good.
func do(ctx context.Context, name string, f func(ctx context.Context) error) error {
	return store.DefaultRetry.Request(ctx, func(err error) error { return fault(name, err) }, f)
}

// List implements store.Store.
func (s *bucketStore) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		bucket, key, err := store.Split(prefix)
		if err != nil {
			yield(store.Info{}, err)
			return
		}
		in := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &key}
		for {
			var page *s3.ListObjectsV2Output
			if err := do(ctx, prefix, func(ctx context.Context) (err error) {
				page, err = s.client.ListObjectsV2(ctx, in)
				return err
			}); err != nil {
				yield(store.Info{}, err)
				return
			}
			for i := range page.Contents {
				o := &page.Contents[i]
				if !yield(info(scheme+"://"+bucket+"/"+aws.ToString(o.Key), o.Size, o.ETag), nil) {
					return
				}
			}
			if !aws.ToBool(page.IsTruncated) {
				return
			}
			// Not every service says where it goes on: it would begin again.
			before := aws.ToString(in.ContinuationToken)
			if next := aws.ToString(page.NextContinuationToken); next == "" || next == before {
				yield(store.Info{}, &store.Error{Name: prefix, Err: store.Final(errors.New("the service does not say how its listing goes on"))})
				return
			}
			in.ContinuationToken = page.NextContinuationToken
		}
	}
}

// info leaves Content-Encoding out: listings do not have it.
func info(name string, size *int64, etag *string) store.Info {
	return store.Info{Name: name, Size: aws.ToInt64(size), Version: version(etag)}
}

func version(etag *string) string { return "e" + strings.Trim(aws.ToString(etag), `"`) }

// etag is the entity tag of a version, in quotes.
func etag(version string) *string { return aws.String(`"` + strings.TrimPrefix(version, "e") + `"`) }

// Stat implements store.Store.
func (s *bucketStore) Stat(ctx context.Context, name string) (store.Info, error) {
	return s.stat(ctx, store.DefaultRetry, name)
}

func (s *bucketStore) stat(ctx context.Context, retry store.Retry, name string) (store.Info, error) {
	bucket, key, err := split(name)
	if err != nil {
		return store.Info{}, err
	}
	var head *s3.HeadObjectOutput
	if err := retry.Request(ctx, func(err error) error { return fault(name, err) }, func(ctx context.Context) (err error) {
		head, err = s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
		return err
	}); err != nil {
		return store.Info{}, err
	}
	return info(name, head.ContentLength, head.ETag), nil
}

func split(name string) (bucket, key string, err error) {
	bucket, key, err = store.Split(name)
	if err == nil && key == "" {
		err = fmt.Errorf("%s names a bucket and no object", name)
	}
	if err != nil {
		err = store.Final(err)
	}
	return bucket, key, err
}

// Open implements store.Store.
func (s *bucketStore) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	bucket, key, err := split(name)
	if err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: &bucket, Key: &key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", off, off+n-1))}
	if version != "" {
		in.IfMatch = etag(version)
	}
	ctx, cancel := context.WithCancel(ctx)
	watch := store.Watch(cancel, store.StallTime)
	out, err := s.client.GetObject(ctx, in)
	if err = watch.Done(err); err != nil {
		cancel()
		err = fault(name, err)
		if errors.Is(err, store.ErrCondition) {
			err = &store.Error{Name: name, Kind: store.ErrVersion, Err: err}
		}
		return nil, err
	}
	// Not every service heeds the condition.
	if version != "" && *etag(version) != aws.ToString(out.ETag) {
		cancel()
		out.Body.Close()
		return nil, &store.Error{Name: name, Kind: store.ErrVersion, Err: fmt.Errorf("it has the entity tag %s", aws.ToString(out.ETag))}
	}
	return watch.Reader(out.Body, func(err error) error { return fault(name, err) }), nil
}

// Delete implements store.Store.
func (s *bucketStore) Delete(ctx context.Context, name string) error {
	bucket, key, err := split(name)
	if err != nil {
		return err
	}
	err = do(ctx, name, func(ctx context.Context) error {
		_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// passing knows the errors that the SDK would repeat, whatever their status:
// RequestTimeout has 400.
var passing = append(retry.IsErrorRetryables{retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}}, retry.DefaultRetryables...)

// fault is err as the callers of a store want it.
func fault(name string, err error) error {
	e := &store.Error{Name: name, Err: err}
	var answer *smithyhttp.ResponseError
	if !errors.As(err, &answer) {
		return e
	}
	if answer.Response != nil {
		e.After = store.RetryAfter(answer.Response.Header, time.Now())
	}
	switch code := answer.HTTPStatusCode(); {
	case passing.IsErrorRetryable(err) == aws.TrueTernary:
	case code == http.StatusNotFound:
		e.Kind = fs.ErrNotExist
		if strings.Contains(err.Error(), "NoSuchBucket") {
			e.Kind = store.ErrNoBucket
		}
	case code == http.StatusUnauthorized, isOfCredentials(err):
		e.Kind = fmt.Errorf("%w (%d)", store.ErrCredentials, code)
	case code == http.StatusForbidden:
		e.Kind = fmt.Errorf("%w (%d)", fs.ErrPermission, code)
	case code == http.StatusPreconditionFailed:
		e.Kind = store.ErrCondition
	case code == http.StatusMovedPermanently, code == http.StatusTemporaryRedirect:
		e.Err = store.Final(fmt.Errorf("the bucket is in another region; set AWS_REGION (%w)", err))
	case code >= 400 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusConflict && code != http.StatusTooManyRequests:
		e.Err = store.Final(err)
	}
	return e
}

// isOfCredentials reports that the service does not know who asks. Of a HEAD
// request it cannot tell: the answer has no body.
func isOfCredentials(err error) bool {
	var api interface{ ErrorCode() string }
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed":
		return true
	}
	return false
}
