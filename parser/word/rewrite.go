package word

// MaxRun is the length, in runes, of the longest forms that CommonRun compares:
// a word that is inflected or contracted is shorter.
const MaxRun = 256

// CommonRun returns the longest common run of runes, a[i:i+n] == b[j:j+n]. Among
// equally long runs it takes the first in a, then the first in b. n is 0 if there is
// no common run, or if a or b has more than MaxRun runes. CommonRun takes
// len(a) * len(b) steps.
func CommonRun(a, b []rune) (i, j, n int) {
	if max(len(a), len(b)) > MaxRun {
		return 0, 0, 0
	}
	var run [MaxRun + 1]int // of b[y:] and what follows x in a, then of a[x:]
	for x := len(a) - 1; x >= 0; x-- {
		best := 0
		for y := range b {
			if a[x] != b[y] {
				run[y] = 0
				continue
			}
			if run[y] = run[y+1] + 1; run[y] > run[best] {
				best = y
			}
		}
		if len(b) > 0 && run[best] > 0 && run[best] >= n {
			i, j, n = x, best, run[best]
		}
	}
	return i, j, n
}
