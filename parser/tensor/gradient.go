package tensor

import "github.com/treebeam/treebeam/parser/feature"

// A Gradient is that of t(gold tree) - t(other tree) by U, V and W, all at
// the same values of the others (Lei et al. 2014).
type Gradient struct {
	rows []int32   // touched rows of U and V, each once
	u, v []float64 // [i*rank + r] of row rows[i]
	w    []float64 // [b*rank + r]
}

// Gradient returns the gradient for two trees over the sentence in p, both
// heads by word, entry 0 unused. With Turns, only that by one of U, V and W
// is kept, chosen by turn mod 3; turn is the number of the step.
func (l *Learner) Gradient(p *Projection, gold, other []int32, turn int) *Gradient {
	R := l.rank
	n := len(p.start) - 2
	g := &Gradient{w: make([]float64, Bins*R)}
	// by position, what its phi is multiplied with in dU and dV
	cu, cv := make([]float64, (n+1)*R), make([]float64, (n+1)*R)
	touched := make([]bool, n+1)
	arc := func(h, m int, sign float64) {
		u, v := p.u[h*R:][:R], p.v[m*R:][:R]
		bin := int(feature.Distance(h, m)) * R
		w0, w := l.W[:R], l.W[bin:][:R]
		touched[h], touched[m] = true, true
		for r := range u {
			both := w0[r] + w[r]
			cu[h*R+r] += sign * float64(v[r]*both)
			cv[m*R+r] += sign * float64(u[r]*both)
			uv := sign * float64(u[r]*v[r])
			g.w[r] += uv
			g.w[bin+r] += uv
		}
	}
	for m := 1; m <= n; m++ {
		if gold[m] != other[m] {
			arc(int(gold[m]), m, 1)
			arc(int(other[m]), m, -1)
		}
	}
	l.scatter(g, p, touched, cu, cv)
	if l.o.Turns {
		g.keepOne(turn % 3)
	}
	return g
}

// scatter adds, for every touched position, its coefficients times phi.
func (l *Learner) scatter(g *Gradient, p *Projection, touched []bool, cu, cv []float64) {
	R := l.rank
	if len(p.local) != l.rows() {
		p.local = make([]int32, l.rows())
	}
	for pos, ok := range touched {
		if !ok {
			continue
		}
		for _, t := range p.terms[p.start[pos]:p.start[pos+1]] {
			at := int(p.local[t.row])
			if at == 0 {
				g.rows = append(g.rows, t.row)
				g.u, g.v = append(g.u, make([]float64, R)...), append(g.v, make([]float64, R)...)
				at = len(g.rows)
				p.local[t.row] = int32(at)
			}
			at = (at - 1) * R
			x := float64(t.value)
			axpy(x, cu[pos*R:][:R], g.u[at:])
			axpy(x, cv[pos*R:][:R], g.v[at:])
		}
	}
	for _, row := range g.rows {
		p.local[row] = 0
	}
}

// keepOne clears all but dU (0), dV (1) or dW (2).
func (g *Gradient) keepOne(which int) {
	for i, a := range [...][]float64{g.u, g.v, g.w} {
		if i != which {
			clear(a)
		}
	}
}

// StepNorm returns the squared length of the step that Add takes with a scale
// of 1.
func (l *Learner) StepNorm(g *Gradient) float64 {
	return float64((1-l.o.Gamma)*(1-l.o.Gamma)) * g.norm()
}

// norm returns the squared length of the gradient.
func (g *Gradient) norm() float64 {
	sum := 0.0
	for _, a := range [...][]float64{g.u, g.v, g.w} {
		for _, x := range a {
			sum += float64(x * x)
		}
	}
	return sum
}
