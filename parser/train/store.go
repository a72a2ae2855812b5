package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/word"
)

// A Store keeps the results of finished phases under short names such as "tagger" and
// "parser.epoch". It may lose or damage entries: what it returns is checked, and the
// phase runs again if need be. It must be safe for concurrent use, because independent
// phases run at the same time.
type Store interface {
	Load(name string) (data []byte, ok bool)
	// Save replaces an entry by the concatenated parts, atomically: a later Load
	// returns all of the new entry or all of the old one.
	Save(name string, parts ...[]byte) error
}

// version is part of the key of every entry. Raise it when a phase gives
// another result for the same input. A change of templates changes keys by
// itself.
const version = 10

// early are the phases that do not read trees. Their seed is TagSeed.
var early = map[string]bool{"segmenter": true, "tagger": true, "tags": true, "lemmas": true}

// seedOf returns the seed of a phase's random choices.
func (t *trainer) seedOf(phase string) uint64 {
	switch {
	case phase == "words":
		return 0 // it makes none
	case early[phase] && t.TagSeed != 0:
		return t.TagSeed
	}
	return t.Seed
}

// A result is the result of a finished phase.
type result struct {
	key      string // hash of all it depends on
	sections []pack.Section
}

// phase returns the result of a phase, from a store if an entry with its
// key is there, otherwise from work. Either way the sections are read back
// from their packed bytes.
func (t *trainer) phase(name string, keys []string, work func(job) ([]pack.Section, error)) (*result, error) {
	key := hashKey(append([]string{name, fmt.Sprint(version, pack.Templates), fmt.Sprint("seed ", t.seedOf(name))}, keys...)...)
	for _, from := range t.entries(name, key) {
		if data, sections, ok := from.load(key); ok {
			t.progress.line("%-10s is done already, %d KB kept", name, kilobytes(len(data)))
			return &result{key, sections}, t.keep(name, key, data)
		}
	}
	c := t.progress.start(name)
	made, err := work(t.job(c, key))
	if err != nil {
		return nil, fmt.Errorf("training the %s: %w", name, err)
	}
	data, err := model.Encode(keyed(key), made)
	if err != nil {
		return nil, fmt.Errorf("packing the %s: %w", name, err)
	}
	if err := t.keep(name, key, data); err != nil {
		return nil, err
	}
	file, err := model.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading back the %s: %w", name, err)
	}
	c.finish(fmt.Sprintf(", %d KB", kilobytes(len(data))))
	return &result{key, file.Sections}, nil
}

// keep saves the bytes of a phase's result in the stores that do not have it.
func (t *trainer) keep(name, key string, data []byte) error {
	for _, to := range t.entries(name, key) {
		if _, _, ok := to.load(key); ok {
			continue
		}
		if err := to.Save(to.name, data); err != nil {
			return fmt.Errorf("keeping the %s: %w", name, err)
		}
	}
	return nil
}

// keyed is the provenance of an entry.
func keyed(key string) model.Info { return model.Info{Options: map[string]string{"key": key}} }

// An entry is where a store keeps a phase's result.
type entry struct {
	Store
	name string
}

// entries returns where the result of a phase is looked for and kept: under the
// phase's name in the training's own store, and under a name with the key in
// the one that trainings share, which also holds results of other options.
func (t *trainer) entries(name, key string) []entry {
	var list []entry
	if t.Store != nil {
		list = append(list, entry{t.Store, name})
	}
	if t.Reuse != nil {
		list = append(list, entry{t.Reuse, name + "-" + key[:16]})
	}
	return list
}

// load returns the entry's bytes and its sections, if they are complete and
// have the key.
func (e entry) load(key string) (data []byte, sections []pack.Section, ok bool) {
	data, ok = e.Load(e.name)
	if !ok {
		return nil, nil, false
	}
	file, err := model.Decode(data)
	if err != nil || file.Info.Options["key"] != key {
		return nil, nil, false
	}
	return data, file.Sections, true
}

// A job holds what a phase needs besides its sentences.
type job struct {
	Options                  // with the phase's own Seed and Log
	words   *word.Vocabulary // nil in the phase that learns it

	// checkpoint saves a phase's state after an epoch, resume restores the last
	// one (linear.Loop). Both are nil if nothing is saved.
	checkpoint func(epoch int, layout func(*pack.Layout)) error
	resume     func(layout func(*pack.Layout)) (bool, error)
}

// job returns the job of a phase. Its epochs are saved under "<phase>.epoch"
// with the key of the phase; "" saves none.
func (t *trainer) job(c *clock, key string) job {
	j := job{Options: t.Options, words: t.words}
	j.Seed, j.Log = t.seedOf(c.phase), c.log
	if t.Store == nil || key == "" {
		return j
	}
	const component = "state"
	state := entry{t.Store, c.phase + ".epoch"}
	j.checkpoint = func(epoch int, layout func(*pack.Layout)) error {
		parts, err := model.EncodeParts(keyed(key), packed(component, layout))
		if err != nil {
			return err
		}
		return state.Save(state.name, parts...)
	}
	j.resume = func(layout func(*pack.Layout)) (bool, error) {
		_, sections, ok := state.load(key)
		if !ok {
			return false, nil
		}
		if err := pack.Read(pack.NewView(sections), component, layout); err != nil {
			return false, fmt.Errorf("the checkpoint of the %s: %w; without --resume its training begins again", c.phase, err)
		}
		return true, nil
	}
	return j
}

// progress writes what a training does: a line when a phase starts, the
// component's own lines with the seconds of the phase, and a line with its time when it
// ends. Phases may overlap.
type progress struct {
	mu  sync.Mutex
	out func(format string, a ...any)
	now func() time.Time
}

// A clock is the progress of one phase.
type clock struct {
	*progress
	phase string
	begun time.Time
}

// start begins a phase that has work to do.
func (p *progress) start(phase string) *clock {
	p.line("%-10s starts", phase)
	return &clock{p, phase, p.now()}
}

func (p *progress) line(format string, a ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out(format, a...)
}

// ownNames are the names with which components begin their lines.
var ownNames = []string{"encoder", "segmenter", "tagger", "pruner", "parser", "label"}

// log writes a line of a component.
func (c *clock) log(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if name, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(ownNames, name) {
		text = rest // the phase's own name says it
	}
	c.line("%-10s %6.1fs  %s", c.phase, c.seconds(), text)
}

func (c *clock) seconds() float64 { return c.now().Sub(c.begun).Seconds() }

// finish ends the phase. kept says what was stored.
func (c *clock) finish(kept string) { c.line("%-10s took %.1f s%s", c.phase, c.seconds(), kept) }

func kilobytes(size int) int { return (size + 1023) / 1024 }

// hashKey returns a hash of a list of strings, in hexadecimal.
func hashKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d ", len(p))
		io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
