package forge

import "testing"

func TestAddMarker(t *testing.T) {
	for body, want := range map[string]string{"": "<!-- m -->", "a\r\n": "a\n\n<!-- m -->\n", "a <!-- m --> b": "a <!-- m --> b"} {
		if got := AddMarker(body, "<!-- m -->"); got != want {
			t.Errorf("%q: %q", body, got)
		}
		if got := AddMarker(body, ""); got != body {
			t.Errorf("%q: %q", body, got)
		}
	}
}
