package forge

import "testing"

func TestMarked(t *testing.T) {
	for body, want := range map[string]string{"": "<!-- m -->", "a\r\n": "a\n\n<!-- m -->\n", "a <!-- m --> b": "a <!-- m --> b"} {
		if got := Marked(body, "<!-- m -->"); got != want {
			t.Errorf("%q: %q", body, got)
		}
		if got := Marked(body, ""); got != body {
			t.Errorf("%q: %q", body, got)
		}
	}
}
