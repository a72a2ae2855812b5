package serve

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// buckets are the upper ends of the histogram of times, in seconds.
var buckets = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// metrics count what the server does.
type metrics struct {
	sync.Mutex
	requests  map[[2]string]int64 // by path and status
	times     map[string]*times   // of /process and /tree
	sentences int64
	words     int64
	parsing   time.Duration
}

// times is a histogram of times.
type times struct {
	counts [len(buckets) + 1]int64 // by the smallest end that is large enough
	sum    time.Duration
}

func newMetrics() *metrics {
	return &metrics{requests: map[[2]string]int64{}, times: map[string]*times{"/process": {}, "/tree": {}}}
}

// request counts a request that was answered, or cut.
func (m *metrics) request(path string, status int, took time.Duration) {
	m.Lock()
	defer m.Unlock()
	m.requests[[2]string{path, fmt.Sprint(status)}]++
	if t := m.times[path]; t != nil {
		at, _ := slices.BinarySearch(buckets[:], took.Seconds())
		t.counts[at]++
		t.sum += took
	}
}

// parsed counts the sentences of a batch.
func (m *metrics) parsed(sentences, words int, took time.Duration) {
	m.Lock()
	defer m.Unlock()
	m.sentences += int64(sentences)
	m.words += int64(words)
	m.parsing += took
}

// writeMetrics answers /metrics in the text format of Prometheus, version 0.0.4.
func (s *Server) writeMetrics(w *answer, r *http.Request) error {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var b strings.Builder
	metric := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP treebeam_%s %s\n# TYPE treebeam_%[1]s %[3]s\n", name, help, kind)
	}
	value := func(name, kind, help string, v any) {
		metric(name, kind, help)
		fmt.Fprintf(&b, "treebeam_%s %v\n", name, v)
	}
	metric("build_info", "gauge", "The version of the program.")
	fmt.Fprintf(&b, "treebeam_build_info{version=%s} 1\n", label(s.version))
	metric("model_info", "gauge", "The models that are served.")
	for _, one := range s.models.list {
		fmt.Fprintf(&b, "treebeam_model_info{name=%s,digest=%s} 1\n", label(one.name), label(one.model.Digest))
	}
	value("open_requests", "gauge", "Requests that are read, wait, are parsed or answered.", s.gate.open())
	value("parsing_requests", "gauge", "Requests that are parsed.", s.gate.parses.Load())
	value("parsing_requests_limit", "gauge", "How many requests are parsed at once.", s.limits.Parallel)
	value("heap_bytes", "gauge", "Bytes of the heap in use.", memory.HeapInuse)
	value("goroutines", "gauge", "Goroutines of the process.", runtime.NumGoroutine())

	s.metrics.Lock()
	value("sentences_total", "counter", "Sentences that were worked on.", s.metrics.sentences)
	value("words_total", "counter", "Words of these sentences.", s.metrics.words)
	value("parsing_seconds_total", "counter", "Time spent on these sentences, added up over requests.", s.metrics.parsing.Seconds())
	metric("requests_total", "counter", "Answers by path and status; 499 was not sent to its end.")
	byName := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(s.metrics.requests), byName) {
		fmt.Fprintf(&b, "treebeam_requests_total{path=%s,status=%s} %d\n", label(key[0]), label(key[1]), s.metrics.requests[key])
	}
	metric("request_seconds", "histogram", "Time from the head of a request to the end of its answer.")
	for _, path := range slices.Sorted(maps.Keys(s.metrics.times)) {
		t, sum := s.metrics.times[path], int64(0)
		for i, n := range t.counts {
			sum += n
			end := "+Inf"
			if i < len(buckets) {
				end = fmt.Sprint(buckets[i])
			}
			fmt.Fprintf(&b, "treebeam_request_seconds_bucket{path=%s,le=%s} %d\n", label(path), label(end), sum)
		}
		fmt.Fprintf(&b, "treebeam_request_seconds_sum{path=%s} %v\n", label(path), t.sum.Seconds())
		fmt.Fprintf(&b, "treebeam_request_seconds_count{path=%s} %d\n", label(path), sum)
	}
	s.metrics.Unlock()

	return w.send("text/plain; version=0.0.4; charset=utf-8", []byte(b.String()))
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// label is the value of a label, in quotes.
func label(s string) string { return `"` + labelEscapes.Replace(s) + `"` }
