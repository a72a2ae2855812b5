package tag

// tagKeys appends the features of word i for its UPOS and XPOS.
func tagKeys(dst []uint64, t *text, i int) []uint64 {
	w := t.at(i)
	p1, p2, n1, n2 := t.at(i-1), t.at(i-2), t.at(i+1), t.at(i+2)
	dst = append(dst,
		key1(1, 0),
		key1(2, w.form),
		key1(3, w.lower),
		key1(4, w.shape),
		key1(5, w.fullShape),
		key2(6, w.shape, t.caps),
		key2(7, p1.shape, w.shape),
		key2(8, w.shape, n1.shape),
		key1(9, p1.lower),
		key1(10, n1.lower),
		key1(11, p2.lower),
		key1(12, n2.lower),
		key2(13, p1.lower, w.lower),
		key2(14, w.lower, n1.lower),
		key2(15, p1.lower, n1.lower),
		key2(16, p2.lower, p1.lower),
		key2(17, n1.lower, n2.lower),
		key1(18, w.class),
		key1(19, p1.class),
		key1(20, n1.class),
		key1(21, p2.class),
		key1(22, n2.class),
		key2(23, p1.class, w.class),
		key2(24, w.class, n1.class),
		key2(25, p1.class, n1.class),
		key2(26, n1.class, n2.class),
		key2(27, p2.class, p1.class),
		key2(28, mix(p1.class+w.class*3), n1.class),
		key2(29, mix(w.class+n1.class*3), n2.class),
		key2(30, mix(w.class+p1.class*3), p2.class),
		key1(31, p1.suffix[2]),
		key1(32, n1.suffix[2]),
		key2(33, w.suffix[1], n1.suffix[1]),
		key2(34, w.suffix[1], p1.suffix[1]),
		key2(35, w.lower, n1.class),
		key2(36, w.lower, p1.class),
		key2(37, w.class, p1.lower),
		key2(38, w.class, n1.lower),
		key2(39, w.suffix[2], p1.class),
		key2(40, w.suffix[2], n1.class),
		key2(41, w.shape, w.class),
		key1(42, w.stemClass),
		key2(43, w.stemClass, w.rest),
		key2(44, w.stemClass, w.suffix[1]),
		key1(45, w.stem),
		key2(46, w.stem, w.rest),
	)
	dst = endingKeys(dst, w, p1, n1)
	dst = partKeys(dst, w, p1, n1)
	if w.suffix[1] != 0 {
		dst = append(dst, key2(58, w.suffix[1], w.shape))
	}
	if w.suffix[2] != 0 {
		dst = append(dst, key2(59, w.suffix[2], w.shape))
	}
	for k, h := range w.prefix {
		if h != 0 {
			dst = append(dst, key1(63+uint64(k), h))
		}
	}
	return dst
}

// endingKeys appends what the endings of a word say, as they are and without
// vowel harmony and voicing, and with the words before and behind it.
func endingKeys(dst []uint64, w, p1, n1 *word) []uint64 {
	for k, h := range w.suffix[:7] {
		if h != 0 {
			dst = append(dst, key1(50+uint64(k), h))
		}
	}
	for k, h := range w.broad[1:] {
		if h != 0 {
			dst = append(dst, key1(240+uint64(k), h))
		}
	}
	dst = append(dst,
		key1(250, w.broadRest),
		key2(251, w.stemClass, w.broadRest),
		key2(252, w.broad[2], n1.broad[2]),
		key2(253, w.broad[2], p1.broad[2]),
		key2(254, w.broad[3], n1.class),
		key2(255, w.broad[3], p1.class),
	)
	return dst
}

// partKeys appends what a word's place in a multiword token says, and its
// neighbours in there.
func partKeys(dst []uint64, w, p1, n1 *word) []uint64 {
	dst = append(dst, key1(260, w.part))
	if w.part != whole {
		dst = append(dst, key2(261, w.part, w.class), key2(262, w.part, w.suffix[1]))
	}
	if w.part == firstPart || w.part == middlePart {
		dst = append(dst, key1(263, n1.lower), key2(264, w.class, n1.lower), key2(265, w.suffix[2], n1.lower))
	}
	if w.part == middlePart || w.part == lastPart {
		dst = append(dst, key1(266, w.lower), key2(267, w.lower, p1.class), key2(268, w.lower, p1.suffix[2]))
	}
	return dst
}

// tagEdgeKeys appends the features of word i that are combined with the
// UPOS of the word before.
func tagEdgeKeys(dst []uint64, t *text, i int) []uint64 {
	w, n1 := t.at(i), t.at(i+1)
	return append(dst, key1(80, w.lower), key1(81, n1.class), key1(82, w.suffix[1]), key2(83, w.class, n1.class))
}

// morphKeys appends the features of word i for its FEATS. tags are the
// labels of the first layer for the sentence.
func morphKeys(dst []uint64, t *text, i int, tags []uint16) []uint64 {
	w := t.at(i)
	p1, p2, n1, n2 := t.at(i-1), t.at(i-2), t.at(i+1), t.at(i+2)
	at := func(k int) uint64 {
		if k < 0 || k >= len(tags) {
			return 0
		}
		return uint64(tags[k]) + 1
	}
	own, before, after := at(i), at(i-1), at(i+1)
	dst = append(dst,
		key1(101, 0),
		key1(102, own),
		key1(103, w.form),
		key2(104, w.lower, own),
		key1(105, w.shape),
		key1(106, p1.lower),
		key1(107, n1.lower),
		key1(108, p2.lower),
		key1(109, n2.lower),
		key1(110, p1.morph),
		key1(111, n1.morph),
		key1(112, p2.morph),
		key1(113, n2.morph),
		key1(114, w.morph),
		key2(115, w.morph, p1.morph),
		key2(116, w.morph, n1.morph),
		key2(117, mix(w.morph+3*p1.morph), n1.morph),
		key2(118, p2.morph, p1.morph),
		key2(119, p1.morph, n1.morph),
		key2(120, n1.morph, n2.morph),
		key2(121, p1.suffix[1], before),
		key2(122, n1.suffix[1], after),
		key1(123, p1.suffix[2]),
		key1(124, n1.suffix[2]),
		key2(125, before, own),
		key2(126, after, own),
		key2(127, at(i-2), before<<16|own),
		key2(128, at(i+2), after<<16|own),
		key2(129, before, after<<16|own),
		key2(130, w.suffix[1], before<<16|own),
		key2(131, w.suffix[1], after<<16|own),
		key2(132, w.suffix[2], p1.suffix[1]),
		key2(133, w.suffix[2], n1.suffix[1]),
		key2(134, w.lower, p1.lower),
		key2(135, w.lower, n1.lower),
		key2(136, w.stemClass, w.rest),
		key1(137, w.rest),
		key2(138, w.rest, own),
		key2(139, w.stem, own),
	)
	for k, h := range w.suffix {
		if h != 0 {
			dst = append(dst, key1(140+uint64(k), h))
		}
	}
	for k, h := range w.broad[1:] {
		if h != 0 {
			dst = append(dst, key1(160+uint64(k), h))
		}
	}
	dst = append(dst, key2(170, w.broadRest, own), key2(171, w.stemClass, w.broadRest), key2(172, w.part, own))
	if w.part == firstPart || w.part == middlePart {
		dst = append(dst, key2(173, n1.lower, w.suffix[1]), key2(174, n1.lower, w.morph))
	}
	if w.part == middlePart || w.part == lastPart {
		dst = append(dst, key2(175, w.lower, p1.morph), key2(176, w.lower, p1.suffix[2]))
	}
	for k, h := range w.prefix {
		if h != 0 {
			dst = append(dst, key1(150+uint64(k), h))
		}
	}
	return dst
}

// lemmaKeys appends the features of a form for its rewrite rule, given its
// UPOS and all of its tags.
func lemmaKeys(dst []uint64, w *word, upos, tags uint64) []uint64 {
	both := upos<<16 | tags
	dst = append(dst,
		key1(201, upos),
		key1(202, both),
		key2(203, w.shape, upos),
		key2(204, w.fullShape, upos),
		key2(205, w.lower, upos),
	)
	if w.twin != 0 {
		dst = append(dst, key2(206, w.twin, upos), key2(207, w.twin, both))
	}
	for k, h := range w.suffix {
		if h != 0 {
			dst = append(dst, key2(210+uint64(k), h, upos), key2(220+uint64(k), h, both))
		}
	}
	for k, h := range w.prefix {
		if h != 0 {
			dst = append(dst, key2(230+uint64(k), h, upos))
		}
	}
	return dst
}
