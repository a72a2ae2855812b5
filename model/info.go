package model

// Info is the provenance of a model, which `treebeam model info` prints. Two trainings
// with the same data, options and code have the same Info: it holds no time, host, path
// or number of workers.
type Info struct {
	Language string `json:"language"` // code of the treebank's name, e.g. "en"
	Treebank string `json:"treebank"` // e.g. "en_ewt"
	Release  string `json:"release"`  // of the treebank, e.g. "2.15"; "" unknown
	Licence  string `json:"licence"`  // of the treebank, and so of the model

	Templates int `json:"templates"` // version of its arrays, pack.Templates; set by Encode

	Command string            `json:"command"` // trains the model again; files by base name
	Options map[string]string `json:"options"` // every option that changes the model
	Seed    uint64            `json:"seed"`
	Code    string            `json:"code"`    // version of the program that trained it
	Created string            `json:"created"` // who made it and when, as given with --created-by; "" otherwise

	Train Data   `json:"train"`
	More  []Data `json:"more,omitempty"` // further files of train
	Dev   Data   `json:"dev"`

	Silver []Data `json:"silver,omitempty"` // text that a parser has parsed and this one has learned from: what was used of each file

	Scores []Score `json:"scores"` // on dev

	Calibration *Calibration `json:"calibration,omitempty"` // nil without a calibrator

	Parts []Part `json:"parts,omitempty"` // trained again after the rest, each alone

	Adapted []Adaptation `json:"adapted,omitempty"` // one after the other; Scores is then empty

	Encoder *Encoded `json:"encoder,omitempty"` // nil without one
	Network *Encoded `json:"network,omitempty"` // of a small network: whose pieces it has; nil without one

	Languages []Language `json:"languages,omitempty"` // of a world, sorted by code
}

// Encoded says which pretrained encoder a model has, and how good the model is without
// it.
type Encoded struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Licence string `json:"licence"`
	Notice  string `json:"notice"`
	File    string `json:"file"` // base name
	SHA256  string `json:"sha256"`
	Layers  int    `json:"layers"`
	Epochs  int    `json:"epochs"`            // as asked for; 0: chosen by the size of the treebank
	Average int    `json:"average,omitempty"` // how many trainings it is the average of; 0: one
	Seed    uint64 `json:"seed"`
	Pieces  int    `json:"pieces"`          // of the vocabulary that is left
	Texts   []Data `json:"texts,omitempty"` // whose pieces it keeps in addition to the pieces of train

	Sparse string `json:"sparse,omitempty"` // digest of the sparse model's file, if the encoder has a file of its own

	Fast            []Score      `json:"fast,omitempty"` // on dev, without the encoder
	FastCalibration *Calibration `json:"fast_calibration,omitempty"`
}

// A Part says how a part of a model was trained again.
type Part struct {
	Name    string `json:"name"`    // "lemmas", "segmenter", "encoder", "mix", "network" or "network-mix"
	From    string `json:"from"`    // digest of the model that the rest was taken from
	Command string `json:"command"` // as Info.Command
	Seed    uint64 `json:"seed"`
	Code    string `json:"code"`
	Created string `json:"created"`
	Train   Data   `json:"train"`
	More    []Data `json:"more,omitempty"`
	Silver  []Data `json:"silver,omitempty"` // as in Info
	Dev     Data   `json:"dev"`
}

// An Adaptation says how a finished model has learned from further trees, and how its
// scores have changed. Scores are on gold words.
type Adaptation struct {
	From    string  `json:"from"` // digest of the model
	Trees   []Data  `json:"trees"`
	Share   float64 `json:"share"` // of what was learned that was added to the model's weights
	Seed    uint64  `json:"seed"`
	Code    string  `json:"code"`
	Created string  `json:"created"`

	// Scores on the trees. Each tree was parsed by a model that has not learned from
	// it.
	Before Score `json:"before"`
	After  Score `json:"after"`
	// Scores on trees of the kind that the model was made for; nil if there were none.
	HomeBefore *Score `json:"home_before,omitempty"`
	HomeAfter  *Score `json:"home_after,omitempty"`
	// How the calibrator was adapted; nil if it was not.
	Calibrated *Recalibrated `json:"calibrated,omitempty"`
}

// Recalibrated are the expected calibration errors of deprel_conf, in percent, before and
// after a calibrator was adapted: on the trees, each with a fit to others, and on those of
// Home, 0 if there are none.
type Recalibrated struct {
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	HomeBefore float64 `json:"home_before"`
	HomeAfter  float64 `json:"home_after"`
}

// A Calibration says where a calibrator comes from and how good it is. The figures are
// by cross-fitting: each half of the sentences is calibrated by a fit to the other
// half.
type Calibration struct {
	Model    string        `json:"model,omitempty"`   // digest of its model, if it has a file of its own
	Gold     Data          `json:"gold"`              // what it was fitted to
	Adapted  *Data         `json:"adapted,omitempty"` // what that fit was then adapted to; then the figures are of this
	Measured []Reliability `json:"measured"`
	Expected []Expectation `json:"expected,omitempty"`
}

// A Reliability says how well a confidence column tells right from wrong, as
// eval.Reliability does. Figures are rounded to 0.01.
type Reliability struct {
	Setting string  `json:"setting,omitempty"` // how the sentences were parsed: as in Score, or "lower-case", "upper-case" (raw text so changed)
	Column  string  `json:"column"`
	Of      string  `json:"of"`
	Cases   int     `json:"cases"`
	Right   float64 `json:"right"` // percent
	Mean    float64 `json:"mean"`  // percent
	ECE     float64 `json:"ece"`   // percent
	AURC    float64 `json:"aurc"`  // percent
}

// An Expectation compares the expected score of calibrated words with their true score.
// Figures are percentages of the words, rounded to 0.01.
type Expectation struct {
	Setting   string  `json:"setting"`
	Of        string  `json:"of"` // "UPOS", "UAS" or "LAS"
	Right     float64 `json:"right"`
	Expected  float64 `json:"expected"`
	Deviation float64 `json:"deviation"` // expected standard deviation of Right
}

// Data identifies a treebank file and gives its size.
type Data struct {
	File      string `json:"file"` // base name
	SHA256    string `json:"sha256"`
	Sentences int    `json:"sentences"`
	Words     int    `json:"words"`
}

// A Score holds the CoNLL 2018 F1 scores for a setting, "raw", "gold-tokens" or
// "gold-tags", in percent, rounded to 0.01.
type Score struct {
	Setting   string  `json:"setting"`
	Tokens    float64 `json:"tokens"`
	Sentences float64 `json:"sentences"`
	Words     float64 `json:"words"`
	UPOS      float64 `json:"upos"`
	XPOS      float64 `json:"xpos"`
	Feats     float64 `json:"feats"`
	Lemmas    float64 `json:"lemmas"`
	UAS       float64 `json:"uas"`
	LAS       float64 `json:"las"`
	CLAS      float64 `json:"clas"`
}
