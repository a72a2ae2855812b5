package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Of TestWatchKilled: -kills 30 -killseed 7 for a longer search. Of TestWatchMemory:
// -watchfiles 100000.
var (
	watchKills = flag.Int("kills", 6, "how many processes TestWatchKilled kills")
	killSeed   = flag.Uint64("killseed", 1, "what its moments depend on")
	watchFiles = flag.Int("watchfiles", 2400, "how many files come in TestWatchMemory")
)

// A watchProcess is treebeam parse --watch in a process group of its own.
type watchProcess struct {
	t       *testing.T
	cmd     *exec.Cmd
	said    said // on standard error
	reports chan generationReport
}

// said is text that a process is still writing.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// says waits until the watch has said something.
func (p *watchProcess) says(words string) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(p.said.String(), words); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("no %q in\n%s", words, &p.said)
		}
	}
}

// A watched input is a folder where files arrive, beside the output of a watch.
type watched struct {
	t       *testing.T
	dir     string
	in, out string
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	dir := memoryFolder(t)
	w := &watched{t, dir, filepath.Join(dir, "in"), filepath.Join(dir, "out")}
	must(t, os.Mkdir(w.in, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o755))
	return w
}

func (w *watched) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.in, name)
	must(w.t, os.WriteFile(path+".part", []byte(text), 0o644), os.Rename(path+".part", path))
}

// start starts a watch with more flags, every 20 ms if they do not say when.
func (w *watched) start(more ...string) *watchProcess {
	w.t.Helper()
	p := &watchProcess{t: w.t, reports: make(chan generationReport, 1000)}
	if !slices.Contains(more, "--every") {
		more = append(more, "--every", "20ms")
	}
	p.cmd = exec.Command(os.Args[0], append([]string{"parse", "--watch", w.in, "--output", w.out, "--model", transformstest.ModelURI, "--json"}, more...)...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+filepath.Join(w.dir, "tmp"))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = &p.said
	out, err := p.cmd.StdoutPipe()
	must(w.t, err, p.cmd.Start())
	w.t.Cleanup(func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
	go func() {
		defer close(p.reports)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var r generationReport
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				p.reports <- r
			}
		}
		io.Copy(io.Discard, out)
	}()
	return p
}

// next is what the next generation did that did something.
func (p *watchProcess) next() generationReport {
	p.t.Helper()
	select {
	case r, more := <-p.reports:
		if !more {
			p.t.Fatalf("the watch has ended: %v\n%s", p.cmd.Wait(), &p.said)
		}
		return r
	case <-time.After(5 * time.Minute):
		p.t.Fatal("no generation in 5 minutes")
	}
	panic("unreachable")
}

// worker is the process of a generation, 0 if there is none.
func (p *watchProcess) worker() int {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		if pids := strings.Fields(string(text)); len(pids) > 0 {
			pid, _ := strconv.Atoi(pids[0])
			return pid
		}
	}
	return 0
}

// end sends a signal and waits for the end of the watch, which must have a status.
func (p *watchProcess) end(sig syscall.Signal, status int) {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(sig))
	for range p.reports {
	}
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		p.t.Errorf("status %d, want %d\n%s", got, status, &p.said)
	}
}

// trees are the current trees, as CoNLL-U.
func (w *watched) trees() string {
	_, trees, _ := treebeam(w.t, "", "convert", w.out, "--to", "conllu")
	return trees
}

// parsed are the trees of one parse of all files in a folder.
func (w *watched) parsed(folder string) string {
	w.t.Helper()
	out := filepath.Join(w.t.TempDir(), "out")
	ends(w.t, exitOK, "", toyCommand(folder, "--output", out, "--quiet")...)
	_, trees, _ := treebeam(w.t, "", "convert", out, "--to", "conllu")
	return trees
}

// Files that arrive, change, go and are no text, a second watch, a window that ends, a
// start when nothing is new, and what is printed.
func TestWatch(t *testing.T) {
	w := newWatched(t)
	w.write("a.txt", "One . Two .\n")
	p := w.start()
	if r := p.next(); r.Trees != 2 || r.Documents != 1 {
		t.Errorf("%+v", r)
	}
	second := w.start()
	for range second.reports {
	}
	if second.cmd.Wait(); second.cmd.ProcessState.ExitCode() != exitRefused || !strings.Contains(second.said.String(), "another watch") {
		t.Errorf("a second watch: %v\n%s", second.cmd.ProcessState, &second.said)
	}
	w.write("b.txt.tmp", "Three .\n")
	w.write("c.pdf", "%PDF-1.7\n")
	if r := p.next(); r.Errors != 1 || r.Trees != 0 || r.Documents != 2 {
		t.Errorf("a file that is no text: %+v", r)
	}
	must(t, os.Rename(filepath.Join(w.in, "b.txt.tmp"), filepath.Join(w.in, "b.txt")), os.Remove(filepath.Join(w.in, "a.txt")))
	if r := p.next(); r.Trees != 1 || r.Documents != 3 {
		t.Errorf("a file that was renamed: %+v", r)
	}
	w.write("b.txt", "Another text . It is longer .\n")
	if r := p.next(); r.Trees != 2 || r.Night.Counts["changed"] != 1 || r.Documents != 3 {
		t.Errorf("a file that was replaced: %+v", r)
	}
	for _, text := range []string{"One .", "Another text ."} {
		if trees := w.trees(); !strings.Contains(trees, "# text = "+text) {
			t.Errorf("no %q in\n%s", text, trees)
		}
	}
	p.end(syscall.SIGTERM, exitOK)
	for _, want := range []string{"watching " + w.in + " every 20ms", "files: 1 changed: 2 trees", "1 failure; ", "a second signal"} {
		p.says(want)
	}
	p = w.start("--window", "1000h") // not the window from before
	if r := p.next(); len(r.Merged) != 1 || r.Documents != 3 {
		t.Errorf("a window that has ended: %+v", r)
	} else if _, err := os.Stat(filepath.Join(w.out, "data", r.Merged[0], output.ManifestFile)); err != nil {
		t.Error(err)
	}
	p.says("a window has ended")
	p.end(syscall.SIGTERM, exitOK)
	p = w.start("--window", "1000h", "--quiet", "--allow-deletes")
	if r := p.next(); r.Night.Counts["deleted"] != 1 || r.Documents != 2 || len(r.Night.Runs) != 0 {
		t.Errorf("with --allow-deletes: %+v", r)
	}
	must(t, os.Remove(filepath.Join(w.in, "c.pdf")))
	if r := p.next(); r.Documents != 1 {
		t.Errorf("with --allow-deletes: %+v", r)
	}
	p.end(syscall.SIGINT, exitOK)
	if text := p.said.String(); text != "" {
		t.Errorf("--quiet: %s", text)
	}
}

// Input and output are in a bucket, which is not there for a while; everything is killed.
func TestWatchBucket(t *testing.T) {
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	must(t, err)
	fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	var away, hang atomic.Bool
	held := make(chan bool)
	server := storetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.NotFound(w, r)
			return
		}
		if hang.Load() && r.Method != http.MethodGet {
			<-held
		}
		fake.HTTPHandler().ServeHTTP(w, r)
	}))
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	w := newWatched(t)
	w.in, w.out = "gs://bucket/in", "gs://bucket/out"
	put := func(name, text string) {
		must(t, store.WriteFile(t.Context(), w.in+"/"+name, []byte(text), store.Options{Expect: store.Anything}))
	}
	put("a.txt", "One .\n")
	p := w.start()
	if r := p.next(); r.Documents != 1 {
		t.Errorf("%+v", r)
	}
	put("b.txt", "Two . Three .\n")
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.cmd.Wait()
	p = w.start()
	if r := p.next(); r.Documents != 2 || r.Trees != 2 {
		t.Errorf("%+v", r)
	}
	away.Store(true)
	p.says("trying again in 40ms")
	away.Store(false)
	put("c.txt", "Four .\n")
	for r := p.next(); r.Documents < 3; r = p.next() {
	}
	p.end(syscall.SIGTERM, exitOK)
	if trees := w.trees(); strings.Count(trees, "# text = ") != 4 {
		t.Error(trees)
	}
	// A generation that does not end is ended by a second signal.
	p = w.start()
	p.says("watching")
	hang.Store(true)
	defer close(held)
	fake.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "bucket", Name: "in/d.txt"}, Content: []byte("Five .\n")})
	for p.worker() == 0 {
		time.Sleep(time.Millisecond)
	}
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.says("a second signal")
	p.end(syscall.SIGTERM, exitInterrupted)
	p.says(continues())
}

// What goes wrong meanwhile is said and tried again: an input that is not there, an
// output that cannot be written.
func TestWatchGoesOn(t *testing.T) {
	w := newWatched(t)
	w.write("a.txt", "One .\n")
	p := w.start()
	p.next()
	must(t, os.Rename(w.in, w.in+"-away"))
	p.says("does not exist")
	must(t, os.Rename(w.in+"-away", w.in))
	data := filepath.Join(w.out, "data")
	must(t, os.Rename(data, data+"-away"), os.WriteFile(data, nil, 0o644))
	w.write("b.txt", "Two .\n")
	p.says("the generation of 1 file failed")
	must(t, os.Remove(data), os.Rename(data+"-away", data))
	if r := p.next(); r.Documents != 2 || r.Trees != 1 {
		t.Errorf("%+v", r)
	}
	p.end(syscall.SIGTERM, exitOK)
}

// A watch looks for files although each of its generations takes longer than a window.
func TestWatchShortWindow(t *testing.T) {
	w := newWatched(t)
	p := w.start("--every", "10ms", "--window", "10ms")
	for i := range 3 {
		w.write(fmt.Sprintf("%d.txt", i), "One .\n")
		for r := p.next(); r.Documents <= int64(i); r = p.next() { // reports of windows that have ended, too
		}
	}
	p.end(syscall.SIGTERM, exitOK)
}

// Whatever is killed, and whenever, the same command goes on: no file is lost, none has
// its trees twice, and all trees are those of one parse.
func TestWatchKilled(t *testing.T) {
	w := newWatched(t)
	all := filepath.Join(w.dir, "all") // all files, also those that are removed from the input
	must(t, os.Mkdir(all, 0o755))
	rng := rand.New(rand.NewPCG(*killSeed, 1))
	var writing sync.WaitGroup
	stop := make(chan bool)
	writing.Go(func() { w.arrive(rand.New(rand.NewPCG(*killSeed, 2)), all, stop) })
	start := func() *watchProcess { return w.start("--quiet", "--window", "2s") }
	p, hit := start(), map[string]int{}
	for range *watchKills {
		time.Sleep(time.Duration(rng.IntN(600)) * time.Millisecond)
		worker := p.worker()
		switch kind := rng.IntN(3); {
		case kind == 0 && worker > 0:
			syscall.Kill(worker, syscall.SIGKILL)
			hit["generation"]++
			continue // the watch starts another one
		case kind == 0 || kind == 1:
			syscall.Kill(p.cmd.Process.Pid, syscall.SIGKILL)
			hit["watch"]++
		default:
			syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			hit["all"]++
		}
		if worker > 0 {
			hit["at work"]++
		}
		p.cmd.Wait()
		p = start()
	}
	close(stop)
	writing.Wait()
	want := w.parsed(all)
	for end := time.Now().Add(time.Minute); w.trees() != want; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			p.end(syscall.SIGTERM, exitOK)
			t.Fatalf("the trees are not those of one parse, %s\n%s", firstDifference(w.trees(), want), &p.said)
		}
	}
	p.end(syscall.SIGTERM, exitOK)
	t.Logf("killed: %v; %d sentences", hit, strings.Count(want, "# text = "))
}

// arrive writes files as programs do: at once, slowly, under another name first. It
// replaces some of them, and removes some whose trees are there.
func (w *watched) arrive(rng *rand.Rand, all string, stop chan bool) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(rng.IntN(40)) * time.Millisecond):
		}
		name := fmt.Sprintf("%05d.txt", i)
		if i > 10 && rng.IntN(5) == 0 {
			name = fmt.Sprintf("%05d.txt", i-rng.IntN(10))
		}
		text := fmt.Sprintf("File %d has come . %s\nIts end .\n", i, strings.Repeat("It goes on . ", rng.IntN(20)))
		path := filepath.Join(w.in, name)
		switch rng.IntN(3) {
		case 0:
			w.write(name, text)
		case 1:
			f, err := os.Create(path)
			must(w.t, err)
			f.WriteString(text[:len(text)/2])
			time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
			f.WriteString(text[len(text)/2:])
			must(w.t, f.Close())
		case 2:
			w.write(name+".part", text)
			must(w.t, os.Rename(path+".part", path))
		}
		must(w.t, os.WriteFile(filepath.Join(all, name), []byte(text), 0o644))
	}
}

// Files that come and go leave nothing in the memory of the watch, and a generation needs
// no more for its files when the output holds many others.
func TestWatchMemory(t *testing.T) {
	w := newWatched(t)
	note := filepath.Join(w.dir, "peak")
	t.Setenv(asMeasured, note)
	p := w.start("--quiet")
	const rounds = 8
	files := *watchFiles / rounds
	var first, last [2]int64 // of the watch, of a generation: the most of the first rounds, the least of the last
	for round := range rounds {
		for i := range files {
			w.write(fmt.Sprintf("%d-%d.txt.part", round, i), "The ship left the harbour .\n")
		}
		for i := range files {
			path := filepath.Join(w.in, fmt.Sprintf("%d-%d.txt", round, i))
			must(t, os.Rename(path+".part", path))
		}
		for r := p.next(); r.Documents < int64((round+1)*files); r = p.next() {
		}
		text, err := os.ReadFile(note)
		must(t, err)
		generation, err := strconv.ParseInt(string(text), 10, 64)
		must(t, err)
		t.Logf("%d files: the watch %d MB, a generation %d MB", (round+1)*files, p.memory()>>20, generation>>20)
		for i, took := range []int64{p.memory(), generation} {
			if round < 3 {
				first[i], last[i] = max(first[i], took), math.MaxInt64
			} else if round > 4 {
				last[i] = min(last[i], took)
			}
		}
		must(t, os.RemoveAll(w.in), os.Mkdir(w.in, 0o755))
	}
	for i, who := range []string{"the watch", "a generation"} {
		if first[i] == 0 || last[i] > first[i]+24<<20 {
			t.Errorf("%s: %d MB after %d files, %d MB after %d", who, first[i]>>20, 3*files, last[i]>>20, rounds*files)
		}
	}
}

// memory is the most memory that the watch has had, in bytes.
func (p *watchProcess) memory() (n int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	must(p.t, err)
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(peak, &n)
	return n << 10
}
