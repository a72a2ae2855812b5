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
// GOMAXPROCS). A panic of the stage becomes the error.
func forEach(sents []syntax.Sentence, workers int, run stage) error {
	return parallel(len(sents), workers, func(i int) { run(&sents[i]) })
}

// parallel calls run for 0..n-1, in any order.
func parallel(n, workers int, run func(i int)) (err error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var once sync.Once
	for range min(workers, n) {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { err = fmt.Errorf("internal: %v\n%s", p, debug.Stack()) })
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				run(i)
			}
		})
	}
	wg.Wait()
	return err
}
