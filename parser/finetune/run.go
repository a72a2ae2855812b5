package finetune

import (
	"fmt"
	"math"
	"time"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

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
			line += fmt.Sprintf(", dev LAS %.2f UAS %.2f UPOS %.2f FEATS %.2f", share(score.labels), share(score.heads), share(score.upos), share(score.features))
			figure = float64(score.labels)
		}
		if figure > t.best.figure {
			t.best.figure, t.best.epoch = figure, t.epoch
			copy(t.best.encoder, t.network.flat)
			copy(t.best.heads, t.flatHeads)
			line += ", the best"
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

// left tells the speed so far and the time that is left after so many epochs.
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
	list := batches(t.train, order, t.Batch)
	done := 0
	for i, examples := range list {
		b := join(examples)
		l, err := t.step(b, (float64(t.epoch)+float64(done)/float64(t.pieces))/float64(t.Epochs))
		if err != nil {
			return 0, err
		}
		loss += l / float64(len(list))
		done += b.rows()
		t.spent += b.rows()
		if i > 0 && i%max(len(list)/4, 1) == 0 && len(list)-i > len(list)/8 {
			epochs := float64(t.epoch) + float64(done)/float64(t.pieces)
			t.Log("encoder: %.2f of %d epochs, loss %.4f%s", epochs, t.Epochs, loss*float64(len(list))/float64(i+1), t.left(epochs))
		}
	}
	return loss, nil
}

// step learns from a batch. done is the share of the training that lies behind
// it.
func (t *trainer) step(b *batch, done float64) (loss float64, err error) {
	t.steps++
	o := stepOptions{workers: t.Workers, seed: hash.Pair(t.Seed, uint64(t.steps)) | 1}
	levels := t.network.forward(b, o)
	dlevels := make([]matrix.Matrix, len(levels))
	for i := range levels {
		t.dlevels[i] = resize(t.dlevels[i], len(levels[i].Data))
		dlevels[i] = matrix.Of(t.dlevels[i], levels[i].Rows, levels[i].Cols)
	}
	clear(t.flatHeadsSlopes)
	loss = t.heads.step(b, levels, dlevels, o)
	t.network.backward(b, dlevels, o)

	rate := rateAt(done)
	encoder, heads := t.encoderAdam.norm(t.Workers), t.headsAdam.norm(t.Workers)
	if sum := loss + encoder + heads; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("finetune: the loss of step %d is no number: train with lower learning rates", t.steps)
	}
	t.encoderAdam.step(int(t.steps), t.Rate*rate, float32(min(1, encoderNorm/encoder)), t.Workers)
	t.headsAdam.step(int(t.steps), t.HeadRate*rate, float32(min(1, headsNorm/heads)), t.Workers)
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
	o, at := stepOptions{workers: t.Workers}, 0
	for _, examples := range batches(t.dev, order, max(devBatch, t.Batch)) {
		b := join(examples)
		guess := make([]*syntax.Sentence, len(examples))
		for i := range guess {
			guess[i] = &t.guess[at+i]
		}
		t.heads.parse(b, t.network.forward(b, o), guess, o)
		for i, e := range examples {
			score.count(e.sent, guess[i])
		}
		at += len(examples)
	}
	return score
}
