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
	clusters, digest, err := treebank.ReadClusters(f.clusters, trainBank)
	if err != nil {
		return refuse("--clusters: %w", err)
	}
	f.o.Clusters, f.o.ClustersSHA256, f.o.ClustersFile = clusters, digest, filepath.Base(f.clusters)
	casing := word.LearnCasing(trainBank.All())
	share := func(bank train.Treebank) float64 { return 100 * clusters.Share(bank.All(), casing) }
	say(os.Stderr, "%s: %d classes; %.1f %% of the words of train and %.1f %% of dev have one\n",
		f.clusters, clusters.Classes(), share(trainBank), share(devBank))
	return nil
}
