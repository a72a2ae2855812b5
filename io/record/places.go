package record

import (
	"fmt"
	"io"
	"sync"
)

// Bounds of what is remembered.
const (
	maxFiles  = 64
	maxPlaces = 4096 // of a file
)

// known remembers where rows begin in the files that this process has read, so
// that a file that is cut into ranges is not read anew from its beginning for
// each of them.
var known = struct {
	sync.Mutex
	order []string
	files map[string]map[int64]Place // by file, then the first row at or behind an offset
}{files: map[string]map[int64]Place{}}

// key is what the places of a file depend on.
func (l *Layout) key(file string) string {
	return fmt.Sprintf("%d %c %d %s", l.dialect, l.separator, l.opt.MaxRecord, file)
}

// Open returns a reader of the rows that begin in [start, end), which begins to
// read where at moves to. file tells the file and its state from all others; what
// is learnt of "" is not remembered.
func (l *Layout) Open(file string, at func(offset int64) (io.Reader, error), start, end int64) (*TableReader, error) {
	from := l.known(file, start)
	src, err := at(from.Offset)
	if err != nil {
		return nil, err
	}
	r := NewTableReader(src, l, from, start, end)
	r.file = file
	l.remember(file, start, r)
	return r, nil
}

// known returns the place from which a reader of a file must pass over rows to
// find the first one that begins at start or behind it: that row, at best.
func (l *Layout) known(file string, start int64) Place {
	best := Place{Line: 1}
	if start == 0 || file == "" {
		return best
	}
	known.Lock()
	defer known.Unlock()
	places := known.files[l.key(file)]
	if p, ok := places[start]; ok {
		return p
	}
	for _, p := range places {
		if p.Offset <= start && p.Offset > best.Offset {
			best = p
		}
	}
	return best
}

// remember notes that r stands at the first row at or behind offset of the file,
// unless it has failed: then it may stand anywhere.
func (l *Layout) remember(file string, offset int64, r *TableReader) {
	if file == "" || offset <= 0 || r.done != nil && r.done != io.EOF {
		return
	}
	known.Lock()
	defer known.Unlock()
	key := l.key(file)
	places := known.files[key]
	if places == nil {
		places = map[int64]Place{}
		known.files[key] = places
		if known.order = append(known.order, key); len(known.order) > maxFiles {
			delete(known.files, known.order[0])
			known.order = known.order[1:]
		}
	}
	if len(places) < maxPlaces {
		places[offset] = r.at
	}
}
