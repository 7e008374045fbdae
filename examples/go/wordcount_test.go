package wordcount

import (
	"maps"
	"testing"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]map[string]int{
		"":              {},
		"one two  one":  {"one": 2, "two": 1},
		"tabs\tand\nnl": {"tabs": 1, "and": 1, "nl": 1},
	} {
		if got := Count(text); !maps.Equal(got, want) {
			t.Errorf("Count(%q) = %v, want %v", text, got, want)
		}
	}
}
