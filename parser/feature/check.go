package feature

import "fmt"

// CheckSet reports an open-addressed table that a probe could not leave: one
// whose size is no power of two, or that has no empty slot.
func CheckSet(set []uint32, name string) error {
	if len(set) == 0 {
		return nil
	}
	if len(set)&(len(set)-1) != 0 {
		return ErrDamaged(name)
	}
	for _, h := range set {
		if h == 0 {
			return nil
		}
	}
	return fmt.Errorf("model section %q has no empty slot: the model is damaged, train or fetch it again", name)
}

// ErrDamaged reports a section whose content cannot be.
func ErrDamaged(name string) error {
	return fmt.Errorf("model section %q has a wrong length: the model is damaged, train or fetch it again", name)
}
