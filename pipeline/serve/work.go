package serve

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Sentences are parsed in batches. These constants bound a batch's sentences and,
// about, its words: an encoder takes several sentences at once, and an answer goes out
// piece by piece.
const (
	batchSentences = 32
	batchWords     = 2000
)

// A job says what to do with sentences.
type job struct {
	models     *model.Languages
	tag, parse bool
}

// batch does the job on some sentences, until ctx is done. The parser works on copies if
// it needs tags that are not asked for.
func (j job) batch(ctx context.Context, list []*syntax.Sentence) error {
	if !j.tag && !j.parse {
		return nil
	}
	work := slices.Clone(list)
	for i, s := range list {
		for w := range s.Words {
			if j.parse {
				s.Words[w].Head, s.Words[w].Deprel = syntax.NoHead, ""
			}
		}
		if !j.tag {
			c := *s
			c.Words = slices.Clone(s.Words)
			work[i] = &c
		}
	}
	if err := j.models.Run(ctx, work, model.Request{Effort: 1, Retag: j.tag, TagOnly: !j.parse}); err != nil {
		return err
	}
	for i, s := range list {
		s.Confidence = work[i].Confidence
		for w, parsed := range work[i].Words {
			s.Words[w].Head, s.Words[w].Deprel = parsed.Head, parsed.Deprel
		}
	}
	return nil
}

// each does the job on sentences and hands them on, batch by batch. It has the turn
// but while it hands on, which may wait for the client.
func (s *Server) each(ctx context.Context, t *turn, j job, from sentences, hand func([]*syntax.Sentence) error) error {
	var list []*syntax.Sentence
	words := 0
	flush := func(last bool) error {
		began := time.Now()
		err := t.inTime(ctx, func(ctx context.Context) error { return j.batch(ctx, list) })
		if err != nil {
			return err
		}
		s.metrics.parsed(len(list), words, time.Since(began))
		if last {
			t.give()
		} else if err := t.stay(ctx); err != nil {
			return err
		}
		err = hand(list)
		list, words = list[:0], 0
		return err
	}
	if err := t.take(ctx); err != nil {
		return err
	}
	for sentence, err := range from {
		if err != nil {
			return err
		}
		list, words = append(list, sentence), words+len(sentence.Words)
		if len(list) == batchSentences || words >= batchWords {
			if err := flush(false); err != nil {
				return err
			}
			if err := t.take(ctx); err != nil {
				return err
			}
		}
	}
	return flush(true)
}

// inTime runs f with what is left of the request's time.
func (t *turn) inTime(ctx context.Context, f func(context.Context) error) error {
	c, cancel := context.WithTimeout(ctx, t.left())
	defer cancel()
	err := c.Err()
	if err == nil {
		err = f(c)
	}
	if err != nil && c.Err() != nil && ctx.Err() == nil {
		return &fault{http.StatusServiceUnavailable, "The request took over " + t.gate.limits.Parse.String() + ": send less text at once."}
	}
	return err
}
