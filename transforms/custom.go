package transforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
)

// MaxCustomBytes bounds a file of CustomFiles.
const MaxCustomBytes = 32 << 20

// CustomFiles names the user's lists, which add knowledge of the text to the model
// (docs/custom.md): paths or URIs, "" for none. The process that builds the pipeline
// reads them once.
type CustomFiles struct {
	Abbreviations string
	KeepTogether  string
	Exceptions    string
}

func (f *CustomFiles) all() [3]string {
	return [...]string{f.Abbreviations, f.KeepTogether, f.Exceptions}
}

// CustomTexts are the contents of CustomFiles, in the order of output.CustomLists,
// without comments and other parts that change no result; "" is an empty list. A run
// keeps them in its output folder, where workers find them and where they document the
// output.
type CustomTexts [3]string

// Names returns the option and the name of every file.
func (f *CustomFiles) Names(yield func(option, name string) bool) {
	for i, name := range f.all() {
		if name != "" && !yield("--"+output.CustomLists[i], name) {
			return
		}
	}
}

// Read reads the files. Errors name the option, the file, the line and the remedy.
func (f *CustomFiles) Read(ctx context.Context) (*CustomTexts, error) {
	t := new(CustomTexts)
	for i, name := range f.all() {
		if name == "" {
			continue
		}
		data, err := ReadBounded(ctx, name)
		if err == nil {
			t[i], err = plainList(i, data)
		}
		if err != nil {
			return nil, wrong(output.CustomLists[i], store.Redact(name), err)
		}
	}
	return t, nil
}

// ReadBounded reads a file of at most MaxCustomBytes. uri is a path or names an object.
func ReadBounded(ctx context.Context, uri string) ([]byte, error) {
	var path *fs.PathError
	var r io.ReadCloser
	err := store.CheckRegular(ctx, uri)
	if err == nil {
		r, _, err = store.OpenFile(ctx, uri)
	}
	switch {
	case errors.Is(err, store.ErrNotRegular):
		return nil, errors.New("this is a folder, a pipe or a device: name a file")
	case errors.As(err, &path):
		return nil, path.Err
	case err != nil:
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxCustomBytes+1)) // its size may change, and some files have none
	if len(data) > MaxCustomBytes {
		return nil, fmt.Errorf("it has more than %d bytes, which are the most that are supported", MaxCustomBytes)
	}
	return data, err
}

// parseList reads the text of a list, by its number.
func parseList(l *model.Lists, list int, text []byte) (err error) {
	switch list {
	case 0:
		l.Abbreviations, err = model.ReadAbbreviations(text)
	case 1:
		l.KeepTogether, err = model.ReadKeepTogether(text)
	default:
		l.Exceptions, err = model.ReadExceptions(text)
	}
	return err
}

// plainList reduces the text of a list to what it says.
func plainList(list int, text []byte) (string, error) {
	var l model.Lists
	err := parseList(&l, list, text)
	lines := slices.Concat(l.Abbreviations, l.KeepTogether) // one of which is empty
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, x := range l.Exceptions { // their order says which comes first
		lines = append(lines, x.Form+"\t"+cmp.Or(x.UPOS, "_")+"\t"+cmp.Or(x.Lemma, "_"))
	}
	if len(lines) == 0 {
		return "", err
	}
	return strings.Join(lines, "\n") + "\n", err
}

// Lists returns the texts in the form that a model takes.
func (t *CustomTexts) Lists() (*model.Lists, error) {
	l := new(model.Lists)
	for i, text := range t {
		if err := parseList(l, i, []byte(text)); err != nil {
			return nil, fmt.Errorf("--%s: %w", output.CustomLists[i], err)
		}
	}
	return l, nil
}

// Note puts the digests of the texts into o, "" for empty texts.
func (t *CustomTexts) Note(o *output.RowOptions) {
	for i, text := range t {
		*o.CustomDigests()[i] = ""
		if text != "" {
			*o.CustomDigests()[i] = output.DigestOf([]byte(text))
		}
	}
}

// Place writes the texts into an output folder, where workers find them.
func (t *CustomTexts) Place(ctx context.Context, folder string) error {
	for i, text := range t {
		if text == "" {
			continue
		}
		if err := output.WriteFile(ctx, folder, output.CustomName(i, output.DigestOf([]byte(text))), []byte(text)); err != nil {
			return fmt.Errorf("copying --%s: %w", output.CustomLists[i], err)
		}
	}
	return nil
}

// readCustom reads what Place has written for the job.
func (j *Job) readCustom() (*CustomTexts, error) {
	t := new(CustomTexts)
	for i, digest := range j.Options.CustomDigests() {
		if *digest == "" {
			continue
		}
		name := store.Join(j.Output, output.CustomName(i, *digest))
		data, err := store.ReadFile(context.Background(), name)
		if err != nil {
			return nil, fmt.Errorf("--%s: the run's copy cannot be read: %w; start the run again", output.CustomLists[i], err)
		}
		if output.DigestOf(data) != *digest {
			return nil, fmt.Errorf("--%s: %s is not what the run has written there; start the run again", output.CustomLists[i], name)
		}
		t[i] = string(data)
	}
	return t, nil
}

// A customKey is what customized stages depend on.
type customKey struct {
	stages        Stages
	digests       [3]string
	unconstrained bool
}

// customized holds the stages that this process has built from users' lists: each DoFn
// needs its own stages, and lists may be long.
var customized = struct {
	sync.Mutex
	stages map[customKey]Stages
}{stages: map[customKey]Stages{}}

// maxCustomized bounds customized: a process rarely has more than one.
const maxCustomized = 4

// Customize returns the stages of m with the lists of texts and o.Unconstrained applied,
// or m itself if there are none. It does not call texts if this process has made the same
// stages before.
func Customize(m Stages, o *output.RowOptions, texts func() (*CustomTexts, error)) (Stages, error) {
	key := customKey{unconstrained: o.Unconstrained}
	for i, digest := range o.CustomDigests() {
		key.digests[i] = *digest
	}
	if key == (customKey{}) {
		return m, nil
	}
	key.stages = m
	customized.Lock()
	defer customized.Unlock()
	if made := customized.stages[key]; made != nil {
		return made, nil
	}
	t, err := texts()
	if err != nil {
		return nil, err
	}
	lists, err := t.Lists()
	if err != nil {
		return nil, err
	}
	lists.Unconstrained = o.Unconstrained
	made, err := m.With(lists)
	if err != nil {
		return nil, err
	}
	if len(customized.stages) >= maxCustomized {
		clear(customized.stages)
	}
	customized.stages[key] = made
	return made, nil
}
