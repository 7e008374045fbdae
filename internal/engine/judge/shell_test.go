package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The shell that runs commands says what it does not take; it runs none of them.
func TestTheShellIsAsked(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	s := NewShell(os.Environ())
	for command, want := range map[string]string{
		"test -s a.txt && grep -q x b.txt": "",
		"touch " + made:                    "",
		"test -s 'a.txt":                   "cannot parse it",
		"if true; then":                    "cannot parse it",
	} {
		if have := s.WhyRefused(t.Context(), command); want == "" && have != "" || !strings.Contains(have, want) {
			t.Errorf("%s: %q", command, have)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a command was run")
	}
	// What only bash takes is refused where sh is another shell, and asked once.
	first, again := s.WhyRefused(t.Context(), "[[ -e a.txt ]]"), s.WhyRefused(t.Context(), "[[ -e b.txt ]]")
	if first != again || first != "" && !strings.Contains(first, "works only in bash") {
		t.Errorf("%q, then %q", first, again)
	}
	if have := NewShell([]string{"PATH=" + t.TempDir()}).WhyRefused(t.Context(), "true"); have != "" {
		t.Errorf("without a shell: %q", have)
	}
	for output, want := range map[string]string{"sh: 1: Syntax error: Unterminated quoted string": "Unterminated quoted string", "odd": "odd"} {
		if have := readReason(output); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	late := &OutOfTimeError{"make test"}
	if late.Error() != `out of time: "make test" was stopped before it finished` {
		t.Error(late)
	}
}
