package text

import (
	"strings"
	"testing"
)

func TestValidName(t *testing.T) {
	for s, want := range map[string]bool{
		"42": true, "AC-01": true, "a.b_c-d": true, strings.Repeat("x", 80): true,
		"": false, ".hidden": false, "-rf": false, "a/b": false, "..": false, "a..b": false, "x.lock": false, "x.": false, "lock": true, "a b": false,
		"a\nb": false, "ä": false, "x$(id)": false, strings.Repeat("x", 81): false,
	} {
		if ValidName(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
