package train

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/treebeam/treebeam/parser/syntax"
)

// forEach runs a stage over all sentences in place with so many workers (0 is
// GOMAXPROCS). The error is that of the first sentence that has one; a panic
// of the stage is one too.
func forEach(sents []syntax.Sentence, workers int, run stage) error {
	return parallel(len(sents), workers, func(i int) error {
		if err := guarded(func() error { return run(&sents[i]) }); err != nil {
			return fmt.Errorf("sentence %d (%s): %w", i+1, sents[i].ID, err)
		}
		return nil
	})
}

// parallel calls run for 0..n-1, in any order, and returns the error of the
// lowest i.
func parallel(n, workers int, run func(i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = guarded(func() error { return run(i) })
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// guarded returns the error of run; a panic is one, with its stack.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal: %v\n%s", p, debug.Stack())
		}
	}()
	return run()
}
