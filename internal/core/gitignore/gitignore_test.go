package gitignore_test

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/gitignore"
)

// In git's info/exclude patterns begin at the top of the work tree, and a line that
// keeps something would show what others exclude.
func TestEverywhere(t *testing.T) {
	lines := gitignore.Everywhere()
	if !slices.Contains(lines, "**/.claude/state/") || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "!") || !strings.HasPrefix(l, "**/") }) {
		t.Errorf("%q", lines)
	}
}

func TestABlockIsFound(t *testing.T) {
	text, err := gitignore.Put(".gitignore", "mine\n", gitignore.Lines)
	if err != nil || !gitignore.Has(text) || gitignore.Has("mine\n") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, broken := range []string{"# warp-drive\n# warp-drive\n", "# warp-drive\na\n", "# warp-drive end\n"} {
		if _, err := gitignore.Put(".gitignore", broken, gitignore.Lines); err == nil || !strings.HasPrefix(err.Error(), ".gitignore: ") || !gitignore.Has(broken) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}

// A user who ignores the whole folder ignores what warp wants to be committed.
func TestTheWholeFolderIsIgnored(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a\n.claude\n": 2, "/.claude/\n": 1, "**/.claude\nx": 1, ".claude/*\n": 1, ".claude\n!.claude\n": 0, ".claude/state/\n": 0} {
		if got := gitignore.IgnoresAll(text); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
