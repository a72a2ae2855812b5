package transforms_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/teststream"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/treebeam/treebeam/transforms"
)

// An unbounded collection of documents into files for each hour, with one that comes
// late.
func Example_stream() {
	out, err := os.MkdirTemp("", "trees")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)
	const hour = int64(time.Hour / time.Millisecond)
	news := teststream.NewConfig()
	comes := func(at, watermark int64, doc transforms.Document) {
		if err := news.AddElements(at, doc); err != nil {
			log.Fatal(err)
		}
		news.AdvanceWatermark(watermark)
	}
	comes(hour/2, hour/2, transforms.NewDocument("early", "It rains."))
	comes(hour+1, hour+2, transforms.NewDocument("next", "It snows."))
	comes(hour/3, 2*hour, transforms.NewDocument("late", "It rained."))
	news.AdvanceWatermarkToInfinity()

	p, s := beam.NewPipelineWithRoot()
	docs := beam.WindowInto(s, window.NewFixedWindows(time.Hour), teststream.Create(s, news),
		beam.Trigger(trigger.AfterEndOfWindow().LateFiring(trigger.AfterCount(1))), beam.PanesDiscard(), beam.AllowedLateness(24*time.Hour))
	trees, _ := transforms.ParseDocuments(s, docs, transforms.Options{})
	transforms.WriteTrees(s, trees, out, transforms.WriteOptions{})
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}

	files, _ := filepath.Glob(filepath.Join(out, "*.parquet"))
	for _, name := range files {
		trees, err := readTrees(name)
		fmt.Println(filepath.Base(name)[:39], len(trees), err)
	}
	// Output:
	// trees-19700101T000000.000Z-19700101T010 1 <nil>
	// trees-19700101T000000.000Z-19700101T010 1 <nil>
	// trees-19700101T010000.000Z-19700101T020 1 <nil>
}
