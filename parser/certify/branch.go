package certify

// The prover branches when the bound is still above the aim by more than
// patience times the gain of the last sweep.
const patience = 8

// savedStates are the states at the branches above, one after another.
type savedStates struct {
	numbers, bounds []int64
	alive           []bool
	count           []int32
}

func (s *savedStates) clear() {
	s.numbers, s.bounds, s.alive, s.count = s.numbers[:0], s.bounds[:0], s.alive[:0], s.count[:0]
}

// push saves a state.
func (s *savedStates) push(x *state) {
	s.numbers, s.bounds = append(s.numbers, x.numbers...), append(s.bounds, x.bound)
	s.alive, s.count = append(s.alive, x.alive...), append(s.count, x.count...)
}

// restore makes x what it was when the last state was pushed.
func (s *savedStates) restore(x *state) {
	x.bound = s.bounds[len(s.bounds)-1]
	copy(x.numbers, s.numbers[len(s.numbers)-len(x.numbers):])
	copy(x.alive, s.alive[len(s.alive)-len(x.alive):])
	copy(x.count, s.count[len(s.count)-len(x.count):])
}

// pop removes the last state, which has the size of x.
func (s *savedStates) pop(x *state) {
	s.numbers, s.bounds = s.numbers[:len(s.numbers)-len(x.numbers)], s.bounds[:len(s.bounds)-1]
	s.alive, s.count = s.alive[:len(s.alive)-len(x.alive)], s.count[:len(s.count)-len(x.count)]
}

// done reports whether no tree above the aim is left.
func (p *Prover) done() bool { return p.stuck || p.bound <= p.aim }

// ends reports whether there is no more to do.
func (p *Prover) ends() bool { return p.done() || p.spent() }

// prove reports whether, within the limit, no tree above the aim is left. A
// better tree that it finds raises the aim.
func (p *Prover) prove() bool {
	for last := p.bound; !p.done(); last = p.bound {
		p.sweep()
		switch {
		case p.done() || p.leaf():
			return true
		case p.spent():
			return false
		case (last-p.bound)*patience < p.bound-p.aim:
			return p.branch()
		}
	}
	return true
}

// sweep updates all factors with a choice, there and back.
func (p *Prover) sweep() {
	p.dropCycles()
	for i := 0; i < len(p.active) && !p.ends(); i++ {
		p.updateHead(p.active[i])
	}
	for i := 0; i < len(p.pairs) && !p.ends(); i++ {
		p.updatePair(i)
	}
	for i := len(p.active) - 1; i >= 0 && !p.ends(); i-- {
		p.updateHead(p.active[i])
	}
}

// dropCycles drops the arcs that close a cycle of arcs that are certain.
func (p *Prover) dropCycles() {
	for _, m := range p.open {
		if p.stuck {
			return
		}
		left := p.count[m]
		for a := p.start[m-1]; a < p.start[m]; a++ {
			if p.alive[a] && p.closes(a, m) {
				p.drop(a)
			}
		}
		if p.count[m] < left && !p.stuck {
			p.updateBound(m)
		}
	}
}

// closes reports whether arc a closes a cycle of arcs that are certain.
func (p *Prover) closes(a, m int32) bool {
	u := p.heads[a]
	for range p.count {
		p.steps++
		if u == m {
			return true
		}
		if u == 0 || !p.fixed(u) {
			return false
		}
		u = p.heads[p.arcOf(u)]
	}
	return true
}

// arcOf returns the first arc of a word that is alive.
func (p *Prover) arcOf(m int32) int32 {
	a := p.start[m-1]
	for !p.alive[a] {
		a++
	}
	return a
}

// leaf offers the heads that are left if they are the only ones.
func (p *Prover) leaf() bool {
	for _, m := range p.open {
		if !p.fixed(m) {
			return false
		}
	}
	p.tree = resize(p.tree, len(p.count))
	for m := int32(1); int(m) < len(p.count); m++ {
		p.tree[m] = p.heads[p.arcOf(m)]
	}
	p.aim = max(p.aim, p.offer(p.tree))
	return true
}

// branch tries every arc of one word.
func (p *Prover) branch() bool {
	if len(p.saved.numbers)+len(p.numbers) > maxBranches {
		return false
	}
	m := p.choose()
	p.saved.push(&p.state)
	p.steps += int64(len(p.numbers)) / 8
	for a := p.start[m-1]; a < p.start[m]; a++ {
		p.saved.restore(&p.state)
		p.steps += int64(len(p.numbers)) / 8
		if !p.alive[a] {
			continue
		}
		for b := p.start[m-1]; b < p.start[m]; b++ {
			p.alive[b] = b == a
		}
		p.count[m], p.stuck = 1, false
		p.updateBound(m)
		if !p.prove() {
			return false
		}
	}
	p.saved.pop(&p.state)
	return true
}

// choose returns the word to branch on: the one whose second best arc is
// furthest below its best, per arc.
func (p *Prover) choose() (word int32) {
	most := int64(-1)
	for _, m := range p.open {
		if p.fixed(m) {
			continue
		}
		best, second := int64(barred), int64(barred)
		for a := p.start[m-1]; a < p.start[m]; a++ {
			if !p.alive[a] {
				continue
			}
			if t := p.theta[a]; t > best {
				best, second = t, best
			} else {
				second = max(second, t)
			}
		}
		if gap := (best - second) * 16 / int64(p.count[m]); gap > most {
			most, word = gap, m
		}
	}
	return word
}
