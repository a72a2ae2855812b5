package transforms

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Stages is what a model does to text. All methods may be called at once
// from many goroutines, each on sentences of its own; the model is read-only.
// Values of the type are comparable.
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
	// Calibrate turns raw confidence into probabilities, as Parse has done, for a
	// parsed sentence some of whose heads and deprels were given, both by word
	// minus 1: these are certain.
	Calibrate(s *syntax.Sentence, heads, deprels []bool)

	// Encodes reports whether there is an encoder: dense scores make Tag, Prune
	// and Parse more accurate, and cost most of the time.
	Encodes() bool
	// CanChoose reports whether parses without the encoder are calibrated, so
	// that it may be left to sentences that need it.
	CanChoose() bool
	// Encode sets Dense of sentences, each as if it were alone, or leaves it
	// empty.
	Encode(sents []*syntax.Sentence)

	// With returns stages that do what these do, by what lists say.
	With(lists *model.Lists) (Stages, error)
	// TrainedOn is a language and a treebank, such as "en (en_ewt 2.16)", for
	// messages; "" is unknown.
	TrainedOn() string
}

// An Opener gives the stages of the model at a URI and the model's digest. It
// must return the same loaded model however often it is called.
type Opener func(uri string) (m Stages, digest string, err error)

var openers sync.Map // scheme -> Opener

// RegisterModels makes open answer for model URIs "scheme:...".
func RegisterModels(scheme string, open Opener) { openers.Store(scheme, open) }

// opener is what answers for a model URI.
func opener(uri string) Opener {
	if scheme, _, ok := strings.Cut(uri, ":"); ok {
		if open, found := openers.Load(scheme); found {
			return open.(Opener)
		}
	}
	return openTrained
}

// loadMillis is how long this process took to load models since the last chunk that
// reported it to Beam.
var loadMillis atomic.Int64

var opened sync.Map // digests of the models that this process has opened

// OpenModel opens the model at uri ("" is the embedded one).
func OpenModel(uri string) (m Stages, digest string, err error) {
	start := time.Now()
	m, digest, err = opener(uri)(uri)
	if err == nil {
		if _, again := opened.LoadOrStore(digest, true); !again {
			loadMillis.Add(max(time.Since(start).Milliseconds(), 1))
		}
	}
	return m, digest, err
}

// short is enough of a digest to tell models apart.
func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}

// openTrained opens a trained model, which this process loads once.
func openTrained(uri string) (Stages, string, error) {
	open := model.Open
	if store.IsRemote(uri) {
		open = fetchModel
	}
	m, err := open(uri)
	if err != nil {
		return nil, "", err
	}
	return trained{m}, m.Digest, nil
}

// IsLocalModel reports whether a model URI names a file of this machine.
func IsLocalModel(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	_, other := openers.Load(scheme)
	return !model.IsEmbedded(uri) && !store.IsRemote(uri) && (!other || scheme == uri)
}

// fetched are the models that this process has fetched from object stores, by
// URI: of each the last version.
var fetched = struct {
	sync.Mutex
	models map[string]fetchedModel
}{models: map[string]fetchedModel{}}

type fetchedModel struct {
	version string
	*model.Model
}

// fetchModel returns the model at the URI of an object store. It is fetched
// once per process and lives in memory: nothing is written to the disk.
func fetchModel(uri string) (*model.Model, error) {
	ctx := context.Background()
	s, name, err := store.Of(ctx, uri)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", store.Redact(uri), err)
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("model %w: check --model", err)
	}
	fetched.Lock()
	defer fetched.Unlock()
	if m := fetched.models[name]; m.Model != nil && m.version == info.Version {
		return m.Model, nil
	}
	data, err := store.ReadFile(ctx, uri)
	if err != nil {
		return nil, fmt.Errorf("model %w", err)
	}
	m, err := model.OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", uri, err)
	}
	fetched.models[name] = fetchedModel{info.Version, m}
	return m, nil
}

// trained are the stages of a trained model.
type trained struct{ *model.Model }

// TrainedOn implements Stages.
func (m trained) TrainedOn() string {
	return fmt.Sprintf("%s (%s)", m.Info.Language, strings.TrimSpace(m.Info.Treebank+" "+m.Info.Release))
}

// With implements Stages.
func (m trained) With(lists *model.Lists) (Stages, error) {
	c, err := lists.Custom()
	if err != nil {
		return nil, err
	}
	return trained{m.Model.With(c)}, nil
}

// Parse implements Stages.
func (m trained) Parse(s *syntax.Sentence, o output.ParseOptions) error {
	return m.Model.Parse(s, search.Options{Seed: o.Seed, Restarts: o.Restarts, Exact: o.Exact, Budget: o.Budget, Projective: o.Projective,
		Certify: o.Certify})
}
