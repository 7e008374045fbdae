package render

import (
	"strings"
	"testing"
)

// Whatever a cell says, a row is one line.
func TestARowIsOneLine(t *testing.T) {
	var b strings.Builder
	Table(&b, [][]string{{"A", "B"}, {"one\ntwo\r\nthree\tfour", "\x1b[31mred\u202e"}, {"x", "y"}})
	want := "A                   B\none two three four  \\u001b[31mred\\u202e\nx                   y\n"
	if b.String() != want {
		t.Errorf("%q\nwant\n%q", b.String(), want)
	}
}
