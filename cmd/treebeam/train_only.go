package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/train"
)

// withOnly are the options that --only leaves anything to do, by the part.
var withOnly = func() map[string][]string {
	common := []string{"train", "dev", "model", "only", "from", "seed", "threads", "check", "created-by"}
	mix := append(common[:len(common):len(common)], "encoder", "overlay", "resume", "reuse", "keep")
	words := append(common[:len(common):len(common)], "lexicon")
	return map[string][]string{train.OnlyLemmas: words, train.OnlySegmenter: words, train.OnlyMix: mix, train.OnlyEncoder: slices.Concat(mix, encoderNames, []string{"silver", "silver-words"})}
}()

// checkOnly refuses options that make no sense with or without --only.
func (f *trainFlags) checkOnly(fs *pflag.FlagSet) error {
	names, known := withOnly[f.only]
	switch {
	case f.only == "" && f.overlay:
		return refuse("--overlay is only for --only encoder and --only mix")
	case f.only == "" && f.from == "":
		return nil
	case f.only == "":
		return refuse("--from %s is only for --only NAME; a whole model is trained from its treebank", f.from)
	case !known:
		return refuse("--only %s: only lemmas, segmenter, encoder or mix can be trained alone", f.only)
	case f.from == "" && !f.check:
		return refuse("--only %s: also give --from MODEL, the model to take everything else from", f.only)
	case f.encoder.o.Small && f.overlay:
		return refuse("--small makes a part of the fast model: leave --overlay out")
	case f.only == train.OnlyEncoder && len(f.silver) > 0 && !f.encoder.o.Small:
		return refuse("--only encoder learns from --silver with --small alone: add it, or leave --silver out")
	case f.only == train.OnlyEncoder && f.encoder.file == "" && !f.check:
		return refuse("--only %s: also give --encoder FILE, the pretrained encoder", f.only)
	}
	if idle := namesGiven(fs, names, false); idle != "" {
		return refuse("--only %s leaves nothing to do for %s", f.only, idle)
	}
	return nil
}

// keepsInputs refuses to write the model where no file may be, or over its inputs, with
// two exceptions: the model of --from may be replaced by one that has all of it, and an
// overlay may be mixed again.
func (f *trainFlags) keepsInputs() error {
	if f.model == "" {
		return nil // there is only a check
	}
	is := func(what string, inputs ...string) error { return notAmong("--model", f.model, what, inputs...) }
	err := cmp.Or(checkOutput("--model", f.model), is("a treebank", append(f.train, f.dev)...), is("a file of --silver", f.silver...),
		is("a file of --text", f.encoder.texts...), is("the file of --lexicon", f.lexicon), is("the file of --treebanks", f.treebanks))
	again := f.only == train.OnlyMix && f.overlay
	if lost := is("the file of --encoder", f.encoder.file); lost != nil && !(again && isOverlay(f.encoder.file)) {
		err = cmp.Or(err, lost)
	}
	if f.overlay {
		err = cmp.Or(err, is("the model of --from, which an overlay only adds to", f.from))
	}
	return err
}

// isOverlay reports whether a file was written with --overlay.
func isOverlay(path string) bool {
	x, _, err := readModel(path)
	return err == nil && x.Info.Encoder != nil && x.Info.Encoder.Sparse != ""
}

// runOnly trains one part on treebanks that passed the check and writes the
// model with it.
func (f *trainFlags) runOnly(fs *pflag.FlagSet, trainBank, devBank train.Treebank) error {
	file, digest, err := readModel(f.from)
	if err != nil {
		return err
	}
	switch _, err := model.New(file); { // now, not when hours of work are to be put into it
	case errors.Is(err, model.ErrMany):
		return refuse("--from %s: %w, and --only needs a model of one language", f.from, model.ErrMany)
	case err != nil:
		return refuse("--from %s: %w", f.from, err)
	}
	if f.encoder.o.Small && file.Info.Encoder != nil {
		return refuse("--from %s has an encoder: a small network is a part of a model without one", f.from)
	}
	if err := f.readSilver(trainBank, devBank, 0); err != nil { // only a tagger learns from words without a tree
		return err
	}
	f.describe(fs)
	if a, b := file.Info.Language, f.o.Info.Language; a != b && a != "" && b != "" {
		return refuse("%s is a model of language %q, %s is a treebank of %q", f.from, a, f.train[0], b)
	}
	from := train.Base{File: file, Digest: digest, Tuned: file}
	switch {
	case f.only == train.OnlyEncoder:
		err = f.openEncoder(f.o.Info.Language)
	case f.only == train.OnlyMix && f.encoder.file != "":
		from.Tuned, _, err = readModel(f.encoder.file)
	}
	if err != nil {
		return err
	}
	if len(from.Tuned.Info.Languages) > 0 {
		return refuse("--encoder %s: %w, and the new model would not name the licenses of all its treebanks: tune it with --only encoder", f.encoder.file, model.ErrMany)
	}
	switch tuned := from.Tuned.Info; {
	case f.only != train.OnlyMix || tuned.Encoder != nil:
	case tuned.Network == nil:
		return refuse("%s has no encoder: train one with --only encoder, or name a model that has one with --encoder", cmp.Or(f.encoder.file, f.from))
	case f.overlay:
		return refuse("%s has a small network but no encoder: leave --overlay out", cmp.Or(f.encoder.file, f.from))
	case file.Info.Encoder != nil:
		return refuse("--from %s has an encoder: a small network is a part of a model without one", f.from)
	}
	write := f.stored
	if f.only == train.OnlyLemmas || f.only == train.OnlySegmenter {
		write = f.made // there are no phases to keep
	}
	return write(func() ([]byte, error) {
		data, err := train.Only(f.only, from, trainBank, devBank, f.o)
		if err != nil || !f.overlay {
			return data, err
		}
		whole, err := model.Decode(data)
		if err != nil {
			return nil, err
		}
		return model.EncodeOverlay(whole, digest)
	}, f.only+" trained in %s, all else as in "+strings.ReplaceAll(f.from, "%", "%%"))
}

// readModel reads a model's file, and returns its digest.
func readModel(path string) (*model.File, string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", refuse("model: %w", err)
	}
	file, err := model.Decode(data)
	if err != nil {
		return nil, "", refuse("%s: %w", path, err)
	}
	return file, model.Digest(data), nil
}

// writeModel writes the bytes of a model, all of them or nothing, or to a device.
func writeModel(path string, data []byte) error {
	write := store.ReplaceFile
	if info, err := os.Stat(path); err == nil && inPlace(info) {
		write = func(path string, data []byte) error { return os.WriteFile(path, data, 0) }
	}
	if err := write(path, data); err != nil {
		return fmt.Errorf("writing model %s: %w", path, err)
	}
	return nil
}

// writeMade writes the model that a command has made, and says so. said has a verb for the
// time.
func writeMade(path string, data []byte, begun time.Time, said string) error {
	if err := writeModel(path, data); err != nil {
		return err
	}
	say(stdout, "%s: %s, sha256 %s, %s\n", path, megabytes(len(data)), model.Digest(data), fmt.Sprintf(said, time.Since(begun).Round(time.Second)))
	return nil
}

// trainLog returns a log of training for standard error.
func trainLog(begun time.Time) func(format string, a ...any) {
	return func(format string, a ...any) {
		e := time.Since(begun).Round(time.Second)
		say(os.Stderr, "%3d:%02d  %s\n", int(e.Minutes()), int(e.Seconds())%60, fmt.Sprintf(format, a...))
	}
}
