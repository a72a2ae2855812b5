package transforms

import (
	"fmt"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Stages is what a model does to text. All methods may be called at once
// from many goroutines, each on sentences of its own; the model is read-only.
type Stages interface {
	// Segment cuts one block of raw text into sentences with words.
	// Sentences over maxWords words are cut. Byte positions are relative to
	// block.
	Segment(block string, maxWords int) []syntax.Sentence
	// SegmentLine is Segment for a block that is known to be one sentence.
	SegmentLine(block string, maxWords int) []syntax.Sentence
	// Tag fills UPOS, XPOS, Feats and Lemma where they are empty, or all of
	// them if retag.
	Tag(s *syntax.Sentence, retag bool)
	// Prune sets Candidates.
	Prune(s *syntax.Sentence)
	// Parse sets Head, Deprel and Confidence. After an error the sentence has
	// no tree.
	Parse(s *syntax.Sentence, o output.ParseOptions) error
}

// A Calibrator is a Stages that turns raw confidence into probabilities. Its
// Parse has done so; Calibrate does it again for a parsed sentence some of
// whose heads and deprels were given, both by word minus 1: these are certain.
type Calibrator interface {
	Calibrate(s *syntax.Sentence, heads, deprels []bool)
}

// An Opener gives the stages of the model at a URI and the model's digest. It
// must return the same loaded model however often it is called.
type Opener func(uri string) (m Stages, digest string, err error)

var openers sync.Map // scheme -> Opener

// RegisterModels makes open answer for model URIs "scheme:...". The scheme ""
// answers for all others.
func RegisterModels(scheme string, open Opener) { openers.Store(scheme, open) }

// OpenModel opens the model at uri ("" is the embedded one).
func OpenModel(uri string) (m Stages, digest string, err error) {
	scheme, _, ok := strings.Cut(uri, ":")
	if ok {
		if open, found := openers.Load(scheme); found {
			return timed(open.(Opener), uri)
		}
	}
	if open, found := openers.Load(""); found {
		return timed(open.(Opener), uri)
	}
	return nil, "", fmt.Errorf("no model can be opened at %q in this build of the program", uri)
}

// open opens the job's model, checks that it is the one that the launcher saw, and
// tells it what the user knows of the text.
func (j *Job) open() (Stages, error) {
	m, digest, err := OpenModel(j.Model)
	if err != nil {
		return nil, j.marked(err)
	}
	if digest != j.ModelDigest {
		return nil, j.marked(fmt.Errorf("the model %s has changed since the run was started: it had digest %s and has %s; start the run again",
			j.Model, short(j.ModelDigest), short(digest)))
	}
	if m, err = Customize(m, &j.Options, j.readCustom); err != nil {
		return nil, j.marked(err)
	}
	return m, nil
}

// short is enough of a digest to tell models apart.
func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}
