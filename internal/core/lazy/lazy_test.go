package lazy_test

import (
	"sync"
	"testing"

	"warp/internal/core/lazy"
)

var (
	made  int
	value = lazy.Value[int]{Make: func() int { made++; return made }}
	word  = lazy.Pattern{Text: `^\w+$`}
)

func TestAValueIsMadeOnce(t *testing.T) {
	if made != 0 {
		t.Fatal("it was made before it was wanted")
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got := value.Get(); got != 1 {
				t.Errorf("made %d times", got)
			}
		})
	}
	wait.Wait()
	if first := word.Get(); !first.MatchString("abc") || first.MatchString("a b") || first != word.Get() {
		t.Error("the pattern is another one, or compiled twice")
	}
}

func TestTable(t *testing.T) {
	sizes := lazy.Table[string, int]{{"none", 0}, {"one", 1}, {"one", 2}}
	for key, want := range map[string]struct {
		value int
		found bool
	}{"none": {0, true}, "one": {1, true}, "two": {0, false}} {
		if value, found := sizes.Find(key); value != want.value || found != want.found || sizes.Get(key) != value {
			t.Errorf("%s: %d, %v", key, value, found)
		}
	}
}
