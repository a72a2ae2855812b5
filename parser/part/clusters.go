package part

import "github.com/treebeam/treebeam/parser/hash"

// Templates of models with clusters of words (word.Clusters), after Koo, Carreras
// and Collins (2008): prefixes of four and six bits in place of tags, whole
// classes in place of words, and either of these together with a tag or a word,
// which helped them most. Models without clusters have none of these keys.

// clusterTemplates is the number of the first cluster template among a family's
// 64.
const clusterTemplates = 32

// clusterArc appends the templates of an arc.
func (x *Scores) clusterArc(h, m int, far uint64, keys []hash.Key) []hash.Key {
	hd, md, hc, mc := x.words.At(h), x.words.At(m), x.words.Cluster(h), x.words.Cluster(m)
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	h4, h6, hf := uint64(hc.Four), uint64(hc.Six), uint64(hc.Full)
	m4, m6, mf := uint64(mc.Four), uint64(mc.Six), uint64(mc.Full)
	keys = withSide(h, m, far, keys, hash.Sum2(60, h4, m4), hash.Sum2(61, h6, m6), hash.Sum2(62, hf, mf))
	keys = hash.Append(keys, far,
		hash.Sum2(63, h4, pm), hash.Sum2(64, ph, m4), hash.Sum2(65, h6, pm),
		hash.Sum2(66, ph, m6), hash.Sum2(67, hf, pm), hash.Sum2(68, ph, mf))
	keys = withSide(h, m, far, keys,
		hash.Sum2(69, h6, md.Lemma), hash.Sum2(70, hd.Lemma, m6), hash.Sum2(71, hf, md.Lemma), hash.Sum2(72, hd.Lemma, mf))
	keys = hash.Append(keys, far,
		hash.Sum4(73, h4, ch, m4, cm), hash.Sum4(74, h6, ch, m6, cm), hash.Sum4(75, hf, ch, mf, cm),
		hash.Sum4(76, ch, m4, cm, uint64(x.words.Cluster(m+1).Four)),
		hash.Sum4(77, ch, m4, cm, uint64(x.words.Cluster(m-1).Four)))
	if md.Marker != 0 {
		keys = hash.Append(keys, far, hash.Sum3(78, hf, cm, md.Marker), hash.Sum3(79, mf, ch, md.Marker))
	}
	return keys
}

// clusterTriple appends the templates of three positions that are one part: a
// grandparent, a head and a modifier, or a head and two neighbours among its
// children.
func (x *Scores) clusterTriple(t, flag uint64, a, b, c int, keys []hash.Key) []hash.Key {
	ka, kb, kc := x.words.Cluster(a), x.words.Cluster(b), x.words.Cluster(c)
	ca, cb, cc := x.coarse(a), x.coarse(b), x.coarse(c)
	return hash.Append(keys, flag,
		hash.Sum3(t, uint64(ka.Four), uint64(kb.Four), uint64(kc.Four)),
		hash.Sum3(t+1, uint64(ka.Six), uint64(kb.Six), uint64(kc.Six)),
		hash.Sum3(t+2, uint64(ka.Six), cb, cc),
		hash.Sum3(t+3, ca, uint64(kb.Six), cc),
		hash.Sum3(t+4, ca, cb, uint64(kc.Six)),
		hash.Sum3(t+5, uint64(ka.Full), cb, uint64(kc.Full)))
}
