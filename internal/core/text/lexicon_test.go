package text

import (
	"strings"
	"testing"
)

func TestASetHasItsWordsAndNoOthers(t *testing.T) {
	long := strings.Repeat("x", 70)
	s := WordSet{List: "for while\n loop " + long}
	for w, want := range map[string]bool{"for": true, "loop": true, long: true, "fo": false, "": false, "For": false, long + "x": false, "wh": false} {
		if s.Has(w) != want {
			t.Errorf("%q: %v", w, !want)
		}
	}
}

func TestKindsOfBytes(t *testing.T) {
	for c := range 256 {
		if got, want := IsDigit(byte(c)), strings.IndexByte("0123456789", byte(c)) >= 0; got != want {
			t.Errorf("digit %d: %v", c, got)
		}
		if got, want := IsLetter(byte(c)), c < 128 && strings.IndexByte("abcdefghijklmnopqrstuvwxyz", byte(c)|0x20) >= 0 && c >= 'A'; got != want {
			t.Errorf("letter %d: %v", c, got)
		}
		if got, want := IsWord(byte(c)), IsDigit(byte(c)) || IsLetter(byte(c)) || c == '_' || c == '$' || c > 127; got != want {
			t.Errorf("word %d: %v", c, got)
		}
	}
}
