package part

// Local returns the Kind of the local family of that name, and whether the
// model scores it.
func (x *Scores) Local(name string) (kind Kind, on bool) {
	for _, k := range x.local {
		if x.families[k].Name == name {
			return k, true
		}
	}
	return 0, false
}

// Locals returns how many local families the model scores.
func (x *Scores) Locals() int { return len(x.local) }

// ScoreAll leaves in scores what Score returns for each of the parts. Those
// that are new are looked up side by side, which is faster.
func (x *Scores) ScoreAll(parts []Part, scores []int32) {
	x.deferred, x.open = true, false
	for i, p := range parts {
		scores[i] = x.Score(p)
	}
	if x.deferred = false; !x.open {
		return
	}
	x.answer()
	for i, p := range parts {
		scores[i] = x.Score(p)
	}
}
