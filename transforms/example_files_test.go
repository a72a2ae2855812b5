package transforms_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/treebeam/treebeam/transforms"
)

// From text files to a folder of Parquet.
func Example_files() {
	out, err := os.MkdirTemp("", "trees")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)

	p, s := beam.NewPipelineWithRoot()
	docs, unread := transforms.ReadText(s, "../sample/text/*.txt", transforms.ReadOptions{})
	trees, unparsed := transforms.ParseDocuments(s, docs, transforms.Options{})
	transforms.WriteTrees(s, trees, out, transforms.WriteOptions{})
	beam.ParDo0(s, warn, beam.Flatten(s, unread, unparsed))
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}

	files, err := filepath.Glob(filepath.Join(out, "trees-*.parquet"))
	fmt.Println(len(files), err)
	// Output: 1 <nil>
}

func warn(f transforms.Failure) { fmt.Println(f.DocID, f.Reason) }
