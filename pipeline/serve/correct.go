package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds of a file whose trees are corrected. It is held in memory and rewritten after
// every change.
const (
	maxManuscript = 32 << 20 // bytes of the file
	maxCorrected  = 1000     // words of a sentence, as the page draws them
	maxUndone     = 16 << 20 // bytes of the sentences as they were before the changes that can be undone
	maxName       = 100      // bytes of the name of who corrects
)

// correctedComment begins the comment that says when a sentence was corrected, and by whom.
const correctedComment = "# corrected = "

// A manuscript is a CoNLL-U file whose trees are corrected. Every change is in the file
// when it has been answered. What no change is about keeps its bytes.
type manuscript struct {
	sync.Mutex
	path       string
	who        string
	now        func() time.Time
	confidence func(*syntax.Sentence)

	data    []byte  // of the file, as it was read or written last
	blocks  []block // that can be corrected, in the order of the file
	order   []int   // of blocks, as the page shows them
	left    int     // blocks that cannot be corrected
	undos   []undone
	changes int // so far, undone ones too
}

// A block is a sentence of a manuscript.
type block struct {
	start, end int // in the data
	doubt      pick.Doubt
	done       bool // somebody has corrected it
}

// An undone is what a change can be undone with.
type undone struct {
	number        int // of the change, from 1; no other one ever has it
	block         int
	before, after []byte
}

// openManuscript reads a file. The sentences that nobody has corrected come first, the
// least certain of them before the others.
func openManuscript(c Corrections) (*manuscript, error) {
	path, err := filepath.EvalSymlinks(c.File) // the file itself is replaced, not the link to it
	if err != nil {
		return nil, err
	}
	m := &manuscript{path: path, who: oneLine(c.Who), now: c.Now, confidence: c.Confidence}
	if m.data, err = readManuscript(path); err != nil {
		return nil, err
	}
	var first error
	for b, err := range conllu.Read(bytes.NewReader(m.data), conllu.Options{}) {
		if err == nil && b.Err != nil {
			err = b.Err
		}
		s := &b.Sentence
		if n := len(s.Words); err == nil && (n == 0 || n > maxCorrected) {
			err = fmt.Errorf("a sentence has %d words: it must have from 1 to %d", n, maxCorrected)
		}
		if err != nil {
			if m.left++; first == nil {
				first = err
			}
			continue
		}
		m.confidence(s)
		row := parquet.ToRow(s, &parquet.Doc{})
		m.blocks = append(m.blocks, block{int(b.Start), int(b.End), pick.Of(&row), corrected(s) != ""})
		m.order = append(m.order, len(m.order))
	}
	if len(m.blocks) == 0 {
		if _, err := source.Detect(path, m.data[:min(len(m.data), source.HeadBytes)], source.CoNLLU, ""); err != nil {
			first = err // such as UTF-16: what its lines lack would mislead
		} else if first == nil {
			first = fmt.Errorf("it is empty")
		}
		return nil, fmt.Errorf("%s has no sentence in CoNLL-U that can be corrected: %w", c.File, first)
	}
	slices.SortStableFunc(m.order, func(i, j int) int {
		a, b := &m.blocks[i], &m.blocks[j]
		if a.done != b.done {
			if b.done {
				return -1
			}
			return 1
		}
		return a.doubt.Compare(b.doubt)
	})
	return m, nil
}

// readManuscript reads a regular file within the bounds.
func readManuscript(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: name a CoNLL-U file", path)
	case info.Size() > maxManuscript:
		return nil, fmt.Errorf("%s has %d bytes, more than the limit of %d: draw the trees to correct with treebeam sample, or split the file", path, info.Size(), maxManuscript)
	}
	return os.ReadFile(path)
}

// oneLine is a name without line breaks and other control characters, clipped.
func oneLine(name string) string {
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

// corrected is when a sentence was corrected last, and by whom; "" if nobody has.
func corrected(s *syntax.Sentence) (last string) {
	for _, c := range s.Comments {
		if note, ok := strings.CutPrefix(c, correctedComment); ok {
			last = max(last, note) // they begin with a date
		}
	}
	return last
}

// raw is a sentence as it is in the file.
func (m *manuscript) raw(i int) []byte { return m.data[m.blocks[i].start:m.blocks[i].end] }

// version identifies the bytes of a sentence.
func version(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// parse reads the bytes of one sentence.
func (m *manuscript) parse(raw []byte) (*syntax.Sentence, error) {
	b, err := conllu.NewReader(bytes.NewReader(raw), conllu.Options{}).Next()
	if err == nil && b.Err != nil {
		err = b.Err
	}
	m.confidence(&b.Sentence)
	return &b.Sentence, err
}

// change makes a change of a sentence in the file. Every error is a fault, and leaves the
// file as it is.
func (m *manuscript) change(i int, c *change) error {
	old := bytes.Clone(m.raw(i)) // the undo must not hold the whole file
	if c.Version != version(old) {
		return errOld
	}
	s, err := m.parse(old)
	if err != nil {
		return badRequest("%v", err)
	}
	words := slices.Clone(s.Words)
	if err := c.apply(words); err != nil {
		return err
	}
	note := correctedComment + m.now().UTC().Format(time.RFC3339)
	edited := rewrite(old, s.Words, words, note, m.who)
	made, err := m.parse(edited)
	if err == nil && !slices.Equal(made.Words, words) {
		err = errors.New("its words would be others")
	}
	if err != nil {
		return badRequest("The sentence would not be read again as it was changed: %v. Correct it in a text editor.", err)
	}
	if err := m.replace(i, edited); err != nil || bytes.Equal(edited, old) { // as twice in a second
		return err
	}
	m.changes++
	m.undos = append(m.undos, undone{m.changes, i, old, edited})
	size := 0
	for k := len(m.undos) - 1; k >= 0; k-- {
		if size += len(m.undos[k].before) + len(m.undos[k].after); size > maxUndone && k < len(m.undos)-1 {
			m.undos = slices.Clone(m.undos[k+1:])
			break
		}
	}
	return nil
}

// last is the number of the change that would be undone next, 0 if there is none.
func (m *manuscript) last() int {
	if len(m.undos) == 0 {
		return 0
	}
	return m.undos[len(m.undos)-1].number
}

// undo takes back the last change, if it has the number, and returns its sentence.
func (m *manuscript) undo(number int) (int, error) {
	if len(m.undos) == 0 {
		return 0, badRequest("There is nothing to undo.")
	}
	if number != m.last() {
		return 0, stale("Another page has made or undone a change since. Look at the sentence again.")
	}
	last := m.undos[len(m.undos)-1]
	if err := m.replace(last.block, last.before); err != nil {
		return 0, err
	}
	m.undos = m.undos[:len(m.undos)-1]
	return last.block, nil
}

// replace writes the file with other bytes of one sentence, unless another program has
// changed the file. Its errors are faults.
func (m *manuscript) replace(i int, raw []byte) error {
	b := m.blocks[i]
	data := slices.Concat(m.data[:b.start], raw, m.data[b.end:])
	if len(data) > maxManuscript {
		return badRequest("The file would have over %d bytes. Split it.", maxManuscript)
	}
	defer m.lock()()
	if now, err := readManuscript(m.path); err != nil || !bytes.Equal(now, m.data) {
		return stale("The file has changed on disk since it was read, so nothing was saved. Start treebeam serve --edit again to see what is in it now.")
	}
	if err := store.ReplaceFile(m.path, data); err != nil {
		return &fault{http.StatusInternalServerError, fmt.Sprintf("The change was not saved: %v.", err)}
	}
	s, err := m.parse(raw)
	m.data = data
	m.blocks[i].end = b.start + len(raw)
	m.blocks[i].done = err == nil && corrected(s) != ""
	for k := i + 1; k < len(m.blocks); k++ {
		m.blocks[k].start += len(raw) - (b.end - b.start)
		m.blocks[k].end += len(raw) - (b.end - b.start)
	}
	return nil
}

// patience is how long a change waits for a lock that another program holds.
const patience = 5 * time.Second

// lock keeps other editors from changing files in the folder until unlock is called. Where
// there are no locks, it does nothing.
func (m *manuscript) lock() (unlock func() error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	folder := flock.New(filepath.Dir(m.path), flock.SetFlag(os.O_RDONLY)) // the file itself is replaced
	folder.TryLockContext(ctx, 5*time.Millisecond)
	return folder.Close
}

// errOld refuses a change of a sentence that the page has not seen.
var errOld = stale("This sentence has been changed by another page since it was shown. Look at it again.")

// stale refuses a change of something that is not there any more.
func stale(text string) error { return &fault{http.StatusConflict, text} }

// rewrite returns the lines of a sentence with the words of another tree, and with a
// comment that says when and by whom. All other bytes stay, line ends too.
func rewrite(raw []byte, old, words []syntax.Word, note, who string) []byte {
	if who != "" {
		note += " " + who
	}
	end := "\n"
	if first, _, _ := bytes.Cut(raw, []byte("\n")); bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	out := make([]byte, 0, len(raw)+len(note)+32)
	noted, w := false, 0
	for line := range bytes.Lines(raw) {
		if line[0] == '#' {
			if text := strings.TrimRight(string(line), "\r\n"); strings.HasPrefix(text, correctedComment) && corrector(text) == who {
				continue
			}
			out = append(out, line...)
			continue
		}
		if !noted {
			out, noted = append(append(out, note...), end...), true
		}
		if id, _, _ := bytes.Cut(line, []byte("\t")); bytes.ContainsAny(id, "-.") {
			out = append(out, line...)
			continue
		}
		out = append(out, rewriteWord(line, &old[w], &words[w])...)
		w++
	}
	return out
}

// corrector is who corrected a sentence, by the comment that says so.
func corrector(comment string) string {
	_, who, _ := strings.Cut(strings.TrimPrefix(comment, correctedComment), " ")
	return who
}

// Columns of a line that change.
const (
	columnUPOS   = 3
	columnHead   = 6
	columnDeprel = 7
)

// rewriteWord returns the line of a word with the columns in which it differs from the old
// one.
func rewriteWord(line []byte, old, w *syntax.Word) []byte {
	columns := strings.Split(string(line), "\t")
	if w.UPOS != old.UPOS {
		columns[columnUPOS] = w.UPOS
	}
	if w.Head != old.Head {
		columns[columnHead] = fmt.Sprint(w.Head)
	}
	if w.Deprel != old.Deprel {
		columns[columnDeprel] = w.Deprel
	}
	return []byte(strings.Join(columns, "\t"))
}
