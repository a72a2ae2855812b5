package pipeline

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A bucket is an empty bucket of an emulator in this process, for the time of
// the test.
type bucket struct {
	uri    string
	server *storetest.Server
}

var buckets = map[string]func(testing.TB) bucket{"gs": gsBucket, "s3": s3Bucket}

func gsBucket(t testing.TB) bucket {
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	must(t, err)
	fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	server := storetest.Serve(t, fake.HTTPHandler())
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	return bucket{"gs://bucket", server}
}

func s3Bucket(t testing.TB) bucket {
	backend := s3mem.New()
	must(t, backend.CreateBucket("bucket"))
	server := storetest.Serve(t, gofakes3.New(backend).Server())
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	return bucket{"s3://bucket", server}
}

func put(t testing.TB, uri string, data []byte) {
	t.Helper()
	must(t, store.WriteFile(t.Context(), uri, data, store.Options{Expect: store.Anything}))
}

// upload copies the files of a folder to a new one in the bucket.
func (b bucket) upload(t testing.TB, dir, name string) string {
	t.Helper()
	for file, data := range files(t, dir) {
		put(t, store.Join(b.uri, name, filepath.ToSlash(file)), []byte(data))
	}
	return b.uri + "/" + name
}

// objects are the contents of a folder of a bucket.
func objects(t *testing.T, uri string) map[string]string {
	t.Helper()
	uri = strings.TrimSuffix(uri, "/")
	list := map[string]string{}
	for info, err := range store.List(t.Context(), uri) {
		must(t, err)
		data, err := store.ReadFile(t.Context(), info.Name)
		must(t, err)
		list[store.Within(uri, info.Name)] = string(data)
	}
	return list
}

// rows are all columns of an output as JSON, with the place of the input
// replaced by IN.
func rows(t *testing.T, folder, input string) string {
	t.Helper()
	return strings.ReplaceAll(convertedTo(t, folder, "jsonl", WriteOptions{}), input, "IN")
}

// manyRanges makes at least 40 ranges of corpus.
const manyRanges = 2200

func TestBuckets(t *testing.T) {
	for scheme, open := range buckets {
		t.Run(scheme, func(t *testing.T) {
			b := open(t)
			dir := corpus(t)
			in := b.upload(t, dir, "corpus")
			o := options(in, b.uri+"/first/out/")
			o.RangeBytes = manyRanges
			want := run(t, o)
			if n := countParts(want); n < 40 {
				t.Fatalf("%d ranges: the test needs 40", n)
			}
			t.Run("rows", func(t *testing.T) { sameRows(t, b, o, dir, in) })
			t.Run("again", func(t *testing.T) { nothingToDo(t, b, o, want) })
			t.Run("faults", func(t *testing.T) { withFaults(t, b, o, want) })
			t.Run("twice", func(t *testing.T) { twoAtOnce(t, b, o, want) })
			if scheme == "s3" {
				return // the rest does not depend on the store
			}
			t.Run("resume", func(t *testing.T) { resumed(t, b, o, want) })
			t.Run("damaged", func(t *testing.T) { repaired(t, b, o, want) })
			t.Run("other", func(t *testing.T) { overwritten(t, b, o) })
		})
	}
}

// sameRows compares every mix of disks and buckets, whole trees and patterns.
func sameRows(t *testing.T, b bucket, o Options, dir, in string) {
	want := rows(t, o.Output, in)
	if strings.Count(want, "\n") < 500 || !strings.Contains(want, "IN/b/long.txt") {
		t.Fatalf("rows: %.300s", want)
	}
	for _, c := range []struct{ input, output, root string }{
		{dir, filepath.Join(t.TempDir(), "out"), dir},
		{in + "/**", filepath.Join(t.TempDir(), "out"), in},
		{dir, b.uri + "/mixed", dir},
	} {
		o := o
		o.Inputs, o.Output = []string{c.input}, c.output
		run(t, o)
		equal(t, c.input+" to "+c.output, rows(t, o.Output, c.root), want)
	}
	if streamed(t, o) != converted(t, o.Output) {
		t.Error("streamed and converted differ")
	}
}

// nothingToDo runs the same command again.
func nothingToDo(t *testing.T, b bucket, o Options, want map[string]string) {
	written, skipped := transforms.Progress.Written.Load(), transforms.Progress.Skipped.Load()
	b.server.Break(nil)
	must(t, tryRun(o))
	parts := int64(countParts(want))
	requests := b.server.Requests()
	t.Logf("%d requests for %d ranges", requests, parts)
	if requests > int(parts)+40 { // one to see that a range is done; another for the few that have failures, and for heads of files
		t.Errorf("%d requests where %d ranges are done", requests, parts)
	}
	same(t, "again", want, objects(t, b.uri+"/first/out"))
	if n := transforms.Progress.Written.Load() - written; n != 0 {
		t.Errorf("%d ranges were written again", n)
	}
	if n := transforms.Progress.Skipped.Load() - skipped; n != parts {
		t.Errorf("%d ranges of %d were skipped", n, parts)
	}
}

// A range takes one request, and a span of new ranges another: for 2,000 ranges, fewer
// than 3,000 requests (TREEBEAM_TEST_RANGES=2000).
func TestRequests(t *testing.T) {
	b := gsBucket(t)
	ranges := 200
	if n, err := strconv.Atoi(os.Getenv("TREEBEAM_TEST_RANGES")); err == nil {
		ranges = n
	}
	o := options(write(t, map[string]string{"a.txt": strings.Repeat("Ten bytes.\n\n", 20*ranges)}), b.uri+"/out")
	o.RangeBytes = 20 * int64(len("Ten bytes.\n\n"))
	for _, what := range []string{"new", "done"} {
		b.server.Break(nil)
		must(t, tryRun(o))
		n := b.server.Requests()
		t.Logf("%d requests for %d ranges that are %s", n, ranges, what)
		if n < ranges || n > ranges+min(ranges, 900)+40 {
			t.Errorf("%d requests for %d ranges that are %s", n, ranges, what)
		}
	}
}

// resumed interrupts a run and continues it.
func resumed(t *testing.T, b bucket, o Options, want map[string]string) {
	o.Output = b.uri + "/resumed"
	ranges, done := interrupted(t, o, 400)
	if done < 5 || ranges-done < 5 {
		t.Fatalf("%d of %d ranges were done: the test needs some", done, ranges)
	}
	there := objects(t, o.Output)
	for name, data := range there {
		if strings.HasPrefix(name, "trees/") && data != want[name] {
			t.Errorf("%s is there and is not whole", name)
		}
	}
	done = countParts(there) // the server may have finished what the run gave up
	written, skipped := transforms.Progress.Written.Load(), transforms.Progress.Skipped.Load()
	same(t, "resumed", want, run(t, o))
	if n := transforms.Progress.Skipped.Load() - skipped; n != int64(done) {
		t.Errorf("%d ranges were skipped, %d were done", n, done)
	}
	if n := transforms.Progress.Written.Load() - written; n != int64(ranges-done) {
		t.Errorf("%d ranges were written, %d were left", n, ranges-done)
	}
}

// withFaults lets one request in ten fail in some way. Whether a run gets
// through or not, nothing that is there is cut off, and runs of the same
// command end with the undisturbed bytes.
func withFaults(t *testing.T, b bucket, o Options, want map[string]string) {
	storetest.Sleepless(t)
	o.Output = b.uri + "/faults"
	rng := rand.New(rand.NewPCG(3, 1))
	b.server.Break(func(int, *http.Request) storetest.Fault {
		if rng.IntN(10) == 0 {
			return 1 + storetest.Fault(rng.IntN(int(storetest.Faults-1)))
		}
		return storetest.None
	})
	var err error
	for range 5 {
		if err = tryRun(o); err == nil {
			break
		}
		t.Log(err)
	}
	met := 0
	for f := storetest.None + 1; f < storetest.Faults; f++ {
		if b.server.Met(f) == 0 {
			t.Errorf("fault %d was never met", f)
		}
		met += b.server.Met(f)
	}
	b.server.Break(nil)
	must(t, err)
	t.Logf("%d faults", met)
	same(t, "with faults", want, objects(t, o.Output))
}

// twoAtOnce runs the same job twice at the same time.
func twoAtOnce(t *testing.T, b bucket, o Options, want map[string]string) {
	o.Output = b.uri + "/twice"
	atOnce(t, o)
	same(t, "two at once", want, objects(t, o.Output))
}

// repaired replaces parts that are not what they should be.
func repaired(t *testing.T, b bucket, o Options, want map[string]string) {
	for _, kind := range []string{"trees", "failures"} {
		paths, err := partPaths(o.Output, kind)
		must(t, err)
		for i, data := range map[int]string{0: "not Parquet", 1: want[store.Within(b.uri+"/first/out", paths[2])], 2: ""} {
			put(t, paths[i], []byte(data))
		}
		same(t, kind+" damaged", want, run(t, o))
	}
}

// overwritten refuses another run's output, then replaces it.
func overwritten(t *testing.T, b bucket, o Options) {
	o.Rows.MaxWords = 7
	refused(t, tryRun(o), "--max-words: was 1000, is 7")
	put(t, b.uri+"/first/out/mine.txt", []byte("mine"))
	o.Overwrite, o.RangeBytes = true, 0
	got := run(t, o)
	if got["mine.txt"] != "mine" || countParts(got) != 1 {
		t.Errorf("%d parts, mine.txt has become %q", countParts(got), got["mine.txt"])
	}
	foreign := b.uri + "/foreign"
	put(t, foreign+"/trees/other.parquet", nil)
	o.Output = foreign
	refused(t, tryRun(o), "other.parquet")
}

// A model in a bucket is fetched once.
func TestModelInBucket(t *testing.T) {
	b := gsBucket(t)
	data, err := os.ReadFile(filepath.Join("..", "model", "english.tbm"))
	must(t, err)
	uri := b.uri + "/english.tbm"
	put(t, uri, data)
	b.server.Break(nil)
	for range 3 {
		if _, digest, err := transforms.OpenModel(uri); err != nil || digest != model.Digest(data) {
			t.Fatal(digest, err)
		}
	}
	if n := b.server.Requests(); n > 5 {
		t.Errorf("%d requests to open a model three times", n)
	}
	if _, _, err := transforms.OpenModel(b.uri + "/none.tbm"); err == nil || !strings.Contains(err.Error(), "none.tbm") {
		t.Errorf("got %v", err)
	}
}

// So is a model of many languages, from whose file no model of one language is opened.
func TestWorldInBucket(t *testing.T) {
	b := gsBucket(t)
	data, err := os.ReadFile(filepath.Join("..", "model", "world.tbm"))
	must(t, err)
	uri := b.uri + "/world.tbm"
	put(t, uri, data)
	b.server.Break(nil)
	for _, language := range []string{"auto", "el", "tr"} {
		o := output.RowOptions{Language: language}
		if _, _, err := transforms.Open(uri, &o); err != nil || o.World == "" || o.Language != language {
			t.Errorf("%+v, %v", o, err)
		}
	}
	if n := b.server.Requests(); n > 10 { // a reading of each kind, and whether it has changed
		t.Errorf("%d requests to open a model three times", n)
	}
}

// Runners with workers elsewhere take what these can see: objects, and a local
// model, which is copied for them.
func TestRemoteRunner(t *testing.T) {
	b := gsBucket(t)
	in := b.upload(t, write(t, map[string]string{"x.txt": prose(3)}), "in")
	local := write(t, map[string]string{"x.txt": prose(1)})
	transformstest.Dataflow(t)
	for name, c := range map[string]struct{ input, output, refused string }{
		"all remote":   {in, b.uri + "/out", ""},
		"local input":  {local, b.uri + "/out", local},
		"local output": {in, filepath.Join(local, "out"), filepath.Join(local, "out")},
		"stdin":        {"-", b.uri + "/out", "-"},
	} {
		o := options(c.input, c.output)
		o.Runner = "dataflow"
		p, err := Prepare(t.Context(), o)
		switch {
		case c.refused != "":
			refused(t, err, "such as "+c.refused)
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case p.Job.Model != transformstest.ModelURI || p.Job.Output != c.output:
			t.Errorf("%s: %+v", name, p.Job)
		}
	}
	o := options(in, b.uri+"/out2")
	o.Runner, o.Model = "dataflow", filepath.Join("..", "model", "english.tbm")
	p := prepared(t, o)
	if want := o.Output + "/_treebeam/models/" + p.Job.ModelDigest + ".tbm"; p.Job.Model != want {
		t.Errorf("the model is at %s, want %s", p.Job.Model, want)
	}
	if _, digest, err := transforms.OpenModel(p.Job.Model); err != nil || digest != p.Job.ModelDigest {
		t.Error(digest, err)
	}
	o = options(in, b.uri+"/out3")
	o.Runner, o.Model, o.Rows.Language = "dataflow", filepath.Join("..", "model", "world.tbm"), "el"
	p = prepared(t, o)
	rows := p.Job.Options
	if _, digest, err := transforms.Open(p.Job.Model, &rows); err != nil || digest != p.Job.ModelDigest || rows.World != p.Job.Options.World {
		t.Error(p.Job.Model, digest, rows.World, err)
	}
}
