package initcmd

import (
	"strings"
	"testing"

	"warp/internal/core/text"
)

func FuzzShellWords(f *testing.F) {
	for _, s := range []string{"warp-hook Stop", `"a b"/warp-hook 'c'`, `a\ b`, "'", "a|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, simple := text.ShellWords(quoteWord(s) + " x")
		if strings.ContainsRune(s, 0) {
			return
		}
		if !simple || len(words) != 2 || words[0] != s || words[1] != "x" {
			t.Fatalf("%q is spelled %s, which is %q (%v)", s, quoteWord(s), words, simple)
		}
	})
}
