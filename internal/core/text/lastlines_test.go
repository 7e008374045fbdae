package text

import "testing"

func TestLastLines(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""},
		{"", 0, ""},
		{"a", 1, "a"},
		{"a\n", 1, "a\n"},
		{"a\nb\nc", 3, "a\nb\nc"},
		{"a\nb\nc\n", 4, "a\nb\nc\n"},
		{"a\nb\nc", 2, "[1 line left out]\nb\nc"},
		{"a\nb\nc\n", 1, "[2 lines left out]\nc\n"},
		{"a\r\nb\r\nc\r\n", 1, "[2 lines left out]\nc\r\n"},
		{"a\n\n", 1, "[1 line left out]\n\n"},
		{"\n", 1, "\n"},
		{"\n", 0, "[1 line left out]\n"},
		{"a\nb", 0, "[2 lines left out]\n"},
		{"a\nb", -1, "[2 lines left out]\n"},
	} {
		if got := LastLines(c.text, c.n); got != c.want {
			t.Errorf("%q, %d: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
