package pipeline

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
)

// A Forecast is the expected work of a run, from a sample of its input.
type Forecast struct {
	Words int64   // that are not parsed yet
	Rate  float64 // words a second on one core of this machine
	// Fast is the Rate of the fast English model; 0 if the run uses another model than the
	// accurate one, or if Fast would save little.
	Fast float64
}

// CoreTime is the time that one core would take at a rate.
func (f *Forecast) CoreTime(rate float64) time.Duration {
	return time.Duration(float64(f.Words) / rate * float64(time.Second))
}

// The sample is what can be parsed in sampleTime, from the middle of the input or the
// range sampleFrom, if it can be read in sampleWithin. An input with fewer bytes than
// worthForecast has no forecast, on an engine less than worthOnEngine.
const (
	sampleTime    = time.Second
	sampleWithin  = 3 * time.Second
	sampleFrom    = 1000
	savesLittle   = 1.5 // times the rate
	worthForecast = 32 << 20
	worthOnEngine = 1 << 20
)

var errSampled = errors.New("the sample is large enough")

// Forecast parses a sample of the input in this process and forecasts the rest of the
// run. done is the number of stored bytes that are finished. Forecast returns false if
// the rest is small or the sample was not enough.
func (p *Prepared) Forecast(ctx context.Context, done int64) (f Forecast, known bool) {
	rest := p.Bytes - done
	if rest < worthOnEngine || p.here && rest < worthForecast {
		return f, false
	}
	ctx, cancel := context.WithTimeout(ctx, sampleWithin)
	defer cancel()
	var words int64
	var took, tookFast time.Duration
	before := transforms.Progress.Bytes.Load()
	timed := func(c transforms.Chunk, o output.RowOptions, took *time.Duration) transforms.Chunk {
		start := time.Now()
		c = transforms.StageSegmented(transforms.SegmentChunk(c, p.model, o), p.model, o)
		*took += time.Since(start)
		return c
	}
	fast := p.Job.Options // of the same model, as the fast one is part of it
	fast.Effort = "0"
	parse := func(c transforms.Chunk) error {
		if p.accurate() {
			timed(c, fast, &tookFast)
		}
		c = timed(c, p.Job.Options, &took)
		for i := range c.Sentences {
			words += int64(len(c.Sentences[i].Words))
		}
		if took >= sampleTime {
			return errSampled
		}
		return nil
	}
	pace := new(transforms.Pace)
	for r, err := range source.PlanRanges(ctx, p.Job.PlanPath()) {
		if err == nil && r.K < min(p.Job.Ranges/2, sampleFrom) {
			continue
		}
		if err != nil || took >= sampleTime || ctx.Err() != nil {
			break
		}
		transforms.ReadPaced(ctx, &r, p.model, p.Job.Options, pace, parse) // what is wrong with it is the job's to say
	}
	read := transforms.Progress.Bytes.Load() - before
	transforms.Progress.Bytes.Add(-read) // a sample is no progress
	if words == 0 || read == 0 {
		return f, false
	}
	f.Words = int64(float64(words) * float64(rest) / float64(read))
	f.Rate = rate(words, took) / float64(transforms.Cores())
	if took > time.Duration(savesLittle*float64(tookFast)) && tookFast > 0 {
		f.Fast = rate(words, tookFast) / float64(transforms.Cores())
	}
	return f, true
}

// accurate reports whether the run uses the encoder of the accurate English model.
func (p *Prepared) accurate() bool {
	return cmp.Or(p.Job.Model, model.Default()) == model.EmbeddedAccurate && p.Job.Options.Effort != "0"
}
