package forge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSection(t *testing.T) {
	const body = "- [ ] a\r\n\r\nWords"
	with := SetSection(body, "plan", "1. do it\n")
	if want := body + "\n\n<!-- warp:plan -->\n1. do it\n<!-- /warp:plan -->"; with != want {
		t.Errorf("%q", with)
	}
	if got := SetSection(with+"\nmore", "plan", "2. do it"); got != body+"\n\n<!-- warp:plan -->\n2. do it\n<!-- /warp:plan -->\nmore" {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", "<!-- warp:plan -->", "<!-- /warp:plan --> <!-- warp:plan -->"} {
		if got := Section(text, "plan"); got != "" {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := SetSection("", "plan", ""); got != "" {
		t.Errorf("%q", got)
	}
}

// Whatever a body and a text say, the section is read as it was written, and
// the rest of the body stays as it is.
func TestASectionChangesNothingElse(t *testing.T) {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"<!-- warp:plan -->", "<!-- /warp:plan -->", "<!-- warp:p", "lan -->", "<!-- warp:other -->", "\n", "\r\n", "x"}))
	rapid.Check(t, func(t *rapid.T) {
		body, text := strings.Join(pieces.Draw(t, "body"), ""), strings.Join(pieces.Draw(t, "text"), "")
		alone := SetSection("", "plan", text)
		if alone == "" { // nothing is left of it: the section goes
			return
		}
		once := SetSection(body, "plan", text)
		kept := Section(once, "plan")
		if again := SetSection(once, "plan", text); again != once || kept != Section(alone, "plan") {
			t.Fatalf("%q became %q", once, again)
		}
		if !strings.Contains(text, "warp:") && kept != strings.Trim(text, "\r\n") {
			t.Fatalf("%q: %q", text, kept)
		}
		if Section(body, "plan") == "" && !strings.Contains(body, "<!-- /warp:plan -->") && kept != "" {
			if back := SetSection(once, "plan", ""); back != body {
				t.Fatalf("%q became %q", body, back)
			}
		}
	})
}

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
