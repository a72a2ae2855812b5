// Package s3 registers Amazon S3 and compatible services as a store when it is
// imported: names are s3://bucket/key. Credentials, region and endpoint come from the
// settings of the AWS tools: AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION,
// AWS_ENDPOINT_URL, ~/.aws, roles of machines and pods.
package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/treebeam/treebeam/io/store"
)

func init() {
	store.RegisterService(store.Scheme{
		Name: "s3", Title: "S3", Endpoints: []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"},
		PartBytes: 8 << 20, // of at most 10,000 parts: 80 GB
		Remedy:    "run aws configure, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		Connect:   connect,
	})
}

func connect(ctx context.Context, endpoint string) (store.Service, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithDefaultRegion("us-east-1"), config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, err
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return nil, err
	}
	return &service{s3.NewFromConfig(c, func(o *s3.Options) {
		o.Retryer = aws.NopRetryer{} // see store.DefaultRetry
		if endpoint != "" {
			o.UsePathStyle = true // buckets of other services seldom are hosts
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
	})}, nil
}

type service struct{ client *s3.Client }

// Page implements store.Service.
func (s *service) Page(ctx context.Context, bucket, prefix, token string) (page []store.Info, next string, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix}
	if token != "" {
		in.ContinuationToken = &token
	}
	out, err := s.client.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, "", err
	}
	for i := range out.Contents {
		o := &out.Contents[i]
		page = append(page, infoOf(aws.ToString(o.Key), o.Size, o.ETag))
	}
	if !aws.ToBool(out.IsTruncated) {
		return page, "", nil
	}
	// Not every service says where it goes on: it would begin again.
	if next = aws.ToString(out.NextContinuationToken); next == "" || next == token {
		return nil, "", store.Final(errors.New("the service does not say how its listing goes on"))
	}
	return page, next, nil
}

// infoOf leaves Content-Encoding out: listings do not have it.
func infoOf(key string, size *int64, tag *string) store.Info {
	return store.Info{Name: key, Size: aws.ToInt64(size), Version: "e" + strings.Trim(aws.ToString(tag), `"`)}
}

// etag is the entity tag of a version, in quotes.
func etag(version string) *string { return aws.String(`"` + strings.TrimPrefix(version, "e") + `"`) }

// Stat implements store.Service.
func (s *service) Stat(ctx context.Context, o store.Object) (store.Info, string, error) {
	head, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &o.Bucket, Key: &o.Key})
	if err != nil {
		return store.Info{}, "", err
	}
	info := infoOf(o.Key, head.ContentLength, head.ETag)
	return info, info.Version, nil
}

// A sum is the MD5 of each part, one after the other.
type sum []byte

// NewSum implements store.Service. If the service encrypts with its own key, entity
// tags are not sums, and nothing equals them.
func (s *service) NewSum() store.Sum { return new(sum) }

func (s *sum) Write(part []byte) (int, error) {
	one := md5.Sum(part)
	*s = append(*s, one[:]...)
	return len(part), nil
}

// String is the version that an object of these parts has.
func (s *sum) String() string {
	if len(*s) == md5.Size {
		return "e" + hex.EncodeToString(*s)
	}
	all := md5.Sum(*s)
	return fmt.Sprintf("e%s-%d", hex.EncodeToString(all[:]), len(*s)/md5.Size)
}

// Open implements store.Service.
func (s *service) Open(ctx context.Context, o store.Object, version string, off, n int64) (io.ReadCloser, error) {
	in := &s3.GetObjectInput{Bucket: &o.Bucket, Key: &o.Key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", off, off+n-1))}
	if version != "" {
		in.IfMatch = etag(version)
	}
	out, err := s.client.GetObject(ctx, in)
	if err != nil {
		return nil, err
	}
	// Not every service honours the condition.
	if version != "" && *etag(version) != aws.ToString(out.ETag) {
		out.Body.Close()
		return nil, fmt.Errorf("%w: it has the entity tag %s", store.ErrVersion, aws.ToString(out.ETag))
	}
	// Nor the range: it would answer with the whole object.
	if begin := fmt.Sprintf("bytes %d-", off); off > 0 && !strings.HasPrefix(aws.ToString(out.ContentRange), begin) {
		out.Body.Close()
		return nil, store.Final(errors.New("the service does not answer with the part of the object that was asked for"))
	}
	return out.Body, nil
}

// conditions are the headers of a request that writes an object.
func conditions(expect string) (ifMatch, ifNoneMatch *string) {
	switch expect {
	case store.Anything:
		return nil, nil
	case store.Absent:
		return nil, aws.String("*")
	}
	return etag(expect), nil
}

// Put implements store.Service.
func (s *service) Put(ctx context.Context, o store.Object, expect string, data []byte) error {
	ifMatch, ifNoneMatch := conditions(expect)
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &o.Bucket, Key: &o.Key, Body: bytes.NewReader(data), IfMatch: ifMatch, IfNoneMatch: ifNoneMatch,
	})
	return err
}

type upload struct {
	*service
	ctx    context.Context
	object store.Object
	expect string
	id     *string
	parts  []types.CompletedPart
}

func (u *upload) do(f func(ctx context.Context) error) error {
	return store.DefaultRetry.Request(u.ctx, u.service, u.object.URI, f)
}

// Upload implements store.Service.
func (s *service) Upload(ctx context.Context, o store.Object, expect string) (store.Upload, error) {
	u := &upload{service: s, ctx: ctx, object: o, expect: expect}
	return u, u.do(func(ctx context.Context) error {
		out, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &o.Bucket, Key: &o.Key})
		if err == nil {
			u.id = out.UploadId
		}
		return err
	})
}

func (u *upload) Part(data []byte) error {
	number := aws.Int32(int32(len(u.parts) + 1))
	return u.do(func(ctx context.Context) error {
		out, err := u.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &u.object.Bucket, Key: &u.object.Key, UploadId: u.id, PartNumber: number, Body: bytes.NewReader(data),
		})
		if err == nil {
			u.parts = append(u.parts, types.CompletedPart{ETag: out.ETag, PartNumber: number})
		}
		return err
	})
}

func (u *upload) Complete(last []byte) error {
	if err := u.Part(last); err != nil {
		return err
	}
	ifMatch, ifNoneMatch := conditions(u.expect)
	return u.do(func(ctx context.Context) error {
		_, err := u.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &u.object.Bucket, Key: &u.object.Key, UploadId: u.id, IfMatch: ifMatch, IfNoneMatch: ifNoneMatch,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts},
		})
		return err
	})
}

func (u *upload) Drop(ctx context.Context) {
	_, _ = u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &u.object.Bucket, Key: &u.object.Key, UploadId: u.id})
}

// Delete implements store.Service.
func (s *service) Delete(ctx context.Context, o store.Object) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &o.Bucket, Key: &o.Key})
	return err
}

// passing recognizes the errors that the SDK would retry, whatever their status:
// RequestTimeout has 400.
var passing = append(retry.IsErrorRetryables{retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}}, retry.DefaultRetryables...)

// ofCredentials are the codes of a service that rejects the caller's credentials. An
// answer to a HEAD request has no code.
var ofCredentials = []string{
	"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed",
}

// Explain implements store.Service.
func (s *service) Explain(e *store.Error) {
	var answer *smithyhttp.ResponseError
	if !errors.As(e.Err, &answer) {
		return
	}
	if answer.Response != nil {
		e.After = store.RetryAfter(answer.Response.Header, time.Now())
	}
	name := ""
	var api interface{ ErrorCode() string }
	if errors.As(e.Err, &api) {
		name = api.ErrorCode()
	}
	switch code := answer.HTTPStatusCode(); {
	case passing.IsErrorRetryable(e.Err) == aws.TrueTernary:
	case code == http.StatusNotFound && name == "NoSuchBucket":
		e.Kind = store.ErrNoBucket
	case code == http.StatusNotFound:
		e.Kind = fs.ErrNotExist
	case code == http.StatusUnauthorized, slices.Contains(ofCredentials, name):
		e.Kind = fmt.Errorf("%w (%d)", store.ErrCredentials, code)
	case code == http.StatusForbidden:
		e.Kind = fmt.Errorf("%w (%d)", fs.ErrPermission, code)
	case code == http.StatusPreconditionFailed:
		e.Kind = store.ErrCondition
	case code == http.StatusMovedPermanently, code == http.StatusTemporaryRedirect:
		e.Err = store.Final(fmt.Errorf("the bucket is in another region; set AWS_REGION (%w)", e.Err))
	case code >= 400 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusConflict && code != http.StatusTooManyRequests:
		e.Err = store.Final(e.Err)
	}
}
