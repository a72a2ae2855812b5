package durable

import (
	"sync"
	"time"
)

// pending are the files of this process that have not got their names yet.
var pending = struct {
	sync.Mutex
	files    map[*File]bool
	creating int  // files that are not yet among them
	ended    bool // by Abandon
}{files: map[*File]bool{}}

// add makes a pending file with create.
func add(create func() (*File, error)) (*File, error) {
	pending.Lock()
	waitIfEnded()
	pending.creating++
	pending.Unlock()
	f, err := create()
	pending.Lock()
	defer pending.Unlock()
	pending.creating--
	if err != nil {
		return nil, err
	}
	pending.files[f] = true
	waitIfEnded()
	return f, nil
}

// named gives f its name with replace.
func (f *File) named(replace func() error) error {
	pending.Lock()
	waitIfEnded()
	pending.Unlock()
	err := replace()
	if err == nil {
		f.forget()
	}
	return err
}

func (f *File) forget() {
	pending.Lock()
	delete(pending.files, f)
	pending.Unlock()
}

// waitIfEnded waits for the end of the process if Abandon was called. The lock
// must be held.
func waitIfEnded() {
	if pending.ended {
		pending.Unlock()
		select {}
	}
}

// Abandon removes all files of this process that have not got their names: for
// a process that is about to end, since who wants to create a file or to give
// one its name from now on waits for that. A file that is just getting its name
// gets it or not, as in a crash.
func Abandon() {
	const patience = time.Second // for files that are just being made
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		pending.Lock()
		pending.ended = true
		for f := range pending.files {
			f.discard()
			delete(pending.files, f)
		}
		creating := pending.creating
		pending.Unlock()
		if creating == 0 || time.Now().After(end) {
			return
		}
	}
}
