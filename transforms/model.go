package transforms

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	RegisterModels("", func(uri string) (Stages, string, error) {
		open := model.Open // loads once per process
		if store.IsRemote(uri) {
			open = fetchModel
		}
		m, err := open(uri)
		if err != nil {
			return nil, "", err
		}
		return trained{m}, m.Digest, nil
	})
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

// TrainedOn implements Named.
func (m trained) TrainedOn() string {
	return fmt.Sprintf("%s (%s)", m.Info.Language, strings.TrimSpace(m.Info.Treebank+" "+m.Info.Release))
}

// With implements Customizer.
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
