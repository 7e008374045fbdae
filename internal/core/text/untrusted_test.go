package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFence(t *testing.T) {
	const text = "a\r\n```\x1b[31m\u202eb\u200b\u2066\U000e0041\ufe0f\u3164\u2800\u00ad\xff```` é 漢\u3000字\tc"
	want := "`````untrusted\na\n```\\u001b[31m\\u202eb\\u200b\\u2066\\U000e0041\\ufe0f\\u3164\\u2800\\u00ad\\xff```` é 漢\u3000字\tc\n`````\n"
	if got := Fence(text); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if got := Fence(""); got != "```untrusted\n```\n" {
		t.Errorf("%q", got)
	}
}

// Whatever a text says, only the last line closes the fence, and nothing in
// between is hidden.
func TestNoTextClosesItsFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"`", "``````", "\n", "\r", "~~~", "x", "\u2028", "\u202e", "\x00"})).Draw(t, "pieces"), "")
		lines := strings.Split(strings.TrimSuffix(Fence(text), "\n"), "\n")
		fence := lines[len(lines)-1]
		for _, l := range lines[1 : len(lines)-1] {
			if strings.Contains(l, fence) || strings.ContainsAny(l, "\r\u2028\u202e\x00") {
				t.Fatalf("%q in %q", l, lines)
			}
		}
		if lines[0] != fence+"untrusted" || strings.Trim(fence, "`") != "" || len(fence) < 3 {
			t.Fatalf("%q", lines)
		}
	})
}

func TestALineIsOne(t *testing.T) {
	if got := VisibleLine("a\r\nb\x1b\n"); got != `a\nb\u001b\n` {
		t.Errorf("%q", got)
	}
}
