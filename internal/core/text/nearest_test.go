package text

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"level", "agents", "max_acs_per_commit", "Tasks", "id", "levels"}
	for word, want := range map[string]string{
		"levle": "level", "LEVEL": "level", "leves": "level", "agnts": "agents", "tasks": "Tasks", "ID": "id",
		"max_acs_prr_comit": "max_acs_per_commit",
		"risks":             "", // two slips in a short word make another word
		"lev":               "", "": "", "x": "", "something_else": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := DidYouMean("levle", known) + DidYouMean("other", known); got != "; did you mean level?" {
		t.Error(got)
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "a", 0}, {"a", "b", 1}, {"ab", "ba", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"kitten", "sitting", 3}, {"abcdef", "", 6}, {"flaw", "lawn", 2},
	} {
		if got, back := slips(c.a, c.b), slips(c.b, c.a); got != c.want || back != got {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 tests", 1: "1 test", 2: "2 tests", 999: "999 tests", 1200: "1,200 tests", 1234567: "1,234,567 tests", -1200: "-1,200 tests"} {
		if got := Count(n, "test"); got != want {
			t.Error(got)
		}
	}
}
