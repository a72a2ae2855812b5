package certify

// A list holds the entries of a side that are still possible.
type list struct {
	at      []int32 // by entry: its place in the row of the table
	certain []bool  // it is in every child list
	first   int32   // first cell of the table, without the offset for the head's head
	size    int32   // of a row
	child   int     // number of the child at place 1 of a row
	choice  bool    // not all are certain
}

// updateTop finds the largest theta of a word that has an arc.
func (p *Prover) updateTop(m int32) {
	most := int64(barred)
	for a := p.start[m-1]; a < p.start[m]; a++ {
		if p.alive[a] {
			most = max(most, p.theta[a])
		}
	}
	p.top[m] = most
}

// drop takes an arc away.
func (p *Prover) drop(a int32) {
	p.alive[a] = false
	m := p.words[a]
	if p.count[m]--; p.count[m] == 0 {
		p.stuck = true
	}
}

// updateBound brings the bound up to date after arcs of m were dropped.
func (p *Prover) updateBound(m int32) {
	p.bound -= p.top[m]
	p.updateTop(m)
	p.bound += p.top[m]
}

// other returns the largest theta of the other arcs of the word of arc a.
func (p *Prover) other(a int32) int64 {
	m, most := p.words[a], int64(barred)
	for b := p.start[m-1]; b < p.start[m]; b++ {
		if b != a && p.alive[b] {
			most = max(most, p.theta[b])
		}
	}
	return most
}

// updateHead takes the scores of the words of h's factor into the factor,
// computes its max-marginal for each arc, drops the arcs that no tree above the
// aim has, and gives every word its share of the max-marginals.
func (p *Prover) updateHead(h int32) {
	if h == 0 {
		p.updateRoot()
		return
	}
	children := p.children[p.childrenOf[h]:p.childrenOf[h+1]]
	lo, hi := p.start[h-1], p.start[h]
	p.up = resize(p.up, int(hi-lo))
	base, free := p.loadChildren(h, children)
	own := !p.fixed(h)
	if own {
		free++
	}
	most := int64(barred)
	for b := lo; b < hi; b++ {
		if !p.alive[b] {
			continue
		}
		w := base - p.toHead[b]
		if own {
			w += p.theta[b]
		}
		w = p.maximise(h, b, children, w)
		p.up[b-lo] = w
		most = max(most, w)
	}
	if most < barred/2 {
		p.stuck = true
		return
	}
	rest := p.bound - p.most[h]
	if own {
		rest -= p.top[h]
	}
	p.most[h] = most
	if free == 0 {
		p.bound = rest + most
		return
	}
	rest -= p.topsOf(children, false)
	for k, a := range children {
		if p.out[k] != barred {
			p.base[h] -= p.share(a, p.with[k], p.without[k], p.out[k], most, free, rest)
		}
	}
	if own {
		for b := lo; b < hi; b++ {
			if p.alive[b] {
				p.updateMessage(b, &p.toHead[b], p.up[b-lo], most, free, rest)
			}
		}
		p.updateTop(h)
		rest += p.top[h]
	}
	p.bound = rest + most + p.topsOf(children, true)
}

// topsOf returns the sum of the tops of the words of children that take part in an
// update. If changed is set, it first computes them again.
func (p *Prover) topsOf(children []int32, changed bool) (sum int64) {
	for k, a := range children {
		if p.out[k] == barred {
			continue
		}
		if changed {
			p.updateTop(p.words[a])
		}
		sum += p.top[p.words[a]]
	}
	return sum
}

// loadChildren computes the weights of the children of h that do not depend on its
// head, and the lists of both sides. It returns the sum of the weights that every tree
// has, and the number of words with a choice.
func (p *Prover) loadChildren(h int32, children []int32) (base, free int64) {
	for _, numbers := range [...]*[]int64{&p.weight, &p.out, &p.with, &p.without, &p.inSide, &p.outSide} {
		*numbers = resize(*numbers, len(children))
	}
	left := int(p.right[h] - p.childrenOf[h])
	base = p.base[h]
	for s, from := range [...]int{0, left} {
		l, end := &p.entries[s], left
		l.first, l.child, l.choice = p.edgesOf[h], from, false
		if s == 1 {
			l.first += square(int32(left))
			end = len(children)
		}
		l.size = int32(end - from + 2)
		l.at, l.certain = append(l.at[:0], 0), append(l.certain[:0], true)
		for k := from; k < end; k++ {
			a := children[k]
			p.out[k] = barred
			if !p.alive[a] {
				continue
			}
			fixed := p.fixed(p.words[a])
			p.weight[k] = -p.toChild[a]
			if !fixed {
				p.out[k] = p.other(a)
				p.weight[k] += p.theta[a] - p.out[k]
				p.with[k], p.without[k] = barred, barred
				base += p.out[k]
				free++
				l.choice = true
			}
			l.at, l.certain = append(l.at, int32(k-from+1)), append(l.certain, fixed)
		}
		l.at, l.certain = append(l.at, l.size-1), append(l.certain, true)
	}
	p.steps += int64(4 + 2*len(children))
	return base, free
}

// maximise returns the maximum of the factor of h under the head of arc b,
// where all but the child list is worth w, and raises the max-marginals of children.
func (p *Prover) maximise(h, b int32, children []int32, w int64) int64 {
	nodes := p.nodes[int(p.nodesOf[h])+int(b-p.start[h-1])*len(children):][:len(children)]
	l := p.chain(&p.entries[0], children, nodes, p.heads[b])
	r := p.chain(&p.entries[1], children, nodes, p.heads[b])
	for k := range children {
		if p.out[k] == barred {
			continue
		}
		rest := w + r
		if k >= p.entries[1].child {
			rest = w + l
		}
		p.with[k] = max(p.with[k], rest+p.inSide[k])
		p.without[k] = max(p.without[k], rest+p.outSide[k])
	}
	return w + l + r
}

// chain returns the best score of one side of a child list whose head hangs on
// g, and sets inSide and outSide to the best scores with and without each
// child.
func (p *Prover) chain(l *list, children, nodes []int32, g int32) int64 {
	last := len(l.at) - 1
	p.forward, p.worths = resize(p.forward, last+1), resize(p.worths, 2*(last+1))
	worths, backward := p.worths[:last+1], p.worths[last+1:]
	edges := p.edges[l.first:][:l.size*l.size]
	p.forward[0], worths[last] = 0, 0
	lo := 0
	for j := 1; j <= last; j++ {
		if j < last {
			k := l.child + int(l.at[j]) - 1
			if worths[j] = p.weight[k] + int64(nodes[k]); p.words[children[k]] == g {
				worths[j] = barred
			}
		}
		best, cell := int64(4*barred), l.at[j]
		for i := lo; i < j; i++ {
			best = max(best, p.forward[i]+int64(edges[l.at[i]*l.size+cell]))
		}
		p.forward[j] = best + worths[j]
		p.steps += int64(j - lo)
		if l.certain[j] {
			lo = j
		}
	}
	if !l.choice {
		return p.forward[last]
	}
	for _, k := range l.at[1:last] {
		p.outSide[l.child+int(k)-1] = barred
	}
	backward[last] = 0
	hi := last
	for i := last - 1; i >= 0; i-- {
		best, row := int64(4*barred), edges[l.at[i]*l.size:][:l.size]
		for j := hi; j > i; j-- { // best of all entries from j on
			best = max(best, int64(row[l.at[j]])+worths[j]+backward[j])
			if j > i+1 {
				k := l.child + int(l.at[j-1]) - 1
				p.outSide[k] = max(p.outSide[k], p.forward[i]+best)
			}
		}
		p.steps += int64(hi - i)
		if backward[i] = best; l.certain[i] {
			hi = i
		}
		if i > 0 {
			p.inSide[l.child+int(l.at[i])-1] = p.forward[i] + best
		}
	}
	return p.forward[last]
}

// share gives the word of arc a its share of the maxima with and without a, and
// returns the share of the other arcs. out is the largest theta of the other
// arcs; rest is the bound without the factor and its words.
func (p *Prover) share(a int32, with, without, out, most, free, rest int64) (others int64) {
	m := p.words[a]
	others = (without-most)/free - out
	for b := p.start[m-1]; b < p.start[m]; b++ {
		if b == a || !p.alive[b] {
			continue
		}
		if rest+without+p.theta[b]-out <= p.aim {
			p.drop(b)
		}
		p.theta[b] += others
	}
	if rest+with <= p.aim {
		p.drop(a)
	}
	now := (with - most) / free
	p.toChild[a] += now - p.theta[a] - others
	p.theta[a] = now
	return others
}

// updateMessage gives the word of arc a its share of the maximum with a. message is
// the sum that the factor has given so far.
func (p *Prover) updateMessage(a int32, message *int64, with, most, free, rest int64) {
	if rest+with <= p.aim {
		p.drop(a)
	}
	now := (with - most) / free
	*message += now - p.theta[a]
	p.theta[a] = now
}

// updateRoot is updateHead of 0, under which one word hangs.
func (p *Prover) updateRoot() {
	children := p.children[p.childrenOf[0]:p.childrenOf[1]]
	p.out = resize(p.out, len(children))
	base, free, only := p.base[0], int64(0), int32(-1)
	best, second, at := int64(barred), int64(barred), int32(-1) // weights of children
	p.steps += int64(4 + 2*len(children))
	for k, a := range children {
		p.out[k] = barred
		switch {
		case !p.alive[a]:
		case !p.fixed(p.words[a]):
			p.out[k] = p.other(a)
			base += p.out[k]
			free++
			if w := p.theta[a] - p.toChild[a] - p.out[k]; w > best {
				best, second, at = w, best, a
			} else {
				second = max(second, w)
			}
		case only >= 0: // two roots
			p.stuck = true
			return
		default:
			only = a
		}
	}
	switch {
	case only >= 0:
		p.onlyRoot(children, only)
		return
	case free == 0:
		p.stuck = true
		return
	}
	most := base + best
	rest := p.bound - p.most[0] - p.topsOf(children, false)
	p.most[0] = most
	for k, a := range children {
		if p.out[k] == barred {
			continue
		}
		w := best
		if a == at {
			w = second
		}
		with, without := base+p.theta[a]-p.toChild[a]-p.out[k], max(base+w, barred)
		p.base[0] -= p.share(a, with, without, p.out[k], most, free, rest)
	}
	p.bound = rest + most + p.topsOf(children, true)
}

// onlyRoot drops the root arcs of all words but one, which has no other arc.
func (p *Prover) onlyRoot(children []int32, only int32) {
	for _, a := range children {
		if p.alive[a] && a != only {
			p.drop(a)
			p.updateBound(p.words[a])
		}
	}
	p.bound -= p.most[0]
	p.most[0] = p.base[0] - p.toChild[only]
	p.bound += p.most[0]
}

// updatePair is updateHead of the factor of two words.
func (p *Prover) updatePair(i int) {
	q := &p.pairs[i]
	ulo, uhi, vlo, vhi := p.start[q.u-1], p.start[q.u], p.start[q.v-1], p.start[q.v]
	fromU, fromV := p.toPair[q.messages:][:uhi-ulo], p.toPair[q.messages+uhi-ulo:][:vhi-vlo]
	p.with, p.without = resize(p.with, len(fromU)), resize(p.without, len(fromV)) // of arcs of u, of v
	for k := range p.without {
		p.without[k] = barred
	}
	ownU, ownV := !p.fixed(q.u), !p.fixed(q.v)
	free, most := int64(0), int64(barred)
	row := p.cells[q.table:]
	for k := range p.with {
		best := int64(barred)
		if p.alive[ulo+int32(k)] {
			w := -fromU[k]
			if ownU {
				w += p.theta[ulo+int32(k)]
			}
			for j := range p.without {
				if !p.alive[vlo+int32(j)] {
					continue
				}
				sum := w - fromV[j] + worth(row[j])
				if ownV {
					sum += p.theta[vlo+int32(j)]
				}
				p.without[j] = max(p.without[j], sum)
				best = max(best, sum)
			}
		}
		p.with[k] = best
		most = max(most, best)
		row = row[len(fromV):]
	}
	p.steps += 4 + int64(len(fromU)*len(fromV))
	if most < barred/2 {
		p.stuck = true
		return
	}
	rest := p.bound - p.pairTop[i]
	p.pairTop[i] = most
	if ownU {
		rest -= p.top[q.u]
		free++
	}
	if ownV {
		rest -= p.top[q.v]
		free++
	}
	p.bound = rest + most
	if ownU {
		p.updateMessages(q.u, fromU, p.with, most, free, rest)
	}
	if ownV {
		p.updateMessages(q.v, fromV, p.without, most, free, rest)
	}
}

// updateMessages gives a word its share of the maxima with each of its arcs.
func (p *Prover) updateMessages(m int32, messages, with []int64, most, free, rest int64) {
	for k := range messages {
		if a := p.start[m-1] + int32(k); p.alive[a] {
			p.updateMessage(a, &messages[k], with[k], most, free, rest)
		}
	}
	p.updateTop(m)
	p.bound += p.top[m]
}
