package transforms

import (
	"context"
	"fmt"
	"io"
	golog "log"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"golang.org/x/time/rate"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// logger is where LogTo sends notices; nil is Beam's log.
var logger atomic.Pointer[golog.Logger]

// LogTo makes this package, and the stores that it reads, log to w. Without it, this
// package logs to Beam's log and the stores log to standard error. LogTo may be called at
// any time. Each write holds whole lines. They may quote any text of the input.
func LogTo(w io.Writer) {
	logger.Store(golog.New(w, "", golog.Ltime))
	store.LogTo(w)
}

// notice logs what is neither a result nor an error of the run.
func notice(ctx context.Context, severity log.Severity, format string, a ...any) {
	if l := logger.Load(); l != nil {
		l.Printf(format, a...)
		return
	}
	log.Output(ctx, severity, 1, fmt.Sprintf(format, a...))
}

// internal is the fault of a defect of the program.
func internal(what any) syntax.Fault {
	return syntax.Because(syntax.KindInternal, "internal: %s", output.Cut(fmt.Sprint(what), output.FailureText))
}

// shown limits the panics whose stack is logged: every sentence of a large run may
// panic.
var shown = rate.Sometimes{First: 10, Interval: time.Minute}

// recovered logs a panic and returns its fault. It must be called while the panic's
// stack is still in place.
func recovered(what any) syntax.Fault {
	shown.Do(func() { notice(context.Background(), log.SevError, "recovered: %v\n%s", what, debug.Stack()) })
	return internal(what)
}

// leaves is the process-wide limit of work under way. A goroutine of each has a token
// until no block or sentence of its stage is left, and never waits for another, so any
// number of bundles can share them without a deadlock. Two bundles do not
// take turns sentence by sentence: handing over a token costs more than a short one.
var leaves atomic.Pointer[chan struct{}]

func init() { SetCores(runtime.GOMAXPROCS(0)) }

// SetCores sets how many blocks or sentences this process works on at once, at least 1.
// The default is GOMAXPROCS at the start of the program. SetCores changes no result.
func SetCores(n int) {
	tokens := make(chan struct{}, n)
	leaves.Store(&tokens)
}

// Cores is what SetCores has set.
func Cores() int { return cap(*leaves.Load()) }

// each calls body(i) for every i in [0, n), the heaviest first by weight, on
// as many goroutines as the process may use, and returns when all are done.
// body stores what it makes under its own index, so order never changes. A
// panic in body(i) is recovered, its stack logged, and its fault put in
// panics[i]; panics is nil if there was none.
func each(n int, weight func(i int) int, body func(i int)) (panics []syntax.Fault) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(b) - weight(a) })

	tokens := *leaves.Load()
	var next atomic.Int64
	var mu sync.Mutex
	one := func(i int) {
		defer func() {
			if r := recover(); r != nil {
				fault := recovered(r)
				mu.Lock()
				defer mu.Unlock()
				if panics == nil {
					panics = make([]syntax.Fault, n)
				}
				panics[i] = fault
			}
		}()
		body(i)
	}
	var wait sync.WaitGroup
	for range min(n, cap(tokens)) {
		wait.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			for at := int(next.Add(1)) - 1; at < n; at = int(next.Add(1)) - 1 {
				one(order[at])
			}
		})
	}
	wait.Wait()
	return panics
}
