package transforms

import (
	"context"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/treebeam/treebeam/parser/syntax"
)

// MetricsNamespace is the namespace of all counters and distributions of this package. No
// result depends on them. They count work: a bundle that is retried may count twice, and a
// range that was done before counts only as skipped.
const MetricsNamespace = "treebeam"

func counter(name string) beam.Counter { return beam.NewCounter(MetricsNamespace, name) }

var metrics = struct {
	rangesWritten, rangesSkipped, bytes                   beam.Counter
	sentences, tokens, restarts, exact, headsWeighed      beam.Counter
	tokensEncoded                                         beam.Counter
	repaired, long, budget                                beam.Counter
	sentenceLength, work, chunkSentences, modelLoadMillis beam.Distribution
}{
	rangesWritten:   counter("ranges_written"),
	rangesSkipped:   counter("ranges_skipped"),
	bytes:           counter("decompressed_bytes"),
	sentences:       counter("sentences"),
	tokens:          counter("tokens"),
	restarts:        counter("restarts"),
	exact:           counter("sentences_exact"),
	headsWeighed:    counter("heads_weighed"),
	tokensEncoded:   counter("tokens_encoded"),
	repaired:        counter("sentences_repaired"),
	long:            counter("sentences_long"),
	budget:          counter("sentences_over_budget"),
	sentenceLength:  beam.NewDistribution(MetricsNamespace, "tokens_per_sentence"),
	work:            beam.NewDistribution(MetricsNamespace, "heads_weighed_per_sentence"),
	chunkSentences:  beam.NewDistribution(MetricsNamespace, "sentences_per_chunk"),
	modelLoadMillis: beam.NewDistribution(MetricsNamespace, "model_load_ms"),
}

// safely calls tell, which tells Beam something. If it fails, the run goes on.
func safely(ctx context.Context, tell func()) {
	defer func() {
		if r := recover(); r != nil {
			notice(ctx, log.SevWarn, "metrics: %v", r)
		}
	}()
	tell()
}

// count tells Beam what a written chunk holds. It costs some nanoseconds a
// sentence. If it fails, the run goes on.
func (c *Chunk) count(ctx context.Context) { safely(ctx, func() { c.countAll(ctx) }) }

func (c *Chunk) countAll(ctx context.Context) {
	if ms := loadMillis.Swap(0); ms > 0 {
		metrics.modelLoadMillis.Update(ctx, ms)
	}
	if c.Skip {
		metrics.rangesSkipped.Inc(ctx, 1)
		return
	}
	var tokens, restarts, exact, weighed int64
	var status [syntax.Budget + 1]int64
	for i := range c.Sentences {
		s := &c.Sentences[i].Sentence
		tokens += int64(len(s.Words))
		restarts += int64(s.Confidence.Restarts)
		if s.Confidence.Restarts == 0 {
			exact++
		}
		weighed += s.Confidence.Weighed
		status[min(s.Status, syntax.Budget)]++
		metrics.sentenceLength.Update(ctx, int64(len(s.Words)))
		metrics.work.Update(ctx, s.Confidence.Weighed)
	}
	m := &metrics
	inc(ctx, m.sentences, int64(len(c.Sentences)))
	inc(ctx, m.tokens, tokens)
	inc(ctx, m.restarts, restarts)
	inc(ctx, m.exact, exact)
	inc(ctx, m.headsWeighed, weighed)
	inc(ctx, m.repaired, status[syntax.Repaired])
	inc(ctx, m.long, status[syntax.Long])
	inc(ctx, m.budget, status[syntax.Budget])
	m.chunkSentences.Update(ctx, int64(len(c.Sentences)))
	for i := range c.Failures {
		failureCounter(&c.Failures[i].Failure).Inc(ctx, 1)
	}
	if c.Last {
		m.rangesWritten.Inc(ctx, 1)
		bytes := int64(0)
		for i := range c.Ends {
			bytes += c.Ends[i].End - c.Ends[i].Start
		}
		inc(ctx, m.bytes, bytes)
	}
}

// inc leaves counters that are 0 out of the list.
func inc(ctx context.Context, c beam.Counter, n int64) {
	if n != 0 {
		c.Inc(ctx, n)
	}
}

// failureCounters are the counters of failures by name. Stages and kinds are
// closed lists, so there are not many.
var failureCounters sync.Map // string -> beam.Counter

// failureCounter is the counter of rows like f: failures_STAGE_KIND, or
// warnings_STAGE_KIND.
func failureCounter(f *syntax.Failure) beam.Counter {
	name := "failures_"
	if f.Severity == syntax.SeverityWarning {
		name = "warnings_"
	}
	name += f.Stage + "_" + f.Kind.String()
	c, ok := failureCounters.Load(name)
	if !ok {
		c, _ = failureCounters.LoadOrStore(name, counter(name))
	}
	return c.(beam.Counter)
}
