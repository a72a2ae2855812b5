package finetune

import (
	"errors"
	"fmt"
	"time"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of Train. The zero value of a field is what its comment says.
type Options struct {
	Seed    uint64
	Layers  int // that are kept and learn, from the first; 0: all
	Epochs  int // 0: for 1.4 million pieces in all, but 4 to 12
	Batch   int // pieces of a batch, at most, or one sentence; 0: 400
	Workers int // goroutines, 1 if 0; changes no bit of the result

	// Rate and HeadRate are the highest learning rates of the encoder and of
	// the heads; 0: 1.5e-4 for 10 layers or more, 2e-4 for 6, 2.5e-4 for
	// fewer; 1e-3.
	Rate, HeadRate float64

	// Full says that the products of the layers keep all bits of their factors,
	// instead of rounding them to bfloat16 (sums have 32 bits) where the
	// processor is quicker so.
	Full bool

	Weights []float32         // of the training sentences in the loss; nil: 1 each
	Texts   []syntax.Sentence // nothing is learned from them, but their pieces stay in the vocabulary

	Log func(format string, a ...any) // nil: none
	Now func() time.Time              // of the times in the log; nil: no times

	// Checkpoint, if set, is called after every epoch with all that Resume, if
	// set, must read for the learning to go on as if it had never stopped.
	// Resume reports false, and calls nothing, where there is no checkpoint.
	Checkpoint func(epoch int, layout func(*pack.Layout)) error
	Resume     func(layout func(*pack.Layout)) (bool, error)
}

// The learning rates rise over the first part of the training and then fall in
// a line to a share of the highest.
const (
	warmUp    = 0.08
	leastRate = 0.02
)

// Highest norms of a gradient; a longer one is shortened.
const (
	encoderNorm = 1
	headsNorm   = 5
)

const (
	usualPieces = 1_400_000 // of all epochs
	devBatch    = 1000      // pieces
)

// Train tunes a copy of an encoder and new heads on training trees, and picks
// the epoch with the best LAS on dev, the last one without dev. Sentences
// without words, with other than one root, or with more pieces than the
// encoder has positions are left out. The vocabulary of the result is cut to
// the pieces of train and of the texts, and single characters.
//
// Errors are those of Checkpoint and Resume, of trees that no heads can learn,
// and of a loss that is no number.
func Train(p *encode.Params, train, dev []syntax.Sentence, o Options) (*encode.Params, *encode.Heads, error) {
	t, err := newTrainer(p, train, dev, o)
	if err != nil {
		return nil, nil, err
	}
	if err := t.run(); err != nil {
		return nil, nil, err
	}
	copy(t.network.flat, t.best.encoder)
	copy(t.flatHeads, t.best.heads)
	tuned := *t.network.p
	tuned.Word, tuned.Pieces = t.whole(tuned.Word), t.p.Pieces
	return &tuned, t.heads.p, nil
}

// A trainer is one training.
type trainer struct {
	Options
	*vocabulary
	train, dev []example
	guess      []syntax.Sentence // of dev
	pieces     int               // of an epoch

	network                    *network
	heads                      *heads
	flatHeads, flatHeadsSlopes []float32
	encoderAdam, headsAdam     *adam
	dlevels                    [][]float32

	epoch, steps int32 // that are done
	best         struct {
		epoch          int32
		figure         float64 // words of dev with the right head and label, below 0 before the first
		encoder, heads []float32
	}
	begun time.Time
	spent int // pieces since begun
}

func newTrainer(p *encode.Params, train, dev []syntax.Sentence, o Options) (*trainer, error) {
	if o.Layers < 0 || o.Layers > len(p.Layers) {
		return nil, fmt.Errorf("finetune: the encoder has %d layers, not %d: ask for fewer", len(p.Layers), o.Layers)
	}
	if o.Weights != nil && len(o.Weights) != len(train) {
		return nil, fmt.Errorf("finetune: %d weights for %d sentences", len(o.Weights), len(train))
	}
	t := &trainer{Options: o}
	t.fill(p)
	p = restrict(p, o.Layers, train, o.Texts)
	var gold []syntax.Sentence
	t.train, gold = t.examples(p, "train", train, o.Weights)
	t.dev, t.guess = t.examples(p, "dev", dev, nil)
	t.guess = syntax.Clone(t.guess)
	if len(t.train) == 0 {
		return nil, errors.New("finetune: no sentence to learn from: each needs words, one root, and pieces for less than all positions")
	}
	t.vocabulary = newVocabulary(p, t.train)
	t.place(t.train)
	t.place(t.dev)
	for i := range t.train {
		t.pieces += len(t.train[i].ids)
	}
	if t.Epochs == 0 {
		t.Epochs = min(max(usualPieces/t.pieces, 4), 12)
	}
	var err error
	if t.heads, err = newHeads(p.Width, len(p.Layers)+1, gold, o.Seed); err != nil {
		return nil, err
	}
	learned := *p
	learned.Word, learned.Pieces = t.learned(), t.names()
	t.network = newNetwork(&learned)
	t.network.frozen, t.network.half = p.Word, !o.Full
	t.flatHeads, t.flatHeadsSlopes = encode.Flatten(t.heads.p.Tensors()), encode.Flatten(t.heads.grad.Tensors())
	t.encoderAdam = newAdam(t.network.p.Tensors(), t.network.flat, t.network.slopes)
	t.headsAdam = newAdam(t.heads.p.Tensors(), t.flatHeads, t.flatHeadsSlopes)
	t.dlevels = make([][]float32, len(p.Layers)+1)
	t.best.figure = -1
	t.best.encoder, t.best.heads = make([]float32, len(t.network.flat)), make([]float32, len(t.flatHeads))
	t.Log("encoder: %d layers, %d pieces (%d of train), %d sentences with %d pieces, %.1f million weights learn",
		len(p.Layers), len(p.Pieces.Pieces), len(t.known), len(t.train), t.pieces, float64(len(t.network.flat)+len(t.flatHeads))/1e6)
	return t, nil
}

// fill sets what was left out of the options.
func (t *trainer) fill(p *encode.Params) {
	layers := len(p.Layers)
	if t.Layers > 0 {
		layers = t.Layers
	}
	set := func(x *float64, usual float64) {
		if *x == 0 {
			*x = usual
		}
	}
	switch {
	case layers >= 10:
		set(&t.Rate, 1.5e-4)
	case layers >= 6:
		set(&t.Rate, 2e-4)
	default:
		set(&t.Rate, 2.5e-4)
	}
	set(&t.HeadRate, 1e-3)
	if t.Batch == 0 {
		t.Batch = 400
	}
	t.Workers = max(t.Workers, 1)
	if t.Log == nil {
		t.Log = func(string, ...any) {}
	}
}

// examples cuts the sentences that can be learned from, and returns them
// beside.
func (t *trainer) examples(p *encode.Params, name string, list []syntax.Sentence, weights []float32) (out []example, kept []syntax.Sentence) {
	out, kept = make([]example, 0, len(list)), make([]syntax.Sentence, 0, len(list))
	roots, long := 0, 0
	for i := range list {
		s := &list[i]
		if !oneRoot(s) {
			roots++
			continue
		}
		e := cut(p, s)
		if len(e.ids) > p.Positions {
			long++
			continue
		}
		if weights != nil {
			e.weight = weights[i]
		}
		out, kept = append(out, e), append(kept, *s)
	}
	if roots+long > 0 {
		t.Log("encoder: of %d sentences of %s, %d without exactly one root and %d of more than %d pieces are left out", len(list), name, roots, long, p.Positions)
	}
	return out, kept
}

// oneRoot reports whether a tree has one root or, while heads are open, one at most.
func oneRoot(s *syntax.Sentence) bool {
	roots := s.Roots()
	return roots == 1 || roots == 0 && s.Partial()
}

// layout names what a checkpoint holds.
func (t *trainer) layout(l *pack.Layout) {
	pack.Value(l, "epoch", &t.epoch)
	pack.Value(l, "steps", &t.steps)
	pack.Value(l, "best", &t.best.figure)
	pack.Value(l, "best.epoch", &t.best.epoch)
	for _, x := range []struct {
		name string
		data []float32
	}{
		{"encoder.weights", t.encoderAdam.weights}, {"encoder.first", t.encoderAdam.first}, {"encoder.second", t.encoderAdam.second}, {"encoder.best", t.best.encoder},
		{"heads.weights", t.headsAdam.weights}, {"heads.first", t.headsAdam.first}, {"heads.second", t.headsAdam.second}, {"heads.best", t.best.heads},
	} {
		list := x.data
		pack.Array(l, x.name, &list)
		l.Check(x.name, len(list) == len(x.data), "is of another training")
		if l.Reading() {
			copy(x.data, list)
		}
	}
}
