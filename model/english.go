package model

import "embed"

// English has English sentences with trees, in CoNLL-U, for the adaptation of an
// English model. The built-in model has learned from training/english. It has not
// learned from testdata/families, which measure it.
//
//go:embed training/english/*.conllu testdata/families/*.conllu
var English embed.FS
