package label

// A gradient holds what one tree's conditional log-likelihood asks of the
// weights, and the scratch to compute it. Arrays over (word, relation) are
// laid out by example.off; arc holds, word by word, head's relation by
// relation.
type gradient struct {
	word    []float32 // expected minus gold, over (word, relation)
	arc     []float32 // the same over (word, head's relation, relation)
	loss    float64   // negative log-likelihood
	score   []float64
	belief  []float64
	prob    []float64
	pairExp []float64 // e^factor, laid out as arc
	mass    []float64 // over (word, head's relation)
	massAt  []int32
	pairAt  []int32
}

// compute fills g for the example under the current weights, which it only
// reads.
func (g *gradient) compute(t *trainer, e *example) {
	g.layout(t, e)
	g.scores(t, e)
	g.upward(t, e)
	g.downward(t, e)
}

func (g *gradient) layout(t *trainer, e *example) {
	total := int(e.off[e.n+1])
	g.word = resize(g.word, total)
	g.score = resize(g.score, total)
	g.belief = resize(g.belief, total)
	g.prob = resize(g.prob, total)
	g.arc = resize(g.arc, e.size)
	g.pairExp = resize(g.pairExp, e.size)
	g.massAt = resize(g.massAt, e.n+2)
	g.pairAt = resize(g.pairAt, e.n+2)
	g.massAt[1], g.pairAt[1] = 0, 0
	for m := 1; m <= e.n; m++ {
		heads := int32(0)
		if h := e.head[m]; h > 0 {
			heads = e.off[h+1] - e.off[h]
		}
		g.massAt[m+1] = g.massAt[m] + heads
		g.pairAt[m+1] = g.pairAt[m] + heads*(e.off[m+1]-e.off[m])
	}
	g.mass = resize(g.mass, int(g.massAt[e.n+1]))
	g.loss = 0
}

// scores sums the weights of each arc, and takes the exponentials.
func (g *gradient) scores(t *trainer, e *example) {
	for m := 1; m <= e.n; m++ {
		set := t.rel.set(e.sets[m])
		acc := g.score[e.off[m]:e.off[m+1]][:len(set)]
		clear(acc)
		for k := e.from[m]; k < e.from[m+1]; k++ {
			row := t.weight[int(e.rows[k])*t.stride:][:t.stride]
			for j, l := range set {
				acc[j] += float64(row[l])
			}
		}
		top := acc[0]
		for _, x := range acc {
			top = max(top, x)
		}
		belief := g.belief[e.off[m]:e.off[m+1]]
		for j, x := range acc {
			belief[j] = exp(x - top)
		}
		g.loss -= acc[e.gold[m]] - top
		if h := e.head[m]; h > 0 {
			at := g.pairAt[m]
			for _, lh := range t.rel.set(e.sets[h]) {
				common := t.weight[t.commonRow(lh)*t.stride:][:t.stride]
				own := t.weight[t.ownRow(e.ctx[m], lh)*t.stride:][:t.stride]
				for _, l := range set {
					g.pairExp[at] = exp(float64(common[l]) + float64(own[l]))
					at++
				}
			}
		}
	}
}

// upward sends sums to the heads; belief and mass are as in chart.
func (g *gradient) upward(t *trainer, e *example) {
	for k := len(e.order) - 1; k >= 0; k-- {
		m := e.order[k]
		h := e.head[m]
		if h == 0 {
			sum := 0.0
			for _, x := range g.belief[e.off[m]:e.off[m+1]] {
				sum += x
			}
			g.loss += logOf(sum)
			continue
		}
		mine := g.belief[e.off[m]:e.off[m+1]]
		theirs := g.belief[e.off[h]:e.off[h+1]]
		mass := g.mass[g.massAt[m]:g.massAt[m+1]]
		at := int(g.pairAt[m])
		top := 0.0
		for a := range theirs {
			row := g.pairExp[at : at+len(mine)]
			at += len(mine)
			sum := 0.0
			for b, x := range mine {
				sum += float64(x * row[b])
			}
			mass[a] = sum
			theirs[a] *= sum
			top = max(top, theirs[a])
		}
		for a := range theirs {
			theirs[a] /= top
		}
		g.loss += logOf(top)
		g.loss -= logOf(g.pairExp[int(g.pairAt[m])+int(e.gold[h])*len(mine)+int(e.gold[m])])
	}
}

// downward computes marginals and the gradient.
func (g *gradient) downward(t *trainer, e *example) {
	for _, m := range e.order {
		h := e.head[m]
		mine, prob := g.belief[e.off[m]:e.off[m+1]], g.prob[e.off[m]:e.off[m+1]]
		if h == 0 {
			copy(prob, mine)
			normalise(prob)
		} else {
			theirs := g.prob[e.off[h]:e.off[h+1]]
			mass := g.mass[g.massAt[m]:g.massAt[m+1]]
			clear(prob)
			at := int(g.pairAt[m])
			for a, q := range theirs {
				share := q / mass[a]
				for b, x := range mine {
					p := float64(share*g.pairExp[at]) * x
					prob[b] += p
					g.arc[at] = float32(p)
					at++
				}
			}
			g.arc[int(g.pairAt[m])+int(e.gold[h])*len(mine)+int(e.gold[m])]--
		}
		out := g.word[e.off[m]:e.off[m+1]]
		for j, p := range prob {
			out[j] = float32(p)
		}
		out[e.gold[m]]--
	}
}

// logOf is the natural logarithm, by Newton's method on exp: only for
// reports and the choice between epochs.
func logOf(x float64) float64 {
	if x <= 0 {
		return -700
	}
	y := 0.0
	for x > 2 {
		x /= 2
		y += ln2
	}
	for x < 0.5 {
		x *= 2
		y -= ln2
	}
	z := x - 1
	for i := 0; i < 5; i++ {
		e := exp(z)
		z += 2 * (x - e) / (x + e)
	}
	return y + z
}
