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

// Letters keep the marks that languages put on them. A flood, and marks that would be put
// on what stands before the text, are shown as what they are.
func TestMarksAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"e\u0301tude, Vie\u0323\u0302t":               "e\u0301tude, Vie\u0323\u0302t",
		"\u0915\u094d\u0937\u093f":                    "\u0915\u094d\u0937\u093f",
		"\U0001f44d\U0001f3fd ok":                     "\U0001f44d\U0001f3fd ok",
		"\u0301a":                                     `\u0301a`,
		"a \u0301\n\u0302\t\U0001f3fd":                `a \u0301` + "\n" + `\u0302` + "\t" + `\U0001f3fd`,
		"z" + strings.Repeat("\u0317", 6) + "b\u0301": "z" + strings.Repeat("\u0317", 4) + `\u0317\u0317` + "b\u0301",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}
