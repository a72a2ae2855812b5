package serve

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// A gate admits requests in four steps. It limits the open requests, then the bytes of
// their bodies, then the memory reserved for answers, then the requests parsed at once
// (turn). Waiting requests are admitted in order.
type gate struct {
	limits Limits
	opened atomic.Int64
	parses atomic.Int64 // requests that are parsed
	most   atomic.Int64 // the most that there were at once
	bodies *semaphore.Weighted
	memory *semaphore.Weighted
	slots  *semaphore.Weighted
	seats  *semaphore.Weighted
}

func newGate(l Limits) *gate {
	return &gate{
		limits: l, bodies: semaphore.NewWeighted(l.Bodies), memory: semaphore.NewWeighted(l.Memory),
		slots: semaphore.NewWeighted(int64(l.Parallel)), seats: semaphore.NewWeighted(int64(l.Parallel)),
	}
}

// smallBody is how much of a body is read without room among the bodies: Limits.Open
// of them take 16 MiB. So a client that announces much and sends nothing, or sends it
// slowly, holds up only others that send much.
const smallBody = 16 << 10

// weight estimates what a request with n bytes of parameters holds while it is
// answered: the body, its decoded parameters, a batch of sentences and a piece of the
// answer.
func weight(n int64) int64 { return 192<<10 + 3*n }

// open is the number of open requests.
func (g *gate) open() int64 { return g.opened.Load() }

// A place is what an open request holds. It is not safe for concurrent use.
type place struct {
	gate         *gate
	body, memory int64
}

// enter opens a request; leave closes it.
func (g *gate) enter() (*place, error) {
	if g.opened.Add(1) > int64(g.limits.Open) {
		g.opened.Add(-1)
		return nil, busy("The server has %d requests open, and takes no more.", g.limits.Open)
	}
	return &place{gate: g}, nil
}

// receive waits for the room of a body of n bytes.
func (p *place) receive(ctx context.Context, n int64) error {
	err := p.gate.acquire(ctx, p.gate.bodies, n)
	if err == nil {
		p.body = n
	}
	return err
}

// answer waits for the memory to answer a request with n bytes of parameters. The room
// of its body goes to the next one.
func (p *place) answer(ctx context.Context, n int64) error {
	if err := p.gate.acquire(ctx, p.gate.memory, weight(n)); err != nil {
		return err
	}
	p.memory = weight(n)
	p.gate.bodies.Release(p.body)
	p.body = 0
	return nil
}

// leave gives everything back.
func (p *place) leave() {
	p.gate.bodies.Release(p.body)
	p.gate.memory.Release(p.memory)
	p.gate.opened.Add(-1)
}

// A turn is the right of a request to parse. It goes to the next request after every
// batch, so that a short text does not wait for the end of a long one. Only long
// requests that have a seat take turns at once: if all did, all would end late. A turn
// is not safe for concurrent use.
type turn struct {
	gate        *gate
	has, seated bool
	spent       time.Duration // in turns and between them, without waiting
	since       time.Time     // when that was counted
}

// turn returns a turn that a request does not have yet.
func (g *gate) turn() *turn { return &turn{gate: g, since: time.Now()} }

// take waits for the turn: until ctx is done or, unless t is seated, for limits.Wait.
func (t *turn) take(ctx context.Context) error {
	if t.has {
		return nil
	}
	return t.wait(func() error {
		var err error
		if t.seated {
			err = t.gate.slots.Acquire(ctx, 1)
		} else {
			err = t.gate.acquire(ctx, t.gate.slots, 1)
		}
		if err != nil {
			return err
		}
		t.has = true
		n := t.gate.parses.Add(1)
		for most := t.gate.most.Load(); n > most && !t.gate.most.CompareAndSwap(most, n); most = t.gate.most.Load() {
		}
		return nil
	})
}

// give ends the turn, if t has it.
func (t *turn) give() {
	if t.has {
		t.has = false
		t.gate.parses.Add(-1)
		t.gate.slots.Release(1)
	}
}

// stay gives the turn, and waits until the request may have more turns. It must
// have one, or be seated.
func (t *turn) stay(ctx context.Context) error {
	t.give()
	if t.seated {
		return nil
	}
	return t.wait(func() error {
		err := t.gate.acquire(ctx, t.gate.seats, 1)
		t.seated = err == nil
		return err
	})
}

// end gives everything back.
func (t *turn) end() {
	t.give()
	if t.seated {
		t.seated = false
		t.gate.seats.Release(1)
	}
}

// wait calls f without counting its time.
func (t *turn) wait(f func() error) error {
	t.left()
	err := f()
	t.since = time.Now()
	return err
}

// left is what is left of the request's time.
func (t *turn) left() time.Duration {
	now := time.Now()
	t.spent += now.Sub(t.since)
	t.since = now
	return t.gate.limits.Parse - t.spent
}

// acquire takes n from s, and waits if necessary.
func (g *gate) acquire(ctx context.Context, s *semaphore.Weighted, n int64) error {
	if s.TryAcquire(n) { // what is free needs no time, however slow the machine is
		return nil
	}
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
