package text_test

import (
	"slices"
	"testing"

	"warp/internal/core/text"
)

func TestShellWords(t *testing.T) {
	for _, c := range []struct {
		line   string
		want   []string
		simple bool
	}{
		{"", nil, true},
		{"  my-agent\t--flag  ", []string{"my-agent", "--flag"}, true},
		{`a "two words" 'and $more' ""`, []string{"a", "two words", "and $more", ""}, true},
		{`a\ b "c\"d" 'e\f' "g\h"`, []string{"a b", `c"d`, `e\f`, `g\h`}, true},
		{`never "closed`, []string{"never", "closed"}, false},
		{"a | b", nil, false},
		{"a; b", nil, false},
		{"a $(b)", nil, false},
		{"a 'b | c'", []string{"a", "b | c"}, true},
	} {
		got, simple := text.ShellWords(c.line)
		if simple != c.simple || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q, %v", c.line, got, simple, c.want, c.simple)
		}
	}
}
