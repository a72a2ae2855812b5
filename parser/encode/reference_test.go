package encode

import (
	"math"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The reference: the network of Params and Heads in float64, written down
// straight from their docstrings.

type rows [][]float64

func (l Linear) of(x rows) rows {
	out := make(rows, len(x))
	for t := range x {
		for o, b := range l.Bias {
			sum := float64(b)
			for i, v := range x[t] {
				sum += v * float64(l.Weight[o*len(x[t])+i])
			}
			out[t] = append(out[t], sum)
		}
	}
	return out
}

func (l Linear) mlp(x rows) rows {
	y := l.of(x)
	for _, row := range y {
		for i, v := range row {
			if v < 0 {
				row[i] = 0.1 * v
			}
		}
	}
	return y
}

func (n Norm) of(x, y rows, epsilon float32) rows {
	out := make(rows, len(x))
	for t := range x {
		mean, variance, k := 0.0, 0.0, float64(len(x[t]))
		for i := range x[t] {
			mean += (x[t][i] + y[t][i]) / k
		}
		for i := range x[t] {
			d := x[t][i] + y[t][i] - mean
			variance += d * d / k
		}
		for i := range x[t] {
			out[t] = append(out[t], (x[t][i]+y[t][i]-mean)/math.Sqrt(variance+float64(epsilon))*float64(n.Gain[i])+
				float64(n.Bias[i]))
		}
	}
	return out
}

func softmax(x []float64) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Exp(v - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// levels returns the embedding and the output of every layer.
func (p *Params) levels(ids []int32) []rows {
	word, position := make(rows, len(ids)), make(rows, len(ids))
	for t, id := range ids {
		id, letters := piece.Split(id)
		for i := range p.Width {
			word[t] = append(word[t], float64(p.Word[int(id)*p.Width+i]))
			position[t] = append(position[t], float64(p.Position[t*p.Width+i]))
			if p.Pieces.Lower {
				position[t][i] += float64(p.Case[int(letters)*p.Width+i])
			}
		}
	}
	x := p.Norm.of(word, position, p.Epsilon)
	out := []rows{x}
	for i := range p.Layers {
		l := &p.Layers[i]
		reads := x
		if i < p.Local {
			reads = around(x, p.Width)
		} else {
			x = l.AttentionNorm.of(x, l.Output.of(attention(l.Query.of(x), l.Key.of(x), l.Value.of(x), p.Heads)), p.Epsilon)
			reads = x
		}
		wide := l.Up.of(reads)
		for _, row := range wide {
			for i, v := range row {
				row[i] = v / 2 * math.Erfc(-v/math.Sqrt2)
			}
		}
		x = l.FeedForwardNorm.of(x, l.Down.of(wide), p.Epsilon)
		out = append(out, x)
	}
	return out
}

// around returns, for each row, the row before it, itself, and the row behind it.
func around(x rows, width int) rows {
	out := make(rows, len(x))
	for t := range x {
		for u := t - 1; u <= t+1; u++ {
			if u < 0 || u == len(x) {
				out[t] = append(out[t], make([]float64, width)...)
			} else {
				out[t] = append(out[t], x[u]...)
			}
		}
	}
	return out
}

func attention(q, k, v rows, heads int) rows {
	d := len(q[0]) / heads
	out := make(rows, len(q))
	for t := range q {
		out[t] = make([]float64, len(q[t]))
		for h := range heads {
			scores := make([]float64, len(k))
			for u := range k {
				for i := h * d; i < (h+1)*d; i++ {
					scores[u] += q[t][i] * k[u][i] / math.Sqrt(float64(d))
				}
			}
			for u, p := range softmax(scores) {
				for i := h * d; i < (h+1)*d; i++ {
					out[t][i] += p * v[u][i]
				}
			}
		}
	}
	return out
}

// wordVectors returns those of the root and of the words of a short sentence.
func wordVectors(p *Params, h *Heads, s *syntax.Sentence) rows {
	ids, ends := p.Pieces.Sentence(nil, nil, s)
	ids = append(append([]int32{p.Pieces.Begin}, ids...), p.Pieces.End)
	mix := make([]float64, len(h.Mix))
	for i, v := range h.Mix {
		mix[i] = float64(v)
	}
	mix = softmax(mix)
	levels, out, from := p.levels(ids), rows{make([]float64, p.Width)}, int32(0)
	mean := func(dst []float64, lo, hi int32) {
		for l, x := range levels {
			for t := lo; t < hi; t++ {
				for i := range dst {
					dst[i] += mix[l] * float64(h.Scale[0]) * x[t][i] / float64(hi-lo)
				}
			}
		}
	}
	mean(out[0], 0, 1)
	for _, end := range ends {
		v := make([]float64, p.Width)
		mean(v, 1+from, 1+end)
		out, from = append(out, v), end
	}
	return out
}

// arcsOf returns log P(h | m) at [m-1][h].
func (h *Heads) arcsOf(v rows) rows {
	mods, heads := h.ArcModifier.mlp(v[1:]), h.ArcHead.mlp(v)
	a, out := len(h.ArcBias), make(rows, len(mods))
	for m := range mods {
		scores := make([]float64, len(heads))
		for k := range heads {
			for j := range a {
				scores[k] += float64(h.ArcBias[j]) * heads[k][j]
				for i := range a {
					scores[k] += mods[m][i] * float64(h.Arc[i*a+j]) * heads[k][j]
				}
			}
		}
		scores[m+1] = math.Inf(-1)
		out[m] = logOf(softmax(scores))
	}
	return out
}

// labelsOf returns log P(l | m and its head) at [m-1][l].
func (h *Heads) labelsOf(v rows, s *syntax.Sentence) (out rows) {
	mods, heads := h.LabelModifier.mlp(v), h.LabelHead.mlp(v)
	b := len(h.LabelHead.Bias) + 1
	for i := range s.Words {
		m, k := append(mods[i+1], 1), append([]float64(nil), heads[s.Words[i].Head]...)
		k = append(k, 1)
		scores := make([]float64, len(h.Labels))
		for l := range scores {
			for x := range b {
				for y := range b {
					scores[l] += m[x] * float64(h.Label[(l*b+x)*b+y]) * k[y]
				}
			}
		}
		out = append(out, logOf(softmax(scores)))
	}
	return out
}

func logOf(p []float64) []float64 {
	for i := range p {
		p[i] = max(-30, math.Log(p[i]))
	}
	return p
}

// classOf returns log P(value) of one classifier at [m-1][value].
func (h *Heads) classOf(v rows, name string) (out rows) {
	for i := range h.Classifiers {
		if c := &h.Classifiers[i]; c.Name == name {
			out = c.of(h.Tag.mlp(v[1:]))
			for m := range out {
				out[m] = logOf(softmax(out[m]))
			}
		}
	}
	return out
}

// sizes of a random network.
type sizes struct {
	Shape
	layers, pieces, arc, label, tag int
}

var small = sizes{Shape{32, 4, 48, 40, 1e-12, 0}, 2, 40, 16, 8, 16}

// local has two local layers.
var local = sizes{Shape{32, 4, 48, 40, 1e-12, 2}, 3, 40, 16, 8, 16}

// random returns a network of normally distributed weights that keeps
// activations of about 1, and heads that are sure of some things.
func random(z sizes, seed uint64) (*Params, *Heads) {
	r := hash.Rand(seed)
	normal := func(n int, mean, deviation float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			sum := -6.0
			for range 12 {
				sum += r.Float()
			}
			x[i] = float32(mean + sum*deviation)
		}
		return x
	}
	p := &Params{Shape: z.Shape, Pieces: letters(z.pieces), Layers: make([]Layer, z.layers), Name: "random",
		Source: "a test", Licence: "none", Notice: "(c) nobody"}
	h := &Heads{Sizes: HeadSizes{z.Width, 1 + z.layers, z.arc, z.label, z.tag},
		Labels: strings.Fields("acl advcl amod case det nsubj obj obl root punct cc")}
	for _, line := range []string{"upos NOUN VERB ADJ", "xpos NN VB JJ UH", "feats:Case _ Nom Acc",
		"feats:Number _ Sing Plur"} {
		f := strings.Fields(line)
		for i := range f {
			f[i] = strings.Trim(f[i], "_")
		}
		h.Classifiers = append(h.Classifiers, Classifier{Name: f[0], Values: f[1:]})
	}
	Flatten(p.Tensors())
	Flatten(h.Tensors())
	for _, t := range append(p.Tensors(), h.Tensors()...) {
		name, isBias := strings.CutSuffix(t.Name, "bias")
		mean, deviation := 0.0, 1/math.Sqrt(float64(t.Shape[len(t.Shape)-1]))
		switch {
		case isBias && (strings.HasSuffix(name, "norm.") || strings.HasSuffix(name, "attention.") ||
			strings.HasSuffix(name, "feedforward.")):
			deviation = 0.2
		case isBias:
			deviation = 0.1
		case strings.HasSuffix(name, "gain"):
			mean, deviation = 1, 0.2
		case name == "word":
			deviation = 1
		case name == "position", name == "mix":
			deviation = 0.3
		case name == "scale":
			mean, deviation = 1.25, 0
		case name == "arc":
			deviation = 1.5 / float64(z.arc)
		case name == "label":
			deviation = 1.5 / float64(z.label)
		case strings.HasPrefix(name, "classifier"):
			deviation *= 2
		case strings.Contains(name, "query"), strings.Contains(name, "key"), !strings.HasPrefix(name, "layer"):
			deviation *= 1.5
		}
		copy(*t.Data, normal(len(*t.Data), mean, deviation))
	}
	return p, h
}

// letters is a vocabulary of marks and of single letters, of n pieces.
func letters(n int) *piece.Vocabulary {
	v := &piece.Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "\u2581"}, Scores: []float32{0, 0, -20, -2},
		Begin: 0, End: 1, Unknown: 2}
	for i := 4; i < n; i++ {
		v.Pieces, v.Scores = append(v.Pieces, string(rune('a'+i-4))), append(v.Scores, -3)
	}
	return v
}

// sentence returns one of n random words of the vocabulary's letters, with
// random heads.
func sentence(r *hash.Rand, n, pieces, longest int) *syntax.Sentence {
	s := new(syntax.Sentence)
	for range n {
		var form []rune
		for range 1 + int(r.Below(uint32(longest))) {
			form = append(form, rune('a'+int(r.Below(uint32(pieces-4)))))
		}
		s.Words = append(s.Words, syntax.Word{Form: string(form), Head: int32(r.Below(uint32(n + 1)))})
	}
	return s
}
