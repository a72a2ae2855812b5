package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/sections"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/language"
	"github.com/treebeam/treebeam/parser/pack"
)

// A world is a model file of many languages. It has the components of a model once for
// all of them, except for segmenter and tagger, which every language has in a section of
// its own, "CODE/own", with the relations of the language and its provenance. This section,
// and "all/small" of vocabulary, pruner, parser and labels, is a model file whose sections
// are planes of bytes, compressed by zstd.

// EmbeddedWorld is the URI of the embedded world. "world:de" is the URI of one of its
// languages, and FILE#de the URI of a language in a file.
const EmbeddedWorld = "world"

// Undetermined is the code of the model for text in none of the languages of the world.
// Languages does not list it.
const Undetermined = "und"

// ErrNoWorld is the error of OpenWorld for EmbeddedWorld if the program does not
// include it.
var ErrNoWorld = errors.New(noWorld)

// A Language is one of the languages of a world.
type Language struct {
	Code       string   `json:"code"` // "de"
	Name       string   `json:"name"` // "German"
	Treebanks  []Source `json:"treebanks"`
	TrainWords int      `json:"train_words"`
	Scores     []Score  `json:"scores,omitempty"` // on dev
	Example    string   `json:"example"`          // a sentence
}

// A Source is a treebank that a model has learned from.
type Source struct {
	Name    string `json:"name"` // "German-GSD dev"
	Licence string `json:"licence"`
}

// IdentifyName is the name of the component of a world that identifies the language of
// a text.
const IdentifyName = "language"

// A World is an open file with the models of many languages. Opening it reads only its
// table and provenance. A language is opened when it is asked for, and what all
// languages share is opened with the first of them. A World is safe for concurrent use.
type World struct {
	Info   Info   // of the file
	Digest string // SHA-256 of the file's table, which has the sums of all parts, its provenance, and the calibrator of its own file
	Size   int    // bytes of both files

	parts  []sections.Unchecked
	fitted []pack.Section // of a calibrator in a file of its own
	shared func() (*sharedParts, error)
	names  func() (*language.Model, error)
	models map[string]func() (*Model, error) // by code
}

// sharedParts are the components that all languages use.
type sharedParts struct {
	model    Model // without what a language has alone
	encoder  *encode.Model
	sections []pack.Section
}

// Languages returns the languages, sorted by code. The caller must not change the list.
func (w *World) Languages() []Language { return w.Info.Languages }

// Sections returns the sections of the file. Their data are unchecked and may be
// damaged.
func (w *World) Sections() []pack.Section { return plain(w.parts) }

// Language returns the model of a language, or of Undetermined. It opens each model
// once.
func (w *World) Language(code string) (*Model, error) {
	open := w.models[code]
	if open == nil {
		var codes []string
		for _, l := range w.Languages() {
			codes = append(codes, l.Code)
		}
		return nil, fmt.Errorf("it has no language %q, but %s", code, strings.Join(codes, ", "))
	}
	return open()
}

// Identifier returns the language identifier. It opens it once.
func (w *World) Identifier() (*language.Model, error) { return w.names() }

func (w *World) openIdentifier() (m *language.Model, err error) {
	list, err := w.checked(IdentifyName)
	if err != nil {
		return nil, err
	}
	err = open(&m, IdentifyName)(language.Open(pack.NewView(list), IdentifyName))
	return m, err
}

const (
	smallPart = "all/small" // what all languages share and is compressed
	ownPart   = "/own"
)

// EncodeWorld returns the bytes of a world. common are the sections that all languages
// share. languages has the file of each language (EncodeLanguage), by its code.
func EncodeWorld(info Info, common []pack.Section, languages map[string][]byte) ([]byte, error) {
	small, list := split(common, WordName, PruneName, ParseName, LabelName)
	if data, err := deflated(Info{}, small); err != nil {
		return nil, err
	} else {
		list = append(list, pack.Section{Name: smallPart, Kind: pack.Bytes, Data: data})
	}
	for _, code := range slices.Sorted(maps.Keys(languages)) {
		list = append(list, pack.Section{Name: code + ownPart, Kind: pack.Bytes, Data: languages[code]})
	}
	return Encode(info, list)
}

// EncodeLanguage returns the file of a language in a world. own are the sections of its
// segmenter and tagger, and relations the relations that it uses.
func EncodeLanguage(info Info, own []pack.Section, relations []string) ([]byte, error) {
	var b pack.Builder
	pack.Write(b.Sub(relationsName), func(l *pack.Layout) { l.Strings("names", &relations) })
	return deflated(info, append(slices.Clone(own), b.Sections...))
}

// Own returns what a language of a world has alone.
func (f *File) Own(code string) (*File, error) {
	for _, s := range f.Sections {
		if s.Name == code+ownPart {
			return inflated(s)
		}
	}
	return nil, fmt.Errorf("it has no language %q", code)
}

// SetOwn gives a language of a world other parts, in place of those that Own returns.
func (f *File) SetOwn(code string, own *File) (err error) {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Name == code+ownPart {
			s.Data, err = deflated(own.Info, own.Sections)
		}
	}
	return err
}

// deflated returns a compressed model file of planes of bytes.
func deflated(info Info, list []pack.Section) ([]byte, error) {
	list = slices.Clone(list)
	for i := range list {
		list[i].Data = planes(list[i].Data, list[i].Kind.Size(), false)
	}
	data, err := Encode(info, list)
	if err == nil && len(data) > maxInflated {
		err = fmt.Errorf("a part of a model of many languages has %d bytes, at most %d can be opened", len(data), maxInflated)
	}
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.EncodeAll(data, nil), nil
}

// inflated returns what deflated has packed.
func inflated(part pack.Section) (*File, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxInflated))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	data, err := z.DecodeAll(part.Data, nil)
	if err != nil {
		return nil, sections.Damaged("section %q: %v", part.Name, err)
	}
	f, err := Decode(aligned(data))
	if err != nil {
		return nil, err
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		s.Data = planes(s.Data, s.Kind.Size(), true)
	}
	return f, nil
}

// planes returns the first bytes of all elements of a size, then all second bytes, and so
// on, which compresses better; or, back, the elements of such planes, aligned.
func planes(data []byte, size int, back bool) []byte {
	if size == 1 {
		return data
	}
	out := aligned(make([]byte, len(data)))
	n := len(data) / size
	for i := range n {
		for k := range size {
			if back {
				out[i*size+k] = data[k*n+i]
			} else {
				out[k*n+i] = data[i*size+k]
			}
		}
	}
	return out
}

const (
	relationsName = "relations"
	maxInflated   = 64 << 20 // bytes of a decompressed part
)

// worlds is the cache of opened worlds. It also has the embedded one, by its URI.
var worlds = files[*World]{open: map[string]opened[*World]{}}

// OpenWorld returns the world of a URI: EmbeddedWorld, a path or a file:// URI. A file is
// mapped, as by Open, and opened once per process while it does not change.
func OpenWorld(uri string) (*World, error) {
	worlds.Lock()
	defer worlds.Unlock()
	if uri == EmbeddedWorld {
		if w, ok := worlds.open[uri]; ok {
			return w.of, nil
		}
		if world == "" {
			return nil, ErrNoWorld
		}
		w, err := newWorld(bytesOf(world), bytesOf(worldCalibrator))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		worlds.open[uri] = opened[*World]{of: w}
		return w, nil
	}
	path, err := localPath(uri)
	if err != nil {
		return nil, err
	}
	w, err := worlds.file(path, func(data []byte) (*World, bool, error) {
		w, err := newWorld(data, nil)
		return w, true, err
	})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", uri, err)
	}
	return w, nil
}

// OpenWorldBytes is OpenWorld for the bytes of a file. data must not change afterwards.
func OpenWorldBytes(data []byte) (*World, error) { return newWorld(aligned(data), nil) }

// newWorld reads the table and the provenance, and the separate file of a calibrator, if there
// is one.
func newWorld(data, calibrator []byte) (*World, error) {
	text, parts, err := sections.DecodeTable(data)
	if err != nil {
		return nil, err
	}
	w := &World{Size: len(data) + len(calibrator), parts: parts, models: map[string]func() (*Model, error){}}
	if err := json.Unmarshal(text, &w.Info); err != nil {
		return nil, sections.Damaged("its provenance is not JSON: %v", err)
	}
	if len(w.Info.Languages) == 0 {
		return nil, errors.New("this is the model of one language, not of many")
	}
	if err := readable(w.Info, plain(parts)); err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(sections.Table(data))
	sum.Write(text)
	w.Digest = hex.EncodeToString(sum.Sum(nil))
	if len(calibrator) > 0 {
		f := File{Info: w.Info}
		if err := f.calibrate(calibrator, w.Digest); err != nil {
			return nil, err
		}
		w.Info, w.fitted = f.Info, f.Sections
		sum.Write(calibrator)
		w.Digest = hex.EncodeToString(sum.Sum(nil))
	}
	w.shared, w.names = sync.OnceValues(w.openShared), sync.OnceValues(w.openIdentifier)
	for i := range parts {
		if code, ok := strings.CutSuffix(parts[i].Name, ownPart); ok {
			w.models[code] = sync.OnceValues(func() (*Model, error) {
				m, err := w.openLanguage(code, &parts[i])
				if err != nil {
					return nil, fmt.Errorf("language %s: %w", code, err)
				}
				loads.Add(1)
				return m, nil
			})
		}
	}
	for _, l := range w.Info.Languages {
		if w.models[l.Code] == nil {
			return nil, sections.Damaged("it has no part of the language %q", l.Code)
		}
	}
	return w, nil
}

func plain(parts []sections.Unchecked) (list []pack.Section) {
	for i := range parts {
		list = append(list, parts[i].Section)
	}
	return list
}

// checked returns the sections of components.
func (w *World) checked(components ...string) (list []pack.Section, err error) {
	for i := range w.parts {
		if name, _, _ := strings.Cut(w.parts[i].Name, "."); slices.Contains(components, name) {
			if err := w.parts[i].Check(); err != nil {
				return nil, err
			}
			list = append(list, w.parts[i].Section)
		}
	}
	return list, nil
}

// openShared opens what all languages share.
func (w *World) openShared() (*sharedParts, error) {
	list, err := w.checked(EncodeName, MixName, CalibrateName, FastCalibrateName)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(w.parts, func(p sections.Unchecked) bool { return p.Name == smallPart })
	if at < 0 {
		return nil, sections.Damaged("it has no section %q", smallPart)
	}
	if err := w.parts[at].Check(); err != nil {
		return nil, err
	}
	small, err := inflated(w.parts[at].Section)
	if err != nil {
		return nil, err
	}
	if len(w.fitted) > 0 {
		_, list = split(list, CalibrateName)
	}
	list = slices.Concat(list, w.fitted, small.Sections)
	x := &sharedParts{sections: list}
	x.encoder, err = x.model.openTrees(pack.NewView(list))
	return x, err
}

// openLanguage makes the model of a language of shared and own parts.
func (w *World) openLanguage(code string, part *sections.Unchecked) (*Model, error) {
	shared, err := w.shared()
	if err != nil {
		return nil, err
	}
	if err := part.Check(); err != nil {
		return nil, err
	}
	own, err := inflated(part.Section)
	if err != nil {
		return nil, err
	}
	m := shared.model
	m.Info, m.Size, m.Sections = w.infoOf(own.Info), w.Size, slices.Concat(shared.sections, own.Sections)
	sum := sha256.Sum256([]byte(w.Digest + "#" + code))
	m.Digest = hex.EncodeToString(sum[:])
	v := pack.NewView(own.Sections)
	var relations []string
	if err := pack.Read(v, relationsName, func(l *pack.Layout) { l.Strings("names", &relations) }); err != nil {
		return nil, err
	}
	m.Labeler = m.Labeler.Only(relations)
	if err := m.openWords(v, shared.encoder); err != nil {
		return nil, err
	}
	return &m, nil
}

// infoOf completes the provenance of a language with what all have in common.
func (w *World) infoOf(own Info) Info {
	i := w.Info
	i.Language, i.Treebank, i.Licence = own.Language, own.Treebank, own.Licence
	i.Train, i.More, i.Dev = own.Train, own.More, own.Dev
	for _, l := range i.Languages {
		if l.Code == own.Language {
			i.Scores = l.Scores
		}
	}
	i.Languages = nil
	return i
}

// languageOf cuts the URI of a language into the URI of its world and its code.
func languageOf(uri string) (world, code string, ok bool) {
	if code, ok = strings.CutPrefix(uri, EmbeddedWorld+":"); ok {
		return EmbeddedWorld, code, true
	}
	at := strings.LastIndexByte(uri, '#')
	if at < 1 || strings.ContainsAny(uri[at:], `/\`) {
		return "", "", false
	}
	if _, err := os.Stat(uri); err == nil { // a model whose name has the sign
		return "", "", false
	}
	return uri[:at], uri[at+1:], true
}

// openLanguageOf is Open for the URI of a language in a world.
func openLanguageOf(uri, world, code string) (*Model, error) {
	w, err := OpenWorld(world)
	if err != nil {
		return nil, err
	}
	m, err := w.Language(code)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", uri, err)
	}
	return m, nil
}
