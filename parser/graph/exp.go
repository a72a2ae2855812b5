package graph

// Exp returns e^x for |x| < 700, with the same bits on every machine: no fused
// multiply-add, unlike math.Exp. Its relative error is below 1e-13.
func Exp(x float64) float64 {
	y := max(x, -x)
	k := int32(y * 1024)
	r := float64(k)/1024 - y // -1/1024 < r <= 0
	e := ExpOdds(k) * (1 + float64(r*(1+float64(r*(0.5+float64(r*(1.0/6+float64(r/24))))))))
	if x > 0 {
		return 1 / e
	}
	return e
}
