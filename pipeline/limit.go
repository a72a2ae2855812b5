package pipeline

import (
	"errors"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// errLimit ends a stream that has Options.Limit sentences.
var errLimit = errors.New("enough sentences")

// A limit counts the sentences of a stream, including failed ones, and says when there
// are enough. Sentences are counted in the order of the input, so that the same ones
// are parsed on any number of threads.
type limit struct {
	left int64 // sentences that may still come
}

// checkLimit refuses a limit where nothing obeys it.
func (o *Options) checkLimit() error {
	switch {
	case o.Limit < 0:
		return refuse("--limit %d: must be 1 or more", o.Limit)
	case o.Limit > 0 && o.EndMarks:
		return refuse("--limit and --end-marks exclude each other: the last document would have no end")
	}
	return nil
}

// cut removes everything after the last wanted sentence from a segmented chunk, and
// says whether the chunk has that sentence.
func (l *limit) cut(c *transforms.Chunk) bool {
	if l == nil {
		return false
	}
	places := placesOf(c, false)
	if int64(len(places)) < l.left {
		l.left -= int64(len(places))
		return false
	}
	last := places[l.left-1]
	c.Sentences = slices.DeleteFunc(c.Sentences, func(s transforms.Sentence) bool {
		return place{file: s.File, start: s.StartByte}.compare(last) > 0
	})
	c.Failures = slices.DeleteFunc(c.Failures, func(f output.Failure) bool {
		return place{file: f.File, start: f.ByteOffset}.compare(last) > 0
	})
	c.Last, c.Ends = false, nil // the sums do not cover the whole file
	l.left = 0
	return true
}
