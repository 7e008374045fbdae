package learnings

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/learning"
)

// Of 17 ids two begin with the same digit: that digit alone names none of them.
func TestTheBeginningOfTwoIDsNamesNone(t *testing.T) {
	var text []byte
	first := map[byte]int{}
	for i := range 17 {
		l := learning.Learning{Type: learning.Insight, Lesson: fmt.Sprint("lesson ", i)}
		first[l.ID()[0]]++
		text = append(text, l.Line()...)
	}
	for digit, n := range first {
		id, err := completeID(learning.Read(text), string(digit))
		if n == 1 && (err != nil || len(id) != 12) || n > 1 && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("matches the ids of %d learnings", n))) {
			t.Errorf("%c, %d times: %q %v", digit, n, id, err)
		}
	}
}
