package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/treebeam/treebeam/io/store"
)

// partBytes is how much of a file one request of an upload carries, and the
// memory of a writer. A smaller file is sent by one request. There may be
// 10,000 parts: 80 GB.
const partBytes = 8 << 20

// dropTime is how long Abort may take to drop the parts of an upload.
const dropTime = 10 * time.Second

// Create implements store.Store.
func (s *bucketStore) Create(ctx context.Context, name string, o store.Options) (store.Writer, error) {
	bucket, key, err := split(name)
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, store: s, name: name, bucket: bucket, key: key}
	switch o.Expect {
	case store.Anything:
	case store.Absent:
		w.ifNoneMatch = aws.String("*")
	default:
		w.ifMatch = etag(o.Expect)
	}
	return w, nil
}

// A writer sends a small file at Commit, and of a large one a part whenever it
// has one: nothing is visible before the request that completes the upload.
type writer struct {
	ctx                  context.Context
	store                *bucketStore
	name, bucket, key    string
	ifMatch, ifNoneMatch *string

	buf    []byte
	size   int64
	upload *string // id, once the file has more than one part
	parts  []types.CompletedPart
	sums   []byte // MD5 of every part, one after the other
	done   error  // nil while the object can still be written
}

var errDone = errors.New("the file was published or dropped already")

func (w *writer) Write(b []byte) (int, error) {
	if w.done != nil {
		return 0, w.done
	}
	for rest := b; len(rest) > 0; {
		n := min(len(rest), partBytes-len(w.buf))
		w.buf = append(w.buf, rest[:n]...)
		w.size += int64(n)
		rest = rest[n:]
		if len(w.buf) == partBytes && len(rest) > 0 {
			if err := w.sendPart(); err != nil {
				w.drop()
				w.done = err
				return len(b) - len(rest), err
			}
		}
	}
	return len(b), nil
}

// sendPart sends what is in the buffer as the next part.
func (w *writer) sendPart() error {
	if w.upload == nil {
		if err := do(w.ctx, w.name, func(ctx context.Context) error {
			out, err := w.store.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &w.bucket, Key: &w.key})
			if err == nil {
				w.upload = out.UploadId
			}
			return err
		}); err != nil {
			return err
		}
	}
	number := aws.Int32(int32(len(w.parts) + 1))
	if err := do(w.ctx, w.name, func(ctx context.Context) error {
		out, err := w.store.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &w.bucket, Key: &w.key, UploadId: w.upload, PartNumber: number, Body: bytes.NewReader(w.buf),
		})
		if err == nil {
			w.parts = append(w.parts, types.CompletedPart{ETag: out.ETag, PartNumber: number})
		}
		return err
	}); err != nil {
		return err
	}
	sum := md5.Sum(w.buf)
	w.sums = append(w.sums, sum[:]...)
	w.buf = w.buf[:0]
	return nil
}

func (w *writer) Commit() error {
	if w.done != nil {
		return w.done
	}
	w.done = errDone
	var err error
	if w.upload != nil {
		err = w.complete()
	} else {
		err = do(w.ctx, w.name, func(ctx context.Context) error {
			_, err := w.store.client.PutObject(ctx, &s3.PutObjectInput{
				Bucket: &w.bucket, Key: &w.key, Body: bytes.NewReader(w.buf), IfMatch: w.ifMatch, IfNoneMatch: w.ifNoneMatch,
			})
			return err
		})
	}
	if err == nil || w.ctx.Err() == nil && w.isThere(err) {
		return nil
	}
	w.drop()
	if w.ifMatch != nil && isGone(err) {
		err = &store.Error{Name: w.name, Kind: store.ErrCondition, Err: err}
	}
	return err
}

// isGone reports that an object to be replaced is not there.
func isGone(err error) bool {
	var code interface{ ErrorCode() string }
	return errors.As(err, &code) && code.ErrorCode() == "NoSuchKey"
}

func (w *writer) complete() error {
	if err := w.sendPart(); err != nil {
		return err
	}
	return do(w.ctx, w.name, func(ctx context.Context) error {
		_, err := w.store.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &w.bucket, Key: &w.key, UploadId: w.upload, IfMatch: w.ifMatch, IfNoneMatch: w.ifNoneMatch,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
		})
		return err
	})
}

// isThere reports, after the fault of a request to publish it, that the object
// under the name has the bytes of this one: an answer was lost, or another
// process has written the same. It cannot tell where the service encrypts with a
// key of its own: entity tags are no sums then.
func (w *writer) isThere(fault error) bool {
	info, err := w.store.stat(w.ctx, store.After(fault), w.name)
	if err != nil || info.Size != w.size {
		return false
	}
	sum := md5.Sum(w.buf)
	if w.upload == nil {
		return info.Version == "e"+hex.EncodeToString(sum[:])
	}
	sum = md5.Sum(w.sums)
	return info.Version == fmt.Sprintf("e%s-%d", hex.EncodeToString(sum[:]), len(w.parts))
}

func (w *writer) Abort() {
	if w.done == nil {
		w.done = errDone
		w.drop()
	}
}

// drop removes the parts that were sent. If it fails, a rule of the bucket
// should remove them some day; they are not visible.
func (w *writer) drop() {
	w.buf = nil
	if w.upload == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), dropTime)
	defer cancel()
	_, _ = w.store.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &w.bucket, Key: &w.key, UploadId: w.upload})
}
