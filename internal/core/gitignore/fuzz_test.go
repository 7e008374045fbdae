package gitignore

import (
	"strings"
	"testing"
)

// The block goes in once, and comes out again without a trace but for the line
// end that the last line may have lacked.
func FuzzBlock(f *testing.F) {
	for _, text := range []string{"", "\n", "a", "a\n", "a\r\nb", "a\r\nb\n", "\r", "a\n\n", ".claude/state\n", begin + "\nold\n" + end + "\nb", end, begin, strings.Join(Lines, "\n")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		with, err := Put("x", text, Lines)
		if err != nil {
			return
		}
		if again, err := Put("x", with, Lines); err != nil || again != with {
			t.Fatalf("%q: twice is not once: %v\n%q\n%q", text, err, with, again)
		}
		lines := strings.Split(with, "\n")
		for _, want := range Lines {
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
		out, err := Put("x", with, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, had, _ := cutBlock("x", text); had {
			return
		}
		if out != text && out != text+"\n" && out != text+"\r\n" {
			t.Fatalf("got %q, want %q", out, text)
		}
	})
}
