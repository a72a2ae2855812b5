package main

import (
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// readClusters reads the file of --clusters into the options, and says how many
// words of the treebanks have a class.
func (f *trainFlags) readClusters(trainBank, devBank train.Treebank) error {
	if f.clusters == "" {
		return nil
	}
	classes, err := treebank.ReadClusters(f.clusters, trainBank)
	if err != nil {
		return refuse("--clusters: %w", err)
	}
	f.o.Clusters, f.o.ClustersSHA256, f.o.ClustersFile = classes.Clusters, classes.SHA256, filepath.Base(f.clusters)
	casing := word.LearnCasing(trainBank.All())
	share := func(bank train.Treebank) float64 { return 100 * classes.Share(bank.All(), casing) }
	say(os.Stderr, "%s: %s in %s; %.1f %% of the words of train and %.1f %% of dev have one\n", f.clusters,
		plural(int64(classes.Words), "word"), plural(int64(classes.Classes()), "class"), share(trainBank), share(devBank))
	return nil
}
