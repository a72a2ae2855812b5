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

// Stages are the operations of a model on text. Several goroutines may call the methods at
// once, each on its own sentences; the model is read-only. Implementations must be
// comparable.
type Stages interface {
	// Segment cuts one block of raw text into sentences with words.
	// Sentences over maxWords words are cut. Byte positions are relative to
	// block.
	Segment(block string, maxWords int) []syntax.Sentence
	// SegmentFast is Segment without asking the pretrained encoder where sentences end.
	SegmentFast(block string, maxWords int) []syntax.Sentence
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
	// Calibrate computes the probabilities of a parsed sentence again, as Parse did,
	// with some heads and deprels given, and therefore certain. heads[i] and deprels[i]
	// are true if those of word i+1 were given.
	Calibrate(s *syntax.Sentence, heads, deprels []bool)

	// Encodes reports whether there is an encoder. Its dense scores make Tag, Prune and
	// Parse more accurate and take most of the time.
	Encodes() bool
	// CanChoose reports whether parses without the encoder are calibrated, so that only
	// sentences that need the encoder may use it.
	CanChoose() bool
	// Encode sets Dense of each sentence, or leaves it empty. The other sentences do not
	// affect it.
	Encode(sents []*syntax.Sentence)

	// With returns the same stages with the user's lists applied.
	With(lists *model.Lists) (Stages, error)
	// Language is the code of the model's language; "" is unknown.
	Language() string
	// TrainedOn is a language and a treebank, such as "en (en_ewt 2.16)", for
	// messages; "" is unknown.
	TrainedOn() string
}

// An Opener returns the stages and the digest of the model at a URI. Every call must
// return the same loaded model. Several goroutines may call it at once.
type Opener func(uri string) (m Stages, digest string, err error)

var openers sync.Map // scheme -> Opener

// RegisterModels makes open the Opener of model URIs "scheme:...".
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

// OpenModel opens the model at uri; "" is model.Default().
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
func short(digest string) string { return digest[:min(len(digest), 12)] }

// openTrained opens a trained model, which this process loads once.
func openTrained(uri string) (Stages, string, error) {
	var m *model.Model
	var err error
	if store.IsRemote(uri) {
		m, err = fetch(uri, model.OpenBytes)
	} else {
		m, err = model.Open(uri)
	}
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

// fetched are the models that this process has fetched from object stores, by type and
// URI: of each the last version, or why it could not be opened.
var fetched = struct {
	sync.Mutex
	models map[[2]string]fetchedModel
}{models: map[[2]string]fetchedModel{}}

type fetchedModel struct {
	version string
	model   any
	err     error
}

// fetch returns what open makes of the model at the URI of an object store. It is fetched
// once per process and lives in memory: nothing is written to the disk.
func fetch[T any](uri string, open func([]byte) (T, error)) (none T, err error) {
	ctx := context.Background()
	s, name, err := store.Of(ctx, uri)
	if err != nil {
		return none, fmt.Errorf("model %s: %w", store.Redact(uri), err)
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return none, fmt.Errorf("model %w: check its name", err)
	}
	fetched.Lock()
	defer fetched.Unlock()
	key := [2]string{fmt.Sprintf("%T", none), name}
	last, ok := fetched.models[key]
	if !ok || last.version != info.Version {
		data, err := store.ReadFile(ctx, uri)
		if err != nil {
			return none, fmt.Errorf("model %w", err)
		}
		m, err := open(data)
		if err != nil {
			err = fmt.Errorf("model %s: %w", uri, err)
		}
		last = fetchedModel{info.Version, m, err}
		fetched.models[key] = last
	}
	return last.model.(T), last.err
}

// trained are the stages of a trained model.
type trained struct{ *model.Model }

// Language implements Stages.
func (m trained) Language() string { return m.Info.Language }

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
