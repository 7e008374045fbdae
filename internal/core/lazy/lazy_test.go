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
