package finetune

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options are the options of Train. The comment of a field says what its zero value
// means.
type Options struct {
	Seed    uint64
	Layers  int // the first layers, which are kept and learn; 0: all
	Epochs  int // 0: for 1.4 million pieces in all, but 4 to 12; Small: 12 million, 4 to 24
	Workers int // goroutines, 1 if 0; the result does not depend on it

	Texts []syntax.Sentence // nothing is learned from them, but their pieces stay in the vocabulary

	// Heads are the heads to start from (encode.Model.Floats). Relations and values
	// that they lack are initialised as new. nil: all are new.
	Heads *encode.Heads

	// Small trains a small network in place of the encoder, whose pieces it has (small.go).
	// All its layers and heads are new: it takes far more text to learn, and far less time to run.
	Small bool

	// Many says that the sentences are from several treebanks, named by their Language.
	// Each treebank gets a vector (encode.Params.Banks), and an epoch draws sentences
	// from each in proportion to the square root of its size.
	Many bool

	// Again says that the encoder has learned from these trees before: Adapt makes steps of
	// half the usual length.
	Again bool

	Log func(format string, a ...any) // nil: none
	Now func() time.Time              // for times in the log; nil: no times, and a line only after an epoch

	// Checkpoint, if set, is called after every epoch with the layout of the state of
	// the training. Resume, if set, reads that state, and the training goes on as if it
	// had never stopped. Resume returns false, and does not call layout, if there is no
	// checkpoint.
	Checkpoint func(epoch int, layout func(*pack.Layout)) error
	Resume     func(layout func(*pack.Layout)) (bool, error)

	pace pace // the zero value is the usual one
	kept bool // Adapt
}

// A pace is how fast a network learns.
type pace struct {
	batch          int     // pieces, at most, or one sentence
	encoder, heads float64 // highest learning rates
}

// usualPace returns the best pace for a number of layers.
func usualPace(layers int) pace {
	switch {
	case layers >= 10:
		return pace{400, 1.5e-4, 1e-3}
	case layers >= 6:
		return pace{400, 2e-4, 1e-3}
	}
	return pace{400, 2.5e-4, 1e-3}
}

// The learning rates rise over the first part of the training and then fall linearly to a
// share of the highest.
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

// ErrNoSentence says that Train or Adapt would leave out all sentences.
var ErrNoSentence = errors.New("finetune: no sentence to learn from: each needs words, one root, and fewer pieces than the encoder has positions")

// Train tunes a copy of an encoder and new heads on training trees. It picks the epoch
// with the best LAS on dev, or the last epoch without dev. It leaves out sentences
// without words, without exactly one root, or with more pieces than the encoder has
// positions. The vocabulary of the result is reduced to the pieces of train and of
// o.Texts, and others of the same scripts.
//
// Train fails if Checkpoint or Resume fails, if no heads can learn the trees, or if the
// loss is not a number.
func Train(p *encode.Params, train, dev []syntax.Sentence, o Options) (*encode.Params, *encode.Heads, error) {
	t, err := newTrainer(p, train, dev, o)
	if err != nil {
		return nil, nil, err
	}
	if err := t.run(); err != nil {
		return nil, nil, err
	}
	copy(t.network.flat, t.best.encoder)
	copy(t.heads.flat, t.best.heads)
	tuned := *t.network.p
	tuned.Word, tuned.Pieces, tuned.Coarse = t.whole(tuned.Word), t.vocabulary.p.Pieces, t.vocabulary.p.Coarse
	return &tuned, t.heads.p, nil
}

// Adapt goes on with the training of an encoder and its heads and returns copies after the
// last epoch. Vocabulary, vectors of pieces, relations and the values of classifiers stay.
// Of Banks, a sentence is of the one that its Language names. Of o, Adapt reads Seed,
// Epochs, Many, Again, Workers, Log and Now. It leaves out sentences as Train does.
func Adapt(p *encode.Params, h *encode.Heads, trees []syntax.Sentence, o Options) (*encode.Params, *encode.Heads, error) {
	again := o.Again
	o = Options{Seed: o.Seed, Epochs: o.Epochs, Many: o.Many, Workers: o.Workers, Log: o.Log, Now: o.Now, Heads: h,
		kept: true, pace: adaptPace}
	if again {
		o.pace = againPace
	}
	return Train(p, trees, nil, o)
}

// Of Adapt: a few new trees make more steps of smaller batches.
var (
	adaptPace = pace{200, 2e-4, 1e-3}
	againPace = pace{400, 1e-4, 5e-4}
)

// A trainer is one training.
type trainer struct {
	Options
	*vocabulary
	train, dev []example
	guess      []syntax.Sentence // of dev
	pieces     int               // of an epoch

	tape                   tape
	network                *network
	heads                  *heads
	encoderAdam, headsAdam *adam

	epoch, steps int32 // done so far
	best         struct {
		epoch          int32
		figure         float64 // words of dev with the right head and label, below 0 before the first
		encoder, heads []float32
	}
	begun time.Time
	spent int // pieces since begun
}

// headsSeed draws the first weights of heads: those of all trainings on the same trees are the
// same, so the weights of two can be averaged.
const headsSeed = 1

func newTrainer(p *encode.Params, train, dev []syntax.Sentence, o Options) (*trainer, error) {
	if o.Layers < 0 || o.Layers > len(p.Layers) {
		return nil, fmt.Errorf("finetune: the encoder has %d layers, not %d: ask for fewer", len(p.Layers), o.Layers)
	}
	if o.Small {
		o.Heads = nil // of other sizes
	}
	t := &trainer{Options: o}
	t.tape.workers = max(o.Workers, 1)
	if t.Log == nil {
		t.Log = func(string, ...any) {}
	}
	if !o.kept {
		p = restrict(p, o.Layers, o.Many, train, o.Texts)
	}
	usual, sizes, all, most := usualPace(len(p.Layers)), usualSizes, usualPieces, 12
	if o.Small {
		var err error
		if p, err = small(p); err != nil {
			return nil, err
		}
		t.tape.shares = smallDropout
		usual, sizes, all, most = smallPace, smallSizes, smallPieces, 24
	}
	if t.pace == (pace{}) {
		t.pace = usual
	}
	if o.Many {
		t.pace.batch *= 2 // steps of more kinds of text
	}
	if o.Many && !o.kept {
		sizes.Label = manyLabel
		p.Banks = banksOf(train)
		p.Bank = make([]float32, len(p.Banks)*p.Width)
	}
	if o.Many || o.kept && len(p.Banks) > 0 {
		train = slices.Concat(train, runs(p.Pieces, train))
	}
	var gold []syntax.Sentence
	t.train, gold = t.examples(p, "train", train)
	t.dev, t.guess = t.examples(p, "dev", dev)
	t.guess = syntax.Clone(t.guess)
	if len(t.train) == 0 {
		return nil, ErrNoSentence
	}
	t.vocabulary = newVocabulary(p, t.train, !o.kept)
	t.place(t.train)
	t.place(t.dev)
	for i := range t.train {
		t.pieces += len(t.train[i].ids)
	}
	if t.Epochs == 0 {
		t.Epochs = min(max(all/t.pieces, 4), most)
	}
	if o.Heads != nil {
		sizes = o.Heads.Sizes
	}
	sizes.Width, sizes.Levels = p.Width, len(p.Layers)+1
	if o.kept {
		t.heads = emptyHeads(sizes, o.Heads.Labels, o.Heads.Classifiers)
	} else {
		var err error
		if t.heads, err = freshHeads(sizes, gold, headsSeed); err != nil {
			return nil, err
		}
	}
	if o.Heads != nil {
		t.heads.startFrom(o.Heads)
	}
	t.network = newNetwork(t.learned(), t.frozen())
	t.network.half = true
	t.encoderAdam = newAdam(t.network.p.Tensors(), t.network.flat, t.network.slopes)
	t.headsAdam = newAdam(t.heads.p.Tensors(), t.heads.flat, t.heads.slopes)
	t.best.figure = -1
	t.best.encoder, t.best.heads = make([]float32, len(t.network.flat)), make([]float32, len(t.heads.flat))
	t.Log("encoder: layers: %d, pieces: %d (%d of train), sentences: %d with %d pieces, weights that learn: %.1f million",
		len(p.Layers), len(p.Pieces.Pieces), len(t.known), len(t.train), t.pieces,
		float64(len(t.network.flat)+len(t.heads.flat))/1e6)
	return t, nil
}

// examples cuts the sentences that can be learned from, and returns them, too.
func (t *trainer) examples(p *encode.Params, name string, list []syntax.Sentence) (out []example,
	kept []syntax.Sentence) {
	out, kept = make([]example, 0, len(list)), make([]syntax.Sentence, 0, len(list))
	roots, long, pieces, unknown := 0, 0, 0, 0
	for i := range list {
		s := &list[i]
		if !oneRoot(s) {
			roots++
			continue
		}
		e := cut(p.Pieces, s)
		if len(p.Banks) > 0 {
			e.bank = int32(len(p.Banks) - 1)
			if i := slices.Index(p.Banks, s.Language); i >= 0 {
				e.bank = int32(i)
			}
		}
		if len(e.ids) > p.Positions {
			long++
			continue
		}
		for _, id := range e.ids {
			if pieces++; id == p.Pieces.Unknown {
				unknown++
			}
		}
		out, kept = append(out, e), append(kept, *s)
	}
	if unknown*unknownShare > pieces {
		t.Log("encoder: %d of %d pieces of %s are unknown to its vocabulary: another encoder may know them", unknown, pieces, name)
	}
	if roots+long > 0 {
		t.Log("encoder: of %d sentences of %s, %d without exactly one root and %d of more than %d pieces are left out",
			len(list), name, roots, long, p.Positions)
	}
	return out, kept
}

// unknownShare is how many pieces there are to an unknown one, at least, before the log says
// so.
const unknownShare = 50

// oneRoot reports whether a tree has one root or, while heads are open, one at most.
func oneRoot(s *syntax.Sentence) bool {
	roots := s.Roots()
	return roots == 1 || roots == 0 && s.Partial()
}

// layout names the content of a checkpoint.
func (t *trainer) layout(l *pack.Layout) {
	pack.Value(l, "epoch", &t.epoch)
	pack.Value(l, "steps", &t.steps)
	pack.Value(l, "best", &t.best.figure)
	pack.Value(l, "best.epoch", &t.best.epoch)
	for _, x := range []struct {
		name string
		adam *adam
		best []float32
	}{{"encoder", t.encoderAdam, t.best.encoder}, {"heads", t.headsAdam, t.best.heads}} {
		into := func(part string, to []float32) {
			list, name := to, x.name+"."+part
			pack.Array(l, name, &list)
			l.Check(name, len(list) == len(to), "is of another training")
			if l.Reading() {
				copy(to, list)
			}
		}
		into("weights", x.adam.weights)
		into("first", x.adam.first)
		into("second", x.adam.second)
		into("best", x.best)
	}
}

// run learns for all epochs that are left.
func (t *trainer) run() error {
	if t.Resume != nil {
		if found, err := t.Resume(t.layout); err != nil {
			return err
		} else if found {
			t.Log("encoder: resumes after epoch %d", t.epoch)
		}
	}
	if t.Now != nil {
		t.begun = t.Now()
	}
	for int(t.epoch) < t.Epochs {
		loss, err := t.learn()
		if err != nil {
			return err
		}
		t.epoch++
		line := fmt.Sprintf("encoder: epoch %d of %d, loss %.4f", t.epoch, t.Epochs, loss)
		figure := float64(t.epoch)
		if len(t.dev) > 0 {
			score := t.measure()
			share := func(n int) float64 { return 100 * float64(n) / float64(max(score.words, 1)) }
			line += fmt.Sprintf(", dev LAS %.2f UAS %.2f UPOS %.2f FEATS %.2f", share(score.labels), share(score.heads),
				share(score.upos), share(score.features))
			figure = float64(score.labels)
		}
		if figure > t.best.figure {
			t.best.figure, t.best.epoch = figure, t.epoch
			copy(t.best.encoder, t.network.flat)
			copy(t.best.heads, t.heads.flat)
			if len(t.dev) > 0 {
				line += ", the best"
			}
		}
		t.Log("%s%s", line, t.left(float64(t.epoch)))
		if t.Checkpoint != nil {
			if err := t.Checkpoint(int(t.epoch), t.layout); err != nil {
				return err
			}
		}
	}
	if len(t.dev) > 0 {
		t.Log("encoder: epoch %d is the best", t.best.epoch)
	}
	return nil
}

// left describes the speed so far and the time that is left after a number of epochs.
func (t *trainer) left(epochs float64) string {
	if t.Now == nil {
		return ""
	}
	seconds := t.Now().Sub(t.begun).Seconds()
	if seconds <= 0 || t.spent == 0 {
		return ""
	}
	speed := float64(t.spent) / seconds
	rest := time.Duration((float64(t.Epochs) - epochs) * float64(t.pieces) / speed * float64(time.Second))
	return fmt.Sprintf("; %.0f pieces/s, about %s left", speed, rest.Round(time.Second))
}

// learn passes over the training examples once and returns the mean loss of a
// batch.
func (t *trainer) learn() (loss float64, err error) {
	order := hash.Shuffled(len(t.train), hash.Pair(t.Seed, uint64(t.epoch)+1))
	if t.Many {
		order = t.draw(order)
	}
	list := batches(t.train, order, t.pace.batch)
	done := 0
	for i, examples := range list {
		b := join(examples, t.elsewhere())
		l, err := t.step(b, (float64(t.epoch)+float64(done)/float64(t.pieces))/float64(t.Epochs))
		if err != nil {
			return 0, err
		}
		loss += l / float64(len(list))
		done += len(b.ids)
		t.spent += len(b.ids)
		if t.Now != nil && i > 0 && i%max(len(list)/4, 1) == 0 && len(list)-i > len(list)/8 {
			epochs := float64(t.epoch) + float64(done)/float64(t.pieces)
			t.Log("encoder: %.2f of %d epochs, loss %.4f%s", epochs, t.Epochs, loss*float64(len(list))/float64(i+1), t.left(epochs))
		}
	}
	return loss, nil
}

// step learns from a batch. done is the share of the training that is behind it.
func (t *trainer) step(b *batch, done float64) (loss float64, err error) {
	t.steps++
	t.tape.begin(hash.Pair(t.Seed, uint64(t.steps))|1, true)
	loss = t.heads.learn(&t.tape, b, t.network.forward(&t.tape, b))
	t.tape.rewind(mark{})

	rate := rateAt(done)
	encoder, heads := t.encoderAdam.norm(t.tape.workers), t.headsAdam.norm(t.tape.workers)
	if sum := loss + encoder + heads; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("finetune: the loss of step %d is not a number: train with lower learning rates", t.steps)
	}
	t.encoderAdam.step(int(t.steps), t.pace.encoder*rate, float32(min(1, encoderNorm/encoder)), t.tape.workers)
	t.headsAdam.step(int(t.steps), t.pace.heads*rate, float32(min(1, headsNorm/heads)), t.tape.workers)
	return loss, nil
}

// rateAt returns the learning rate as a share of the highest.
func rateAt(done float64) float64 {
	if done < warmUp {
		return (done + 1e-3) / (warmUp + 1e-3)
	}
	return leastRate + (1-leastRate)*(1-done)/(1-warmUp)
}

// measure parses dev.
func (t *trainer) measure() (score tally) {
	order := make([]int, len(t.dev))
	for i := range order {
		order[i] = i
	}
	at := 0
	for _, examples := range batches(t.dev, order, max(devBatch, t.pace.batch)) {
		b := join(examples, nil)
		guess := make([]*syntax.Sentence, len(examples))
		for i := range guess {
			guess[i] = &t.guess[at+i]
		}
		t.tape.begin(0, false)
		t.heads.parse(&t.tape, b, t.network.forward(&t.tape, b), guess)
		for i, e := range examples {
			score.count(e.sent, guess[i])
		}
		at += len(examples)
	}
	return score
}
