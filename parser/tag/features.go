package tag

import "github.com/treebeam/treebeam/parser/hash"

// Templates are numbered in this order. A new template is a line with a number
// of its own.

// ownTagKeys appends the features of a form for its UPOS and XPOS.
func ownTagKeys(dst []hash.Key, w *form) []hash.Key {
	dst = keysOf(dst, 2, []uint64{w.Hash, w.Lower, w.Shape, w.Long})
	dst = append(dst,
		hash.Key1(18, w.class),
		hash.Key2(41, w.Shape, w.class),
		hash.Key1(42, w.stemClass),
		hash.Key2(43, w.stemClass, w.rest),
		hash.Key2(44, w.stemClass, w.Suffix[1]),
		hash.Key1(45, w.stem),
		hash.Key2(46, w.stem, w.rest),
		hash.Key1(250, w.broadRest),
		hash.Key2(251, w.stemClass, w.broadRest),
	)
	if w.Suffix[1] != 0 {
		dst = append(dst, hash.Key2(58, w.Suffix[1], w.Shape))
	}
	if w.Suffix[2] != 0 {
		dst = append(dst, hash.Key2(59, w.Suffix[2], w.Shape))
	}
	dst = keysOf(dst, 50, w.Suffix[:7])
	dst = keysOf(dst, 240, w.Broad[1:])
	return keysOf(dst, 63, w.Prefix[:])
}

// keysOf appends a feature for each atom except 0, which stands for an affix
// longer than the form. The k-th atom has template first+k.
func keysOf(dst []hash.Key, first uint64, atoms []uint64) []hash.Key {
	for k, x := range atoms {
		if x != 0 {
			dst = append(dst, hash.Key1(first+uint64(k), x))
		}
	}
	return dst
}

// tagKeys appends the features of word i for its UPOS and XPOS that depend on
// more than its form.
func tagKeys(dst []hash.Key, t *text, i int) []hash.Key {
	w, p1, p2, n1, n2 := t.at(i), t.at(i-1), t.at(i-2), t.at(i+1), t.at(i+2)
	dst = append(dst, hash.Key2(6, w.Shape, t.caps))
	dst = keysOf(dst, 9, []uint64{p1.Lower, n1.Lower, p2.Lower, n2.Lower})
	dst = append(dst,
		hash.Key2(13, p1.Lower, w.Lower),
		hash.Key2(14, w.Lower, n1.Lower),
		hash.Key2(15, p1.Lower, n1.Lower),
	)
	dst = keysOf(dst, 19, []uint64{p1.class, n1.class, p2.class, n2.class})
	dst = append(dst,
		hash.Key2(23, p1.class, w.class),
		hash.Key2(24, w.class, n1.class),
		hash.Key2(25, p1.class, n1.class),
		hash.Key2(26, n1.class, n2.class),
		hash.Key2(27, p2.class, p1.class),
		hash.Key3(28, p1.class, w.class, n1.class),
		hash.Key3(29, w.class, n1.class, n2.class),
		hash.Key3(30, p2.class, p1.class, w.class),
		hash.Key1(31, p1.Suffix[2]),
		hash.Key1(32, n1.Suffix[2]),
		hash.Key2(35, w.Lower, n1.class),
		hash.Key2(36, w.Lower, p1.class),
		hash.Key2(37, w.class, p1.Lower),
		hash.Key2(38, w.class, n1.Lower),
		hash.Key2(39, w.Suffix[2], p1.class),
		hash.Key2(40, w.Suffix[2], n1.class),
		hash.Key1(260, w.part),
	)
	if t.small {
		dst = append(dst,
			hash.Key1(270, w.anyCase),
			hash.Key2(271, p1.anyCase, w.anyCase),
			hash.Key2(272, w.anyCase, n1.anyCase),
			hash.Key2(273, w.anyCase, w.Suffix[2]),
		)
	}
	if w.part != whole {
		dst = append(dst, hash.Key2(261, w.part, w.class), hash.Key2(262, w.part, w.Suffix[1]))
	}
	if w.part == firstPart || w.part == middlePart {
		dst = append(dst, hash.Key1(263, n1.Lower), hash.Key2(264, w.class, n1.Lower), hash.Key2(265, w.Suffix[2], n1.Lower))
	}
	if w.part == middlePart || w.part == lastPart {
		dst = append(dst, hash.Key1(266, w.Lower), hash.Key2(267, w.Lower, p1.class), hash.Key2(268, w.Lower, p1.Suffix[2]))
	}
	return dst
}

// ownMorphKeys appends the features of a form for its FEATS, given its label of the first
// layer.
func ownMorphKeys(dst []hash.Key, w *form, tag uint16) []hash.Key {
	own := uint64(tag) + 1
	dst = append(dst,
		hash.Key1(102, own),
		hash.Key1(103, w.Hash),
		hash.Key2(104, w.Lower, own),
		hash.Key1(105, w.Shape),
		hash.Key1(114, w.morph),
		hash.Key2(136, w.stemClass, w.rest),
		hash.Key1(137, w.rest),
		hash.Key2(138, w.rest, own),
		hash.Key2(139, w.stem, own),
		hash.Key2(170, w.broadRest, own),
		hash.Key2(171, w.stemClass, w.broadRest),
	)
	dst = keysOf(dst, 140, w.Suffix[:])
	dst = keysOf(dst, 160, w.Broad[1:])
	return keysOf(dst, 150, w.Prefix[:])
}

// morphKeys appends the features of word i for its FEATS that depend on more than its form
// and label. tags are the labels of the first layer for the sentence.
func morphKeys(dst []hash.Key, t *text, i int, tags []uint16) []hash.Key {
	w, p1, p2, n1, n2 := t.at(i), t.at(i-1), t.at(i-2), t.at(i+1), t.at(i+2)
	at := func(k int) uint64 {
		if k < 0 || k >= len(tags) {
			return 0
		}
		return uint64(tags[k]) + 1
	}
	own, before, after := at(i), at(i-1), at(i+1)
	dst = keysOf(dst, 106, []uint64{p1.Lower, n1.Lower, p2.Lower, n2.Lower, p1.morph, n1.morph, p2.morph, n2.morph})
	dst = append(dst,
		hash.Key2(115, w.morph, p1.morph),
		hash.Key2(116, w.morph, n1.morph),
		hash.Key3(117, p1.morph, w.morph, n1.morph),
		hash.Key2(118, p2.morph, p1.morph),
		hash.Key2(119, p1.morph, n1.morph),
		hash.Key2(120, n1.morph, n2.morph),
		hash.Key2(121, p1.Suffix[1], before),
		hash.Key2(122, n1.Suffix[1], after),
		hash.Key1(123, p1.Suffix[2]),
		hash.Key1(124, n1.Suffix[2]),
		hash.Key2(125, before, own),
		hash.Key2(126, after, own),
		hash.Key3(127, at(i-2), before, own),
		hash.Key3(128, at(i+2), after, own),
		hash.Key3(129, before, after, own),
		hash.Key3(130, w.Suffix[1], before, own),
		hash.Key3(131, w.Suffix[1], after, own),
		hash.Key2(172, w.part, own),
	)
	if w.part == firstPart || w.part == middlePart {
		dst = append(dst, hash.Key2(173, n1.Lower, w.Suffix[1]), hash.Key2(174, n1.Lower, w.morph))
	}
	if w.part == middlePart || w.part == lastPart {
		dst = append(dst, hash.Key2(175, w.Lower, p1.morph), hash.Key2(176, w.Lower, p1.Suffix[2]))
	}
	return dst
}
