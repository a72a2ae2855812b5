package serve

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// A gate lets requests in: as many as may be open, then as many as memory is
// reserved for, then as many as are parsed at once. Those who wait come in order.
type gate struct {
	limits Limits
	opened atomic.Int64
	parses atomic.Int64 // requests that are parsed
	most   atomic.Int64 // the most that there were at once
	memory *semaphore.Weighted
	slots  *semaphore.Weighted
}

func newGate(l Limits) *gate {
	return &gate{limits: l, memory: semaphore.NewWeighted(l.Memory), slots: semaphore.NewWeighted(int64(l.Parallel))}
}

// weight estimates what a request with a body of n bytes holds: the body, its
// decoded parameters, a batch of sentences and a piece of the answer.
func weight(n int64) int64 { return 192<<10 + 3*n }

// open is the number of open requests.
func (g *gate) open() int64 { return g.opened.Load() }

// enter reserves what a request with a body of n bytes needs; leave gives it back.
func (g *gate) enter(ctx context.Context, n int64) (leave func(), err error) {
	if g.opened.Add(1) > int64(g.limits.Open) {
		g.opened.Add(-1)
		return nil, busy("The server has %d requests open, and takes no more.", g.limits.Open)
	}
	if err := g.acquire(ctx, g.memory, weight(n)); err != nil {
		g.opened.Add(-1)
		return nil, err
	}
	return func() {
		g.memory.Release(weight(n))
		g.opened.Add(-1)
	}, nil
}

// parse waits for the turn of a request; done, which may be called more than
// once, ends it.
func (g *gate) parse(ctx context.Context) (done func(), err error) {
	if err := g.acquire(ctx, g.slots, 1); err != nil {
		return nil, err
	}
	n := g.parses.Add(1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	var once atomic.Bool
	return func() {
		if !once.Swap(true) {
			g.parses.Add(-1)
			g.slots.Release(1)
		}
	}, nil
}

// acquire waits for n of what s has.
func (g *gate) acquire(ctx context.Context, s *semaphore.Weighted, n int64) error {
	wait, cancel := context.WithTimeout(ctx, g.limits.Wait)
	defer cancel()
	if s.Acquire(wait, n) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return busy("The server is busy: this request waited for %v.", g.limits.Wait.Round(time.Millisecond))
}

func busy(format string, a ...any) error {
	f := badRequest(format, a...).(*fault)
	f.status, f.text = http.StatusServiceUnavailable, f.text+" Try again later."
	return f
}
