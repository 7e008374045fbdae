package initcmd

import (
	"strings"
	"testing"
)

// The block goes in once, and comes out again without a trace but for the line
// end that the last line may have lacked.
func FuzzIgnoreBlock(f *testing.F) {
	for _, text := range []string{"", "\n", "a", "a\n", "a\r\nb", "a\r\nb\n", "\r", "a\n\n", ".claude/state\n", blockBegin + "\nold\n" + blockEnd + "\nb", blockEnd, blockBegin, strings.Join(ignored, "\n")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		with, err := ignoreBlock(text, true)
		if err != nil {
			return
		}
		if again, err := ignoreBlock(with, true); err != nil || again != with {
			t.Fatalf("%q: twice is not once: %v\n%q\n%q", text, err, with, again)
		}
		lines := strings.Split(with, "\n")
		for _, want := range ignored {
			n := 0
			for _, l := range lines {
				if pattern(l) == pattern(want) {
					n++
				}
			}
			if n == 0 {
				t.Fatalf("%q: %s is missing", with, want)
			}
		}
		out, err := ignoreBlock(with, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, had, _ := cutBlock(text); had {
			return
		}
		if out != text && out != text+"\n" && out != text+"\r\n" {
			t.Fatalf("got %q, want %q", out, text)
		}
	})
}

func FuzzShellWords(f *testing.F) {
	for _, s := range []string{"warp-hook Stop", `"a b"/warp-hook 'c'`, `a\ b`, "'", "a|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, simple := shellWords(quoteWord(s) + " x")
		if strings.ContainsRune(s, 0) {
			return
		}
		if !simple || len(words) != 2 || words[0] != s || words[1] != "x" {
			t.Fatalf("%q is spelled %s, which is %q (%v)", s, quoteWord(s), words, simple)
		}
	})
}
