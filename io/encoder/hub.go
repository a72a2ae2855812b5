package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
)

// errMissing says that a file is not there.
var errMissing = errors.New("there is none")

// files reads a file of a folder by name and calls f with its bytes, which f
// must not keep. The error is errMissing if there is none.
type files func(name string, f func([]byte) error) error

// openFolder reads an encoder in the form of model hubs.
func openFolder(folder string) (*encode.Params, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	return decodeHub(filepath.ToSlash(whole), func(name string, f func([]byte) error) error {
		_, err := mapped(filepath.Join(folder, name), func(data []byte) (struct{}, error) { return struct{}{}, f(data) })
		if errors.Is(err, os.ErrNotExist) {
			return errMissing
		}
		return err
	})
}

// config is what config.json says of an encoder.
type config struct {
	ModelType   string   `json:"model_type"`
	Name        string   `json:"_name_or_path"`
	Activation  string   `json:"hidden_act"`
	Positions   string   `json:"position_embedding_type"`
	Decoder     bool     `json:"is_decoder"`
	Width       int      `json:"hidden_size"`
	Embedding   int      `json:"embedding_size"`
	Layers      int      `json:"num_hidden_layers"`
	Heads       int      `json:"num_attention_heads"`
	FeedForward int      `json:"intermediate_size"`
	Limit       int      `json:"max_position_embeddings"`
	Epsilon     *float32 `json:"layer_norm_eps"`
	Padding     *int     `json:"pad_token_id"`
}

// decodeHub reads the files of a folder. Its path is what the encoder is
// called after if nothing else names it.
func decodeHub(folder string, read files) (*encode.Params, error) {
	need := func(name string, f func([]byte) error) error {
		err := read(name, f)
		if err == errMissing {
			return fmt.Errorf("there is no %s: want a folder with config.json, tokenizer.json and %s, as model hubs have them", name, tensorsFile)
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	var c config
	if err := need("config.json", func(data []byte) error { return json.Unmarshal(data, &c) }); err != nil {
		return nil, err
	}
	first, err := c.check()
	if err != nil {
		return nil, err
	}
	p := &encode.Params{Source: "the files of a model hub"}
	p.Name = path.Base(folder)
	if p.Name == "." || p.Name == "/" {
		p.Name = path.Base(c.Name)
	}
	p.Width, p.Heads, p.FeedForward, p.Positions = c.Width, c.Heads, c.FeedForward, c.Limit-first
	if p.Epsilon = 1e-12; c.Epsilon != nil {
		p.Epsilon = *c.Epsilon
	}
	if err := checkShape(p, c.Layers); err != nil {
		return nil, fmt.Errorf("config.json: %w", err)
	}
	err = need("tokenizer.json", func(data []byte) (err error) {
		p.Pieces, err = decodeTokenizer(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := read("model.safetensors.index.json", func([]byte) error { return nil }); err == nil {
		return nil, errors.New("its weights are split over several files: save it as one " + tensorsFile + " first")
	}
	err = need(tensorsFile, func(data []byte) error {
		tensors, err := readTensors(data)
		if err != nil {
			return err
		}
		return fillHub(p, tensors, first)
	})
	if err != nil {
		return nil, err
	}
	p.Licence, p.Notice = licence(read)
	return p, nil
}

// check refuses what is no encoder of the BERT kind. first is the number of
// positions before that of the first mark.
func (c *config) check() (first int, err error) {
	switch c.ModelType {
	case "bert":
	case "roberta", "xlm-roberta", "camembert":
		// Positions count from the padding's id on.
		if first = 2; c.Padding != nil {
			first = *c.Padding + 1
		}
		if first < 0 || first >= c.Limit {
			return 0, fmt.Errorf("config.json: the pad_token_id %d is not below max_position_embeddings %d", first-1, c.Limit)
		}
	default:
		return 0, fmt.Errorf("config.json: model_type %q is not read: want bert, roberta or xlm-roberta, whose layers are normalised after each part", c.ModelType)
	}
	switch {
	case c.Activation != "gelu":
		return 0, fmt.Errorf("config.json: hidden_act %q is not read: want gelu, by the error function", c.Activation)
	case c.Positions != "" && c.Positions != "absolute":
		return 0, fmt.Errorf("config.json: position_embedding_type %q is not read: want absolute", c.Positions)
	case c.Decoder:
		return 0, errors.New("config.json: is_decoder is true: want an encoder, which sees the words on both sides")
	case c.Embedding != 0 && c.Embedding != c.Width:
		return 0, fmt.Errorf("config.json: embedding_size %d is not hidden_size %d: such encoders are not read", c.Embedding, c.Width)
	}
	return first, nil
}

// fillHub fills p, but for its Shape and its Pieces, from tensors under the
// names that the model hubs' programs give them.
func fillHub(p *encode.Params, tensors map[string]tensor, first int) (err error) {
	const words = "embeddings.word_embeddings.weight"
	prefix, found := "", false
	for name := range tensors {
		if at := strings.LastIndex(name, words); at >= 0 && at+len(words) == len(name) && (!found || name[:at] < prefix) {
			prefix, found = name[:at], true
		}
	}
	if !found {
		return errors.New("tensor " + words + " is missing: this is no encoder of the BERT kind")
	}
	get := func(name string, want []int, skip int) ([]float32, error) {
		t, there := tensors[prefix+name]
		if !there { // names of older programs
			t, there = tensors[prefix+strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(name)]
		}
		if !there {
			return nil, fmt.Errorf("tensor %s is missing: this is no encoder of the BERT kind, or not all of it", prefix+name)
		}
		want, columns := slices.Clone(want), 1
		if want[0] += skip; len(want) == 2 {
			columns = want[1]
		}
		// There may be vectors for more pieces and segments than are used.
		fits := len(t.Shape) == len(want) && slices.Equal(t.Shape[1:], want[1:]) && t.Shape[0] >= want[0]
		if exact := !strings.HasPrefix(name, "embeddings."); !fits || exact && t.Shape[0] != want[0] {
			return nil, fmt.Errorf("tensor %s has the shape %v, want %v", prefix+name, t.Shape, want)
		}
		return t.floats(want[0] * columns)[skip*columns:], nil
	}
	segment := make([]float32, p.Width)
	const segments = "embeddings.token_type_embeddings.weight"
	if _, there := tensors[prefix+segments]; there {
		if segment, err = get(segments, []int{1, p.Width}, 0); err != nil {
			return err
		}
	}
	return fill(p, func(t encode.Tensor) ([]float32, error) {
		name, _ := namesOf(t.Name)
		if t.Data == &p.Position {
			return get(name, t.Shape, first)
		}
		return get(name, t.Shape, 0)
	}, segment)
}

// maxNotice bounds a licence's text.
const maxNotice = 1 << 16

// licence returns what the folder says of its licence: the line in the head of
// README.md, and the text of LICENSE or NOTICE. Either may be "".
func licence(read files) (name, notice string) {
	read("README.md", func(data []byte) error {
		for i, line := range strings.Split(string(data[:min(len(data), maxNotice)]), "\n") {
			line = strings.TrimSpace(line)
			if i > 0 && line == "---" || i == 0 && line != "---" {
				break
			}
			if value, found := strings.CutPrefix(line, "license:"); found {
				name = strings.ToUpper(strings.Trim(strings.TrimSpace(value), `"'`))
			}
		}
		return nil
	})
	for _, file := range []string{"NOTICE", "NOTICE.txt", "LICENSE", "LICENSE.txt", "LICENSE.md"} {
		read(file, func(data []byte) error {
			if text := strings.ToValidUTF8(string(data), ""); notice == "" && len(text) <= maxNotice {
				notice = strings.TrimSpace(text)
			}
			return nil
		})
	}
	return name, notice
}
