package record

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckKeep(t *testing.T) {
	var many []string
	for i := range MaxKeep + 1 {
		many = append(many, fmt.Sprint(i))
	}
	for _, keys := range [][]string{nil, {"a"}, {"a", "b c", "é"}, many[:MaxKeep], {strings.Repeat("a", maxKey)}} {
		if err := CheckKeep(keys); err != nil {
			t.Errorf("%.60q: %v", keys, err)
		}
	}
	for _, keys := range [][]string{{""}, {" "}, {"a,b"}, {"a", "A"}, many, {strings.Repeat("a", maxKey+1)}, {"a\n"}, {"\xFF"}} {
		if CheckKeep(keys) == nil {
			t.Errorf("%.60q was accepted", keys)
		}
	}
}
