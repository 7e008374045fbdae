package evidence

import "testing"

// A text of others reads as they wrote it; only what a tracker would act on is quoted.
func TestProse(t *testing.T) {
	for words, want := range map[string]string{
		"Plain words, with a comma (and more).":      "Plain words, with a comma (and more).",
		"Calls `Parse(a, b)` for each_word.":         "Calls `Parse(a, b)` for `each_word`.",
		"Fixes #12 (see #13), says @ada.":            "Fixes `#12` (see `#13`), says `@ada`.",
		"**Done:** it is\nbroken into lines.":        "Done: it is broken into lines.",
		"# A heading\n\n- one\n- two\n\nAnd an end.": "A heading\n\n- one\n- two\n\nAnd an end.",
		"1. first\n2. second":                        "- first\n- second",
		"one `open mark":                             "one `` ` ``open mark",
		"see https://a.invalid/x.":                   "see `https://a.invalid/x`.",
		"--- and <b>":                                "`---` and `<b>`",
		"a_b`c`":                                     "`a_b` `c`",
	} {
		if got := prose(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
