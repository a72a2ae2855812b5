package tag

import "github.com/treebeam/treebeam/parser/hash"

// Templates of models with clusters of words (word.Clusters; Koo, Carreras and
// Collins 2008, for trees; Miller, Guinness and Zamanian 2004, for tags). Models
// without clusters have none of these keys.

// ownClusterKeys appends the features of a form that has a class for its UPOS and
// XPOS.
func ownClusterKeys(dst []hash.Key, w *form) []hash.Key {
	full, six, four := uint64(w.Cluster.Full), uint64(w.Cluster.Six), uint64(w.Cluster.Four)
	return append(dst,
		hash.Key1(400, full),
		hash.Key1(401, six),
		hash.Key1(402, four),
		hash.Key2(403, full, w.Suffix[1]),
		hash.Key2(404, six, w.Suffix[2]),
		hash.Key2(405, full, w.Shape),
		hash.Key2(406, full, w.class),
	)
}

// clusterTagKeys appends the features of word i for its UPOS and XPOS by the
// classes of the words around it.
func clusterTagKeys(dst []hash.Key, t *text, i int) []hash.Key {
	w, p1, n1 := t.at(i), t.at(i-1), t.at(i+1)
	full, before, after := uint64(w.Cluster.Full), uint64(p1.Cluster.Full), uint64(n1.Cluster.Full)
	dst = keysOf(dst, 410, []uint64{before, after, uint64(p1.Cluster.Six), uint64(n1.Cluster.Six),
		uint64(t.at(i - 2).Cluster.Full), uint64(t.at(i + 2).Cluster.Full)})
	return append(dst,
		hash.Key2(420, before, full),
		hash.Key2(421, full, after),
		hash.Key2(422, before, after),
		hash.Key3(423, uint64(p1.Cluster.Six), uint64(w.Cluster.Six), uint64(n1.Cluster.Six)),
		hash.Key2(424, before, w.class),
		hash.Key2(425, after, w.class),
		hash.Key2(426, full, p1.class),
		hash.Key2(427, full, n1.class),
		hash.Key2(428, before, w.Suffix[1]),
		hash.Key2(429, after, w.Suffix[1]),
	)
}

// clusterMorphKeys appends the features of word i for its FEATS by classes. own is
// its label of the first layer, plus 1.
func clusterMorphKeys(dst []hash.Key, t *text, i int, own uint64) []hash.Key {
	w, p1, n1 := t.at(i), t.at(i-1), t.at(i+1)
	full, before, after := uint64(w.Cluster.Full), uint64(p1.Cluster.Full), uint64(n1.Cluster.Full)
	return append(dst,
		hash.Key2(450, full, own),
		hash.Key2(451, uint64(w.Cluster.Six), own),
		hash.Key2(452, full, w.Suffix[1]),
		hash.Key2(453, full, w.rest),
		hash.Key2(454, before, own),
		hash.Key2(455, after, own),
		hash.Key2(456, before, w.morph),
		hash.Key2(457, after, w.morph),
	)
}
