package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// leaseFile says who writes to an output folder, beside the lock of a local
// one. It is there while a run is.
const leaseFile = output.OwnDir + "/running.json"

// How often a run says that it lives, and when it is taken for dead. Tests
// make it shorter.
var leaseBeat = time.Minute

const leaseBeats = 4

// A lease tells other runs that one is under way in an output folder. On a
// local disk a lock decides, and a second run is refused; in an object store,
// or where there are no locks, the second is told. It is not what keeps two
// runs correct: they write the same bytes, all of a part or nothing.
type lease struct {
	output string
	spool  *spool
	lock   *flock.Flock // nil where there is none
	mu     sync.Mutex   // guards holder, never while anything is written
	holder leaseHolder
	stop   context.CancelFunc
	beats  sync.WaitGroup
	ended  sync.Once

	// writing is held while the file is written, which never ends once a signal
	// has stopped new files: EndLeases must not wait for it.
	writing sync.Mutex
}

// A leaseHolder is what the file says.
type leaseHolder struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	Seen    time.Time `json:"seen"`          // lived then
	Job     string    `json:"job,omitempty"` // elsewhere, which goes on without the process
}

func (h *leaseHolder) String() string {
	text := fmt.Sprintf("process %d on %s, since %s", h.Process, h.Host, h.Since.Format(time.DateTime))
	if h.Job != "" {
		text += ", by " + h.Job
	}
	return text
}

// tryLock takes a lock, or says that somebody else has it. Tests replace it.
var tryLock = (*flock.Flock).TryLock

// leases are those of this process.
var leases = struct {
	sync.Mutex
	open map[*lease]bool
}{open: map[*lease]bool{}}

// EndLeases gives the output folders back for a process that is about to end,
// but those in which a job elsewhere goes on. A store that does not answer
// within a second is left alone: the lease then ends by itself.
func EndLeases() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	leases.Lock()
	defer leases.Unlock()
	for l := range leases.open {
		l.stop()
		l.mu.Lock()
		if l.holder.Job == "" {
			_ = store.Delete(ctx, store.Join(l.output, leaseFile))
		}
		l.mu.Unlock()
	}
}

// takeLease takes the output folder for this run. The note, if there is one,
// is for the user: another run may be under way.
func takeLease(ctx context.Context, folder string, spool *spool) (l *lease, note string, err error) {
	host, _ := os.Hostname()
	now := time.Now().UTC()
	l = &lease{output: folder, spool: spool, holder: leaseHolder{Host: host, Process: os.Getpid(), Since: now, Seen: now}}
	if !store.IsRemote(folder) {
		own := filepath.Join(folder, output.OwnDir)
		if err := os.MkdirAll(own, 0o755); err != nil {
			return nil, "", refuse("the output folder cannot be made: %w", err)
		}
		lock := flock.New(filepath.Join(own, "lock"), flock.SetPermissions(0o644))
		switch held, err := tryLock(lock); {
		case err != nil: // a file system without locks
		case held:
			l.lock = lock
		default:
			who := ""
			if other := l.other(ctx); other != nil {
				who = " (" + other.String() + ")"
			}
			return nil, "", refuse("another run of treebeam is writing to %s%s; wait until it ends, or stop it: the same command then continues", folder, who)
		}
	}
	if other := l.other(ctx); other != nil && !l.isOver(ctx, other) {
		note = fmt.Sprintf("another run of treebeam seems to be writing to %s: %s; both would do the same work, and the result would be correct", folder, other)
	}
	l.write(ctx)
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.beats.Go(func() { l.beat(ctx) })
	leases.Lock()
	leases.open[l] = true
	leases.Unlock()
	return l, note, nil
}

// other reads who has the lease, nil if nobody says so.
func (l *lease) other(ctx context.Context) *leaseHolder {
	data, err := store.ReadFile(ctx, store.Join(l.output, leaseFile))
	h := new(leaseHolder)
	if err != nil || json.Unmarshal(data, h) != nil {
		return nil
	}
	return h
}

// isOver says whether what the holder did has ended, as far as can be known.
func (l *lease) isOver(ctx context.Context, h *leaseHolder) bool {
	if h.Job != "" {
		done, err := store.Exists(ctx, store.Join(l.output, output.ManifestFile))
		return done && err == nil
	}
	if h.Host == l.holder.Host && (l.lock != nil || h.Process == l.holder.Process || !isAlive(h.Process)) {
		return true // it was killed
	}
	return l.holder.Since.Sub(h.Seen) > leaseBeats*leaseBeat
}

// isAlive says whether a process of this machine lives.
func isAlive(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil || runtime.GOOS == "windows" { // where it is an error if there is none
		return err == nil
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || os.IsPermission(err)
}

// write says that the run lives. It is for others only: no run fails for it.
func (l *lease) write(ctx context.Context) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	text, err := json.Marshal(&l.holder)
	l.mu.Unlock()
	if err == nil {
		_ = output.WriteFile(ctx, l.output, leaseFile, append(text, '\n'))
	}
	if l.spool != nil {
		_ = os.Chtimes(l.spool.dir, time.Time{}, time.Now()) // so that it is not swept
	}
}

func (l *lease) beat(ctx context.Context) {
	tick := time.NewTicker(leaseBeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			l.mu.Lock()
			l.holder.Seen = now.UTC()
			l.mu.Unlock()
			l.write(ctx)
		}
	}
}

// submitted says which job elsewhere does the work: it goes on if this process
// ends, however that happens.
func (l *lease) submitted(job string) {
	l.mu.Lock()
	l.holder.Job = job
	l.mu.Unlock()
	l.write(context.Background())
}

// end gives the folder back. If a submitted job goes on, the file stays and
// says so.
func (l *lease) end(goesOn bool) {
	if l == nil {
		return
	}
	l.ended.Do(func() {
		l.stop()
		l.beats.Wait()
		leases.Lock()
		delete(leases.open, l)
		leases.Unlock()
		l.mu.Lock()
		job := l.holder.Job
		l.mu.Unlock()
		if !goesOn || job == "" {
			_ = store.Delete(context.Background(), store.Join(l.output, leaseFile))
		}
		if l.lock != nil {
			l.lock.Close() // the file stays: removing it would let two hold it
		}
	})
}
