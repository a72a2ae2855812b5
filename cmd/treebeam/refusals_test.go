package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Wrong commands: each is refused with what is wrong and what to do, and
// nothing is written. IN is a folder of texts, DONE a complete output, MODEL
// the start of the name of several damaged models, OUT what is not there.
var wrongCommands = []struct {
	args string
	want string // parts of standard error, separated by " ... "
}{
	{"", "treebeam parse FILE"},
	{"parse IN --output OUT --model=", "--model is empty ... unset variable ... leave it out"},
	{"parse IN --state OUT --model=", "--model is empty"},
	{"calibrate --model embedded --dev IN/a.txt --output IN/a.txt", "a.txt is the treebank: it would be lost"},
	{"failures DONE --kind bad", "--kind bad: must be internal, not_text, "},
	{"eval --gold OUT/gold --system DONE", "OUT/gold: no such file or directory\n"},
	{"reparse IN", "there is no command \"reparse\" any more ... parse --state"},
	{"parse IN -output OUT", "-output: long flags begin with two dashes: --output"},
	{"-input=IN --output OUT", "two dashes: --input=IN"},
	{"--limit -3 IN", "--limit -3: must be 1 or more"},
	{"--state OUT IN --limit 3", "--limit 3 cannot be used with --state"},
	{"cluster IN", "there is no command \"cluster\" any more ... lab"},
	{"parse IN --revise-unknown", "--revise-unknown has left the program ... lab/"},
	{"parse IN --revise_unknown", "--revise-unknown has left the program ... lab/"},
	{"parse IN -o OUT --limit 3", "parses all of its input"},
	{"parse IN -zq", "unknown option -z in -zq; put"},
	{"parse IN -qz", "unknown option -z; put"},
	{"parse IN -z", "unknown option -z; put file names"},
	{"report DONE -q", "report has no --quiet, which parse has; treebeam report --help"},
	{"report DONE --max_failures 3", "report has no --max-failures"},
	{"report DONE -ü", "unknown option"},
	{"parse IN -qn", "--limit needs a value"},
	{"parse IN -o OUT --text Body --text body", `--text "body": --text "Body" contradicts it ... --rule`},
	{"parse IN -o OUT --id a --id b", `--id "b": --id "a" contradicts it`},
	{"parse IN -o OUT --text a,,b", `--text "a,,b": a name is empty`},
	{"parse IN -o OUT --rules IN/none", "--rules IN/none: no such file"},
	{"find DONE _ -o OUT.json", "find does not write .json ... .tsv, .csv, .xlsx, .html"},
	{"find DONE _ --tsv id -o OUT.ODS", "find does not write .ods"},
	{"prase IN", `no command "prase" ... did you mean parse?`},
	{"parze IN", "did you mean parse?"},
	{"conv DONE", "did you mean convert?"},
	{"IN/a.txt", "treebeam parse IN/a.txt --to conllu"},
	{"DONE/../odd/b&c.txt", "treebeam parse 'DONE/../odd/b&c.txt' --to conllu"},
	{"find DONE DONE/../odd/b&c.txt", "the pattern comes last ... treebeam find 'DONE/../odd/b&c.txt' 'VERB >nsubj NOUN'"},
	{"help parse train", "name one command"},
	{"help prase", "treebeam help lists them"},
	{"serve IN", "serve takes no files ... treebeam parse"},
	{"serve --exceptions IN/a.txt", "--exceptions IN/a.txt: line 1 ... needs a form, its UPOS and its lemma"},
	{"serve --keep-together=", "--keep-together is empty"},
	{"serve --model x=", "--model x=: must be NAME=FILE or FILE"},
	{"serve --model english-fast=embedded", "two models have the name english-fast ... NAME=FILE"},
	{"serve --model OUT", "OUT"},
	{"serve --listen nowhere", "--listen nowhere: ... such as localhost:8080"},
	{"serve --parallel 0", "must be above 0"},
	{"serve --max-time fast", "--max-time"},
	{"model info ''", "an argument is empty ... unset variable"},
	{"convert ''", "an argument is empty"},
	{"find '' _", "an argument is empty"},
	{"find DONE ''", "the pattern is wrong: the pattern ends here"},
	{"parse IN -o OUT.conllu --verify", "--verify is for Parquet output"},
	{"parse IN --to jsonl -o OUT.jsonl --runner flink", "--runner is for Parquet output"},
	{"parse IN --runner-option a=b", "--runner-option is for Parquet output"},
	{"eval --gold IN/a.txt --system IN/a.txt --against IN/a.txt --json", "--against prints the comparison only"},
	{"eval --gold IN/a.txt --system IN/a.txt --row x --json", "--row prints one line"},
	{"eval --gold IN/a.txt --system IN/a.txt --seed 3 --certify 5", "--seed, --certify: only --model"},
	{"eval --gold MODEL-bank --model embedded --restarts -1", "--restarts -1: must not be negative"},
	{"eval --gold IN/a.txt --system IN/a.txt --samples 5", "--samples needs --against"},
	{"diff DONE DONE --max-drift 5%", `--max-drift "5%": must be a number`},
	{"calibrate --model embedded --dev IN/a.txt --output OUT/x/m.tbm", "x/m.tbm cannot be written"},
	{"parse IN --overwrite", "--overwrite is for Parquet output: name a folder with --output FOLDER"},
	{"parse IN --retry-failures", "name a folder with --output FOLDER"},
	{"parse IN --runner dataflow", "name a folder with --output FOLDER"},
	{"parse IN --to parquet", "--output FOLDER"},
	{"parse IN --output s3://b/x.jsonl", "only Parquet can be written to an object store"},
	{"parse IN --output S3://b/x", "S3:// is not supported; name gs://..., s3://... or a local path"},
	{"eval --gold s3://b/x.conllu --model embedded", "s3://b/x.conllu: only local files can be read here"},
	{"train --train s3://b/x.conllu --dev s3://b/y.conllu --model OUT", "s3://b/x.conllu: only local files can be read here"},
	{"calibrate --model embedded --dev IN/a.txt --output s3://b/x", "s3://b/x: only Parquet can be written to an object store"},
	{"parse --output OUT", "no input ... --input"},
	{"parse IN --ouput OUT", "unknown option --ouput; did you mean --output?"},
	{"parse IN --max_word 3 --output OUT", "did you mean --max-words?"},
	{"parse IN --out OUT", "did you mean --output?"},
	{"parse -xyzzy --output OUT", "unknown option -x in -xyzzy ... after -- ... treebeam parse --help"},
	{"parse IN --output", "--output needs a value"},
	{"parse IN --output OUT --max-words many", `--max-words "many": is not a number`},
	{"parse IN --output OUT --max-words 99999999999999999999", "--max-words"},
	{"parse IN --output OUT --max-words 0", "--max-words 0: must be from 1 to 65535"},
	{"parse IN --output OUT --max-words -5", "must be from 1"},
	{"parse IN --output OUT --restarts -1", "must not be negative"},
	{"parse IN --joint-tags", "--joint-tags has left the program ... lab/"},
	{"eval --gold IN/a.txt --model embedded --enhanced", "--enhanced has left the program ... lab/"},
	{"eval --gold IN/a.txt --model embedded --joint-tags", "--joint-tags has left the program ... lab/"},
	{"parse IN --output OUT --decoder greedy", "--decoder has left the program ... lab/"},
	{"parse IN --output OUT --samples 2", "--samples has left the program ... lab/"},
	{"parse IN --output OUT --range-bytes -1", "must not be negative"},
	{"parse IN --output OUT --seed -1", "--seed"},
	{"parse IN --output OUT --quiet=perhaps", "must be true or false"},
	{"parse IN --output OUT --max-failures 101%", "percentage such as 1%"},
	{"parse IN --output OUT --max-failures -3", "--max-failures -3"},
	{"parse IN --output OUT --max-failures 1.5", "--max-failures 1.5"},
	{"parse IN --output OUT --from docx", "--from ... conllu"},
	{"parse IN --output OUT --lines odd", "--lines ... wrapped"},
	{"parse IN --output OUT --encoding klingon", "klingon"},
	{"parse IN --to conlu", "--to conlu ... conllu"},
	{"parse IN --to conllu --output IN", "is a folder; name a file"},
	{"parse IN --output OUT --end-marks", "--end-marks is for streams ... --to jsonl"},
	{"parse IN --to jsonl --end-marks -o OUT.jsonl", "--end-marks is for a program that reads standard output ... leave out --output"},
	{"parse IN --to text --end-marks", "--end-marks: text has no place ... --to jsonl or conllu"},
	{"parse IN --to tsv --ranges", "--ranges: tsv has no place ... --to conllu or jsonl"},
	{"parse IN --to conllu --output OUT/a/b.conllu", "--output OUT/a/b.conllu cannot be written ... name another file, in a folder that is there and can be written"},
	{"parse IN/none.txt --output OUT", "none.txt: does not exist; check the spelling"},
	{"parse IN/*.pdf --output OUT", "matches no file"},
	{"parse DONE --output OUT", "is an output of treebeam's; treebeam show"},
	{"parse DONE/trees/x.parquet --output OUT", "is a part of an output; treebeam convert"},
	{"parse IN --output IN", "is the output folder too; name another --output"},
	{"parse IN --output IN/a.txt", "is one of the inputs: it would be lost; name another file"},
	{"parse IN --output /proc/none", "name another folder"},
	{"parse IN --output DONE", "holds the output of another run ... --overwrite"},
	{"parse IN --output OUT --model MODEL-none", "MODEL-none ... check the name of the model"},
	{"parse IN --output OUT --model IN", "this is a folder"},
	{"parse IN --output OUT --model MODEL-text", "not a treebeam model: make one with treebeam train"},
	{"parse IN --output OUT --model MODEL-bank", "looks like CoNLL-U ... treebeam train"},
	{"parse IN --output OUT --model MODEL-empty", "is empty"},
	{"parse IN --output OUT --model MODEL-cut", "is truncated ... copy it again"},
	{"parse IN --output OUT --model MODEL-head", "is truncated"},
	{"parse IN --output OUT --model MODEL-flip", "is damaged ... copy it again"},
	{"parse IN --output OUT --model MODEL-new", "newer than this program ... update treebeam"},
	{"parse IN --output OUT --model MODEL-gz", "decompress it first"},
	{"parse IN --output OUT --effort 0.5", "has no encoder; leave it out ... the accurate English model"},
	{"parse IN --state OUT --effort 0.5", "has no encoder"},
	{"parse IN --to conllu --effort 1", "has no encoder"},
	{"parse IN --output OUT --effort much", "--effort much: must be a number from 0"},
	{"parse IN --output OUT --effort 1.01", "--effort 1.01: must be a number from 0"},
	{"parse IN --output OUT --accurate --model MODEL-none", "--accurate and --model both name a model"},
	{"parse IN --output OUT --fast --model MODEL-none", "--fast and --model both name a model"},
	{"parse IN --output OUT --fast --accurate --model MODEL-none", "--fast and --accurate exclude each other ... leave out one"},
	{"parse IN --output OUT --fast --effort 0.5", "--fast and --effort 0.5 exclude each other ... leave out --fast"},
	{"parse IN --output OUT --fast --language de,fr", "--fast is for English ... leave out --fast, or --language de,fr"},
	{"calibrate --model embedded-accurate --dev OUT", "cannot be replaced"},
	{"parse IN --output OUT --runner=flink --environment_type=DOCKER", "--shared-filesystem"},
	{"parse IN --output OUT --runner=flonk", "--runner flonk: there is no such runner ... flink, spark, dataflow"},
	{"parse IN --state OUT --runner=flonk", "--runner flonk: there is no such runner"},
	{"parse IN --output OUT --parallelism 2", "--parallelism: for an engine, and the run is on this machine; name the engine with --runner"},
	{"parse IN --output OUT --project p --region r", "--project, --region: for an engine"},
	{"parse IN --state OUT --dry-run", "--dry_run needs --runner dataflow; with --state, --plan-only prints what would be done"},
	{"parse IN --output OUT --template_location=x", "--template_location needs --runner dataflow"},
	{"parse IN --output OUT --async", "--async: the work is done in this process"},
	{"parse IN --text=", "text ... it is empty; leave the flag out for text"},
	{"parse IN --id=", "id ... it is empty; leave the flag out for id"},
	{"parse IN --keep=", "keep ... it is empty"},
	{"parse IN --output OUT --exceptions=", "--exceptions is empty"},
	{"parse IN --to conllu --abbreviations OUT/none", "--abbreviations OUT/none: no such file"},
	{"parse IN --state OUT --keep-together IN", "--keep-together IN: this is a folder"},
	{"parse IN --output OUT --exceptions IN/a.txt", "--exceptions IN/a.txt: line 1, ... it needs a form, its UPOS and its lemma"},
	{"eval --gold IN/a.txt --system IN/a.txt --unconstrained", "--exceptions and --unconstrained need --model"},
	{"eval --gold DONE/../in/a.txt --model embedded --abbreviations=", "--abbreviations is empty"},
	{"eval --gold OUT --model embedded --write IN/a.txt --keep-together IN/a.txt", "is the file of --keep-together: it would be lost"},
	{"convert", "name one output folder"},
	{"convert DONE DONE", "name one output folder"},
	{"convert IN", "manifest.json ... not an output of treebeam"},
	{"convert IN/none", "IN/none does not exist; check the spelling"},
	{"convert IN/a.txt", "is a file, not an output folder ... show, find"},
	{"convert DONE --output OUT.xlsx", "OUT.xlsx: .xlsx is not a format that treebeam writes; ... .conllu"},
	{"convert DONE --to conllu --output OUT.conllu.bz2", "OUT.conllu.bz2: .bz2 ... .gz"},
	{"convert DONE --output OUT.parquet", "OUT.parquet: Parquet is written by treebeam parse ... .tsv"},
	{"parse IN --output OUT.parquet", "OUT.parquet: Parquet is written ... name a folder"},
	{"parse IN --output OUT.json", "OUT.json: .json is not a format that treebeam writes ... .jsonl ... OUT.json/"},
	{"convert DONE --to xml", "--to xml: must be conllu"},
	{"convert DONE --output OUT/a/b", "cannot be written"},
	{"convert DONE --to text --conf", "text has no place for it"},
	{"convert DONE --to jsonl --conf", "--conf is for --to conllu; jsonl has all columns"},
	{"parse IN --output OUT --conf", "--conf is for --to conllu; parquet has all columns"},
	{"parse IN --conf --output OUT", "--conf is for --to conllu"},
	{"parse IN --to conllu --conf --stop-after tag", "only parsed sentences have probabilities"},
	{"show DONE --id none", `has the id "none" ... convert`},
	{"show DONE --count -1", "--count -1: must be 1 or more"},
	{"find DONE _ --random 0", "--random 0: must be from 1 to 10000"},
	{"sample DONE", "give --uncertain N or --random N"},
	{"sample DONE --uncertain 5 --random 5", "two samples, for two purposes"},
	{"sample DONE --uncertain 0", "must be from 1 to 10000"},
	{"sample DONE --random 10001", "must be from 1 to 10000"},
	{"sample DONE --uncertain 5 --seed 2", "--seed needs --random"},
	{"sample DONE --random 5 --min-words 9 --max-words 8", "--min-words 9 is more than --max-words 8"},
	{"sample DONE --uncertain 5 --paragraphs", "--paragraphs belongs to --random"},
	{"sample DONE --random 5 --paragraphs --min-words 3", "takes sentences of all lengths"},
	{"sample DONE --random 5 --min-words -1", "must not be negative"},
	{"sample DONE --random 5 --without OUT/none", "OUT/none: no such file"},
	{"sample DONE --random 5 --without IN/a.txt", "--without: IN/a.txt:1: 1 columns"},
	{"sample DONE --random 5 --min-words 60000", "has no sentence to choose ... --min-words"},
	{"sample DONE --random 5 --output DONE/../other/b.txt", "is a file that was parsed: it would be lost"},
	{"sample DONE --random 5 --output s3://bucket/x", "name a local file"},
	{"sample DONE --random 5 --output DONE/trees/y", "is among the data"},
	{"sample DONE --uncertian 5", "did you mean --uncertain?"},
	{"smaple DONE", "did you mean sample?"},
	{"sample --random 5", "name one output folder"},
	{"parse IN --output IN/a.txt/out", "is a file ... name another"},
	{"parse IN --output gs://b/x.conllu", "local file"},
	{"parse IN --state OUT --output OUT", "exclude each other"},
	{"parse IN --output OUT --plan-only", "need --state"},
	{"parse IN --state OUT --to conllu", "convert FOLDER"},
	{"parse IN --to conllu --limit 0", "--limit 0: must be 1 or more"},
	{"find DONE _ --limit 0", "--limit 0: must be 1 or more"},
	{"show DONE -n 0", "--count 0: must be 1 or more"},
	{"show DONE --lowest 0", "--lowest 0: must be 1 or more"},
	{"show DONE --lowest 3 -n 2", "--count is for the first sentences: leave it out with --lowest"},
	{"parse IN --to conllu --lemmas", "--lemmas is for drawings: conllu has none ... --to tree, svg or html"},
	{"parse IN --output OUT --lemmas", "--lemmas is for drawings: parquet has none"},
	{"convert DONE --to html --color always", "--color always is for --to tree"},
	{"show DONE --to svg --color always", "--color always is for --to tree"},
	{"find DONE _ --count --color always", "--color always is for --to text and tree"},
	{"show DONE --to tikz --conf", "--conf: tikz has no place for it"},
	{"parse IN --to tree --conf --stop-after tag", "only parsed sentences have probabilities"},
	{"parse IN --to conllu --stop-after tag --exact 5 --seed 7", "--stop-after tag leaves nothing to do for --exact, --seed"},
	{"parse IN --from text --to conllu --retag", "--retag is for --from conllu or conllx, not text"},
	{"parse IN --from text -o OUT --text body", "--text is for --from jsonl, csv, tsv or parquet, not text"},
	{"parse IN --from csv --to conllu --document line", "--document is for --from text, not csv"},
	{"parse IN --stop-after segment --retag", "--stop-after segment leaves nothing to do for --retag"},
	{"parse IN --from jsonl --encoding latin1", "--encoding is for --from text, csv, tsv, tokens or vertical, not jsonl"},
	{"parse IN --from conllu --ranges", "--ranges is for --from text, jsonl, csv, tsv or parquet, not conllu"},
	{"parse IN --from tokens --max-words 9", "--max-words is for --from text"},
	{"parse IN --from vertical --abbreviations IN/a.txt", "--abbreviations is for --from text"},
	{"parse IN --from conllx --keep-together IN/a.txt", "--keep-together is for --from text"},
	{"parse IN --from conllu --to conllu --lines sentence", "--lines is for --from text, jsonl, csv, tsv or parquet, not conllu"},
	{"parse IN --to conllu --range-bytes 9", "--range-bytes is for Parquet output"},
	{"compact --state OUT --keep 3", "--keep needs --prune"},
	{"convert DONE --overwrite", "--overwrite needs --per-file"},
	{"convert DONE --per-file s3://bucket/mirror", "name a local folder"},
	{"languages --text body", "--text: name the files whose languages are to be found"},
	{"languages IN --keep stars", "--keep"},
	{"eval --gold IN/a.txt --system IN/a.txt --json --plain", "--json prints everything: leave out --plain and --counts"},
	{"eval --gold IN/a.txt --model embedded --gold-tags --abbreviations IN/a.txt", "the gold words are not cut again ... --abbreviations"},
	{"train --train testdata/xx_toy-ud-train.conllu --dev testdata/xx_toy-ud-dev.conllu --check --lexicon OUT/none", "--lexicon: ... none"},
	{"train --train testdata/xx_toy-ud-train.conllu --dev testdata/xx_toy-ud-dev.conllu --check --silver OUT/none", "--silver: ... none"},
	{"train --train testdata/xx_toy-ud-train.conllu --dev testdata/xx_toy-ud-dev.conllu --check --encoder OUT/none", "none"},
	{"train --train MODEL-bank --dev MODEL-bank --model OUT/m.tbm --language German", "--language German: write the code of a language, such as de"},
	{"train --train MODEL-bank --dev MODEL-bank --model OUT/m.tbm --language deu", "--language deu: write it as de"},
	{"parse IN --state OUT --overwrite", "--all parses"},
	{"parse IN --state OUT --plan-only=xml", "text or json"},
	{"parse --sate OUT", "parse --help"},
	{"parse --state OUT", "no input"},
	{"parse IN --state IN/a.txt", "not a folder"},
	{"diff --state IN", "does not hold a state"},
	{"compact", "nothing else"},
	{"compact --state OUT --keep 0", "--keep 0"},
	{"parse --watch IN --state OUT", "in the place of --state"},
	{"parse --watch IN", "needs --output FOLDER"},
	{"parse --watch IN --output x.conllu", "writes Parquet"},
	{"parse --watch IN --output OUT --to jsonl", "other formats"},
	{"parse --watch IN --output OUT --all", "another --output"},
	{"parse --watch IN --output OUT -", "standard input"},
	{"parse --watch IN --output OUT --files-from IN/a.txt", "a list is read once"},
	{"parse --watch IN --output OUT --overwrite", "has no end"},
	{"parse --watch IN --output OUT --every 0s", "--every 0s"},
	{"parse --watch IN --output OUT --window 1s", "must not be shorter"},
	{"parse --watch IN --output OUT --every 10", "must be a duration"},
	{"parse --watch IN/a.txt --output IN", "a.txt is in the folder of --output"},
	{"parse --watch IN --output DONE", "output of a parse without"},
	{"parse IN --state DONE", "output of a parse without --state"},
	{"parse IN --state=", "--state is empty: check for an unset variable"},
	{"parse IN --output=", "--output is empty"},
	{"find DONE _ --tsv=", "--tsv is empty"},
	{"show DONE -n 1 -o OUT.png", "OUT.png: must be tree, svg, html"},
	{"report DONE -o OUT.csv.gz", "OUT.csv.gz: .csv is not what it would hold; end the name in .html"},
	{"sample DONE --random 1 -o OUT.tsv", "end the name in .conllu"},
	{"eval --gold IN/a.txt --model embedded --write OUT.json", "end the name in .conllu"},
	{"eval --gold MODEL-gz --system DONE", "MODEL-gz: not text: gzip data ... let the name end in .gz"},
	{"calibrate --model MODEL-text --dev MODEL-bank --output IN", "IN is a folder; name a file in it"},
	{"train --train MODEL-bank --dev MODEL-bank --model IN", "IN is a folder; name a file in it"},
	{"train --train MODEL-bank --dev MODEL-bank --model OUT/m.tbm --folds 1", "--folds 1: must be 2 or more"},
	{"parse --watch IN/nowhere --output OUT", "does not exist"},
	{"parse IN --output OUT --every 1s", "need --watch"},
	{"parse --watch IN --output OUT --async", "waits for its jobs"},
	{"sample IN --random 5", "manifest.json"},
	{"failures IN", "manifest.json"},
	{"model", "treebeam model info"},
	{"model info MODEL-text", "treebeam train"},
	{"encoder import IN/a.txt", "any more: treebeam train --encoder reads"},
	{"eval --gold IN/a.txt", "--system FILE"},
	{"eval --gold IN/a.txt --model embedded --head-samples 3", "--head-samples has left the program ... lab/"},
	{"train --model OUT", "--train"},
	{"train --gamma 1", "--gamma has left the program: it is 0.7"},
	{"parse --encoder IN", "unknown option --encoder"},
	{"train --train MODEL-bank --dev MODEL-bank --model OUT/m.tbm --repeat 101", "--repeat 101: must be from 1 to 100"},
	{"train --train MODEL-bank --dev MODEL-bank --model OUT/m.tbm --cased 51", "--cased 51: must be from 0 to 50"},
}

func TestWrongCommands(t *testing.T) {
	dir := memoryFolder(t)
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	}
	write("in/a.txt", fine)
	write("other/b.txt", fine)
	write("odd/b&c.txt", fine)
	ends(t, exitOK, "", toyCommand(filepath.Join(dir, "other"), "--output", filepath.Join(dir, "done"))...)
	parts, err := filepath.Glob(filepath.Join(dir, "done/trees/*.parquet"))
	if err != nil || len(parts) == 0 {
		t.Fatal(err, "no parts")
	}
	badModels(t, write)
	before := snapshot(t, dir, "")
	for _, c := range wrongCommands {
		t.Run(c.args, func(t *testing.T) {
			for _, name := range []string{"runner", "environment_type", "async", "dry_run", "template_location", "parallelism", "project", "region"} { // the flags are the process's
				defer flag.Set(name, flag.Lookup(name).Value.String())
			}
			paths := strings.NewReplacer("IN", filepath.Join(dir, "in"), "DONE/trees/x.parquet", parts[0], "DONE", filepath.Join(dir, "done"),
				"OUT", filepath.Join(dir, "out"), "MODEL", filepath.Join(dir, "model"), "''", "")
			args := strings.Fields(c.args)
			for i := range args {
				args[i] = paths.Replace(args[i])
			}
			transformstest.Register()
			if len(args) > 0 && args[0] == "parse" && !strings.Contains(c.args, "MODEL") && !strings.Contains(c.args, "--model") {
				args = append(args[:1:1], append([]string{"--model", transformstest.ModelURI}, args[1:]...)...)
			}
			status, stdout, stderr := treebeam(t, "", args...)
			if status != exitRefused || stdout != "" {
				t.Errorf("status %d, output %q, %s", status, stdout, stderr)
			}
			for _, want := range strings.Split(paths.Replace(c.want), " ... ") {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in %q", want, stderr)
				}
			}
			checkSpoken(t, stderr)
			same(t, "a refused command", before, snapshot(t, dir, ""))
		})
	}
}

// badModels writes models that are none.
func badModels(t *testing.T, write func(name, content string)) {
	data, err := os.ReadFile(trainedToy(t))
	must(t, err)
	good := string(data)
	changed := func(at int) string {
		b := []byte(good)
		b[at] ^= 0x08
		return string(b)
	}
	write("model-text", "It is a text .\n")
	write("model-bank", "# sent_id = 1\n"+words(2))
	write("model-empty", "")
	write("model-cut", good[:len(good)/2])
	write("model-head", good[:20])
	write("model-flip", changed(len(good)-1000))
	write("model-new", changed(8))
	write("model-gz", zipped(good[:1000]))
}

// --overwrite removes what a run has written, not what its record, which
// anyone may have changed, names elsewhere; nor what is not treebeam's.
func TestOverwriteStaysInItsFolder(t *testing.T) {
	dir := memoryFolder(t)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	must(t, os.Mkdir(in, 0o755), os.WriteFile(filepath.Join(in, "a.txt"), []byte(fine), 0o644))
	parse := func(args ...string) (int, string) {
		status, _, stderr := treebeam(t, "", toyCommand(append([]string{in, "--output", out}, args...)...)...)
		return status, stderr
	}
	if status, stderr := parse(); status != exitOK {
		t.Fatal(stderr)
	}
	for _, name := range []string{"mine.txt", "trees.txt", "_treebeam/mine"} {
		must(t, os.WriteFile(filepath.Join(out, name), []byte("mine"), 0o644))
	}
	if status, stderr := parse("--seed", "2", "--overwrite"); status != exitOK {
		t.Fatal(stderr)
	}
	for _, name := range []string{"mine.txt", "trees.txt", "_treebeam/mine"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	must(t, os.WriteFile(filepath.Join(out, "trees", "mine.parquet"), []byte("mine"), 0o644))
	if status, stderr := parse("--seed", "3", "--overwrite"); status != exitRefused || !strings.Contains(stderr, "mine.parquet") {
		t.Errorf("status %d, %s", status, stderr)
	}
	must(t, os.Remove(filepath.Join(out, "trees", "mine.parquet")))

	victim := filepath.Join(dir, "victim.jsonl.zst")
	must(t, os.WriteFile(victim, []byte("mine"), 0o644), os.Mkdir(filepath.Join(out, "_treebeam", "plan-"), 0o755))
	record := fmt.Sprintf(`{"fp": %q}`, "/../../../victim")
	must(t, os.WriteFile(filepath.Join(out, "_treebeam", "run-0123456789abcdef.json"), []byte(record), 0o644))
	if status, stderr := parse("--seed", "4", "--overwrite"); status != exitRefused || !strings.Contains(stderr, "is damaged") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error(err)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"output", "overwrite", "input", "to", "from", "model"}
	for typed, want := range map[string]string{
		"ouput": "output", "outptu": "output", "outputs": "output", "out": "output", "overwrit": "overwrite",
		"modle": "model", "form": "from", "xyzzy": "", "o": "", "": "",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
