package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
)

// tinyFolder writes a random encoder of two layers to a folder of a model hub, which
// states the license or not.
func tinyFolder(t *testing.T, licence string) string {
	t.Helper()
	p, _ := encode.Tiny(3, nil)
	var vocabulary [][2]any
	for i, name := range p.Pieces.Pieces {
		vocabulary = append(vocabulary, [2]any{name, p.Pieces.Scores[i]})
	}
	hub := strings.NewReplacer("layer0.", "encoder.layer.0.", "layer1.", "encoder.layer.1.", "gain", "weight",
		"word", "embeddings.word_embeddings.weight", "position", "embeddings.position_embeddings.weight", "norm", "embeddings.LayerNorm",
		"query", "attention.self.query", "key", "attention.self.key", "value", "attention.self.value",
		"output", "attention.output.dense", "attention", "attention.output.LayerNorm",
		"up", "intermediate.dense", "down", "output.dense", "feedforward", "output.LayerNorm")
	tensors, data := map[string]any{}, []byte(nil)
	for _, x := range p.Tensors() {
		from := len(data)
		data, _ = binary.Append(data, binary.LittleEndian, *x.Data)
		tensors[hub.Replace(x.Name)] = map[string]any{"dtype": "F32", "shape": x.Shape, "data_offsets": []int{from, len(data)}}
	}
	text := func(x any) string {
		b, err := json.Marshal(x)
		must(t, err)
		return string(b)
	}
	header := text(tensors)
	dir := filepath.Join(t.TempDir(), "tiny")
	must(t, os.Mkdir(dir, 0o755))
	for name, content := range map[string]string{
		"config.json": text(map[string]any{"model_type": "bert", "hidden_act": "gelu", "hidden_size": p.Width, "num_hidden_layers": len(p.Layers),
			"num_attention_heads": p.Heads, "intermediate_size": p.FeedForward, "max_position_embeddings": p.Positions}),
		"tokenizer.json":    text(map[string]any{"model": map[string]any{"type": "Unigram", "unk_id": p.Pieces.Unknown, "vocab": vocabulary}}),
		"model.safetensors": string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + string(data),
		"README.md":         licence,
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

const tinyLicence = "---\nlicense: mit\n---\n"

// A model must name the license of its encoder, which must be one and have the layers.
func TestWrongEncoder(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.tbm")
	for flags, want := range map[string]string{
		tinyFolder(t, ""):                          "do not state the license",
		tinyFolder(t, tinyLicence) + " --layers 3": "has 2; ask for fewer",
		trainedToy(t):                              "of one language, not of many; name a pretrained encoder, or world",
	} {
		err := runTrain(t.Context(), strings.Fields("--train "+toyTrain+" --dev "+toyDev+" --model "+model+" --encoder "+flags))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", flags, err)
		}
	}
}

// An encoder that is tuned onto a finished model gives the model that a whole
// training gives, and an overlay of the same is what it adds.
func TestTrainOnlyEncoder(t *testing.T) {
	toy, dir, tiny := trainedToy(t), t.TempDir(), tinyFolder(t, tinyLicence)
	text := filepath.Join(dir, "more.txt")
	must(t, os.WriteFile(text, []byte("Quick, quiz (quail)!\nquick quiz\xff"), 0o644))
	train := func(name, flags string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		command := "--from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --model " + path + " --reuse " + filepath.Join(dir, "phases") + " " + flags
		must(t, runTrain(t.Context(), strings.Fields(command)))
		if _, err := os.Stat(path + ".train"); err == nil {
			t.Error("the phases of a finished training were left")
		}
		return path
	}
	path := train("new.tbm", "--only encoder --encoder "+tiny+" --layers 1 --epochs 2 --text "+text)
	err := runTrain(t.Context(), strings.Fields("--only encoder --small --silver "+text+" --encoder "+tiny+" --from "+path+" --train "+toyTrain+" --dev "+toyDev+" --model "+filepath.Join(dir, "x.tbm")))
	if err == nil || !strings.Contains(err.Error(), "has an encoder: a small network is a part of a model without one") {
		t.Errorf("a small network for a model with an encoder: %v", err)
	}
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{
		"licence      none; MIT (tiny)\n", "--encoder tiny ", "--layers 1 --only encoder --text more.txt\n", "  made for ", "  file ", "tiny, sha256 ",
		"  layers     1, tuned", "more.txt, 5 words", "scores on dev without the encoder", "factors of the encoder", "mix ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	whole, err := os.ReadFile(path)
	must(t, err)
	want, err := model.Decode(whole)
	must(t, err)
	once := filepath.Join(dir, "once.tbm")
	flags := "--folds 2 --licence none --release 1 --preset accurate --layers 1 --epochs 2 --encoder " + tiny + " --text " + text
	must(t, runTrain(t.Context(), strings.Fields("--train "+toyTrain+" --dev "+toyDev+" --model "+once+" "+flags)))
	got, _, err := readModel(once)
	must(t, err)
	haveSections(t, got, want)

	over, err := os.ReadFile(train("over.tbm", "--overlay --only mix --encoder "+path))
	must(t, err)
	sparse, digest, err := readModel(toy)
	must(t, err)
	if got, err = sparse.Overlay(over, digest); err != nil {
		t.Fatal(err)
	}
	haveSections(t, got, want)
	again, err := os.ReadFile(train("over.tbm", "--overlay --only mix --encoder "+filepath.Join(dir, "over.tbm")))
	must(t, err)
	if f, err := sparse.Overlay(again, digest); err != nil {
		t.Errorf("an overlay that was mixed again, in its place: %v", err)
	} else {
		haveSections(t, f, want)
	}
	if p := got.Info.Parts; len(p) != 2 || p[0].Name != "encoder" || p[1].Name != "mix" || got.Info.Encoder.SHA256 != want.Info.Encoder.SHA256 {
		t.Errorf("provenance %+v", got.Info)
	}
}

// A small network is a part of the fast model, which says so.
func TestTrainOnlySmall(t *testing.T) {
	toy, path := trainedToy(t), filepath.Join(t.TempDir(), "small.tbm")
	silver := filepath.Join(t.TempDir(), "silver.conllu")
	must(t, os.WriteFile(silver, []byte(silverTree), 0o644))
	command := "--only encoder --small --epochs 1 --encoder " + tinyFolder(t, tinyLicence) + " --from " + toy + " --silver " + silver +
		" --train " + toyTrain + " --dev " + toyDev + " --model " + path
	must(t, runTrain(t.Context(), strings.Fields(command)))
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{"licence                   none; MIT (tiny)\n", "small network, pieces of  tiny\n", "  layers                  4, new, ", " --silver silver.conllu", "\nnetwork  ", "  silver                  silver.conllu, 1 sentence",
		"factors of the small network", "network ", "network-mix "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	if m.Encodes() || m.Network == nil {
		t.Errorf("an encoder: %v, network %v", m.Encodes(), m.Network)
	}
	mix := strings.Fields("--only mix --train " + toyTrain + " --dev " + toyDev + " --from " + path + " --model " + filepath.Join(t.TempDir(), "mixed.tbm"))
	small, _, err := readModel(path)
	must(t, err)
	if err := runTrain(t.Context(), append(mix, "--overlay")); err == nil || !strings.Contains(err.Error(), "no encoder: leave --overlay out") {
		t.Errorf("an overlay of a small network: %v", err)
	}
	must(t, runTrain(t.Context(), mix))
	again, _, err := readModel(mix[len(mix)-1])
	must(t, err)
	haveSections(t, again, small)
	if p := again.Info.Parts; len(p) != 2 || p[0].Name != "network" || p[1].Name != "network-mix" {
		t.Errorf("provenance %+v", p)
	}
}

// haveSections compares the sections of two models.
func haveSections(t *testing.T, got, want *model.File) {
	t.Helper()
	if len(got.Sections) != len(want.Sections) {
		t.Fatalf("%d sections, want %d", len(got.Sections), len(want.Sections))
	}
	for i, s := range got.Sections {
		if s.Name != want.Sections[i].Name || !bytes.Equal(s.Data, want.Sections[i].Data) {
			t.Errorf("section %s differs", s.Name)
		}
	}
}
