package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// A Watch measures the progress of a run. Its rates count the work since the watch
// began, here or on the machines of an engine, and none of earlier runs. No result
// depends on it.
type Watch struct {
	Before Parts // what was done when it began; zero if it was not asked for

	run     *Prepared
	asked   bool
	start   time.Time
	counted counted
	elapsed time.Duration // when it was stopped
}

// counted is what transforms.Progress said at one time.
type counted struct{ bytes, words, parts, skipped, damaged int64 }

func countedNow() counted {
	p := &transforms.Progress
	return counted{p.Bytes.Load(), p.Words.Load(), p.Written.Load() + p.Skipped.Load(), p.Skipped.Load(), p.Damaged.Load()}
}

// Watch begins to watch a run that is about to start. With ask, it first counts the
// parts in the output.
func (p *Prepared) Watch(ctx context.Context, ask bool) *Watch {
	w := &Watch{run: p, asked: ask, start: time.Now(), counted: countedNow()}
	if ask {
		w.Before = p.before(ctx)
	}
	return w
}

// before counts the parts that the run leaves as they are. With --retry-failures, what is in
// a part decides; otherwise its name does.
func (p *Prepared) before(ctx context.Context) (s Parts) {
	if !p.Job.Redo {
		return p.Finished(ctx)
	}
	k := 0
	for found, err := range p.Job.Found(ctx) {
		if err != nil {
			break
		}
		if found.Done {
			s.Parts++
			s.Bytes += p.sizes[k]
		}
		k++
	}
	return s
}

// A Going is the progress of a run.
type Going struct {
	Elapsed time.Duration // since the watch began
	Total   int64         // stored bytes of the whole input
	Before  int64         // of these, in parts that were done then
	Bytes   int64         // of the others, done now
	Ranges  int64         // how many parts there will be
	Parts   int64         // of these, done when the watch began
	Seen    int64         // found done or finished since then
	Here    bool          // the work is done in this process, which counts words
	Words   int64         // parsed since then
}

// Going returns the progress of the run. If the run works elsewhere, it asks the store
// for the names of the parts.
func (w *Watch) Going(ctx context.Context) Going {
	g := Going{
		Elapsed: time.Since(w.start), Ranges: int64(w.run.Job.Ranges), Total: w.run.Bytes,
		Parts: int64(w.Before.Parts), Before: w.Before.Bytes,
	}
	if w.run.Here() {
		now := countedNow()
		g.Here, g.Words = true, now.words-w.counted.words
		g.Bytes, g.Seen = now.bytes-w.counted.bytes, now.parts-w.counted.parts
		return g
	}
	now := w.run.Finished(ctx)
	g.Bytes, g.Seen = now.Bytes-w.Before.Bytes, int64(now.Parts)
	return g
}

// Rate is the number of words per second since the watch began.
func (g *Going) Rate() float64 { return rate(g.Words, g.Elapsed) }

func rate(words int64, elapsed time.Duration) float64 {
	return float64(words) / max(elapsed.Seconds(), 1e-3)
}

// Percent is the share of the input that is done, from 0 to 100. It is false if the
// input has no bytes.
func (g *Going) Percent() (p int, known bool) {
	if g.Total <= 0 {
		return 0, false
	}
	return int(min(100*float64(g.Before+g.Bytes)/float64(g.Total), 100)), true
}

// Left estimates the time left from the speed since the watch began. It is false if
// nothing was done since then.
func (g *Going) Left() (left time.Duration, known bool) {
	rest := g.Total - g.Before - g.Bytes
	if g.Bytes <= 0 || rest < 0 {
		return 0, false
	}
	return time.Duration(float64(g.Elapsed) * float64(rest) / float64(g.Bytes)), true
}

// Stop ends the watch.
func (w *Watch) Stop() { w.elapsed = time.Since(w.start) }

// A Done is the work of this run, without the work of earlier ones.
type Done struct {
	Elapsed  time.Duration
	Words    int64 // parsed
	Known    bool  // whether Words is known: the run worked in this process, or had nothing to resume
	Earlier  int64 // parts that an earlier run had finished
	Finished int64 // parts finished since
	Damaged  int64 // damaged parts that were made again; 0 if the run worked elsewhere
}

// Done returns the work until Stop. sum is the summary of the whole output, nil if
// unknown. The work of an engine's machines is computed from the parts that existed
// before, if Watch was told to ask.
func (w *Watch) Done(sum *output.Summary) Done {
	d := Done{Elapsed: w.elapsed}
	if w.run.Here() {
		now := countedNow()
		d.Known, d.Words, d.Earlier = true, now.words-w.counted.words, now.skipped-w.counted.skipped
		d.Finished, d.Damaged = now.parts-w.counted.parts-d.Earlier, now.damaged-w.counted.damaged
		return d
	}
	d.Earlier = int64(w.Before.Parts)
	d.Finished = int64(w.run.Job.Ranges) - d.Earlier
	if d.Known = d.Earlier == 0 && w.asked && sum != nil; d.Known {
		d.Words = sum.Words
	}
	return d
}

// Add adds the work of another run.
func (d *Done) Add(o Done) {
	d.Elapsed += o.Elapsed
	d.Words += o.Words
	d.Known = d.Known && o.Known
	d.Earlier += o.Earlier
	d.Finished += o.Finished
	d.Damaged += o.Damaged
}

// Rate is the number of words per second, if Known.
func (d *Done) Rate() float64 { return rate(d.Words, d.Elapsed) }

// Parts counts the finished parts of a run by the names of their files.
type Parts struct {
	Parts int
	Bytes int64 // of stored input in them
}

// Finished counts the parts in the output now. It asks the store for the names in one
// folder. Parts that it cannot see count as missing.
func (p *Prepared) Finished(ctx context.Context) Parts {
	var s Parts
	folder := store.Join(p.Job.Output, "trees")
	for info, err := range store.List(ctx, folder) {
		if err != nil {
			break
		}
		name := store.Within(folder, info.Name)
		var k int
		if _, err := fmt.Sscanf(name, "part-%d-of-", &k); err != nil || !output.IsPart(name, p.Job.FP) || k < 0 || k >= len(p.sizes) {
			continue
		}
		s.Parts++
		s.Bytes += p.sizes[k]
	}
	return s
}

// Here reports whether the stages run in this process, so that
// transforms.Progress counts them.
func (p *Prepared) Here() bool { return p.here }
