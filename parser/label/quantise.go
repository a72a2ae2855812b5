package label

import "math"

// model rounds the weights to the integers of inference.
func (t *trainer) model() *Model {
	m := &Model{rel: *t.rel}
	table, kept := newRowTable(t.keys, t.stride)
	for i, from := range kept {
		quantiseRow(table.rows[i*table.stride:][:table.stride], t.weight[int(from)*t.stride:][:t.stride])
	}
	m.table = *table
	m.pair = make([]int16, 2*numPos*t.stride*t.stride)
	at := 0
	for ctx := range uint8(2 * numPos) {
		for lh := range t.stride {
			common := t.weight[t.commonRow(uint8(lh))*t.stride:][:t.stride]
			own := t.weight[t.ownRow(ctx, uint8(lh))*t.stride:][:t.stride]
			for l := range common {
				x := math.Round((float64(common[l]) + float64(own[l])) * unit)
				m.pair[at] = int16(min(max(x, -maxPair), maxPair))
				at++
			}
		}
	}
	m.fillExpPair()
	return m
}

// quantiseRow writes a shift and the weights in units, rounded.
func quantiseRow(row []int8, weight []float32) {
	top := 0.0
	for _, x := range weight {
		top = max(top, math.Abs(float64(x))*unit)
	}
	shift := 0
	for shift < maxShift && math.Round(top/float64(int(1)<<shift)) > 127 {
		shift++
	}
	row[0] = int8(shift)
	for l, x := range weight {
		q := math.Round(float64(x) * unit / float64(int(1)<<shift))
		row[l+1] = int8(min(max(q, -127), 127))
	}
}

// fillExpPair tabulates the exponentials of the pair factors.
func (m *Model) fillExpPair() {
	m.expPair = make([]float32, len(m.pair))
	var table [2*maxPair + 1]float32
	for i := range table {
		table[i] = float32(exp(float64(i-maxPair) / unit))
	}
	for i, x := range m.pair {
		m.expPair[i] = table[int(x)+maxPair]
	}
}
