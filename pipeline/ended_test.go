package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// An engine that says that all went well, but has lost the end of the job, is not
// believed, whether there is a manifest of an earlier run or none.
func TestJobThatEndsTooEarly(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(20)}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	for _, want := range []string{"manifest is from an earlier run: run the same command again", "ended without having written"} {
		p, err := Prepare(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		pl, scope := beam.NewPipelineWithRoot()
		transforms.Expand(scope, p.Job)
		if _, err := p.run(context.Background(), pl); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		p.Close()
		os.Remove(filepath.Join(o.Output, output.ManifestFile))
	}
	run(t, o)
}
