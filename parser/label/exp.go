package label

// unit is the number of score units in one nat.
const unit = 64

// Scores more than dropUnits below the best are given probability 0.
const dropUnits = 64*unit - 1

var (
	expHigh = expTable(1)    // e^-i
	expLow  = expTable(unit) // e^(-i/unit)
)

// expTable returns e^(-i/parts) for i in 0..63.
func expTable(parts float64) (t [64]float64) {
	for i := range t {
		t[i] = exp(-float64(i) / parts)
	}
	return t
}

// expUnits returns e^(-k/unit) for k >= 0.
func expUnits(k int32) float64 {
	if k > dropUnits {
		return 0
	}
	return expHigh[k/unit] * expLow[k%unit]
}

const ln2 = 0.693147180559945309417232121458

// exp is e^x for |x| < 700, with the same bits on every machine: no fused
// multiply-add and no assembly, unlike math.Exp. Its relative error is below
// 1e-14.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	k := int(x / ln2)
	r := x - float64(float64(k)*ln2)
	scale := 1.0
	base := 2.0
	e := k
	if e < 0 {
		e, base = -e, 0.5
	}
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			scale *= base
		}
		base *= base
	}
	sum := 1.0
	for i := 14; i >= 1; i-- {
		sum = float64(sum*r)/float64(i) + 1
	}
	return sum * scale
}
