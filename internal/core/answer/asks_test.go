package answer

import (
	"strings"
	"testing"
)

func TestAsksInProse(t *testing.T) {
	for words, want := range map[string]bool{
		"I did half. Which one do you want?":                                                true,
		"Should it follow `opts()`? Let me know which you prefer and I'll finish the work.": true,
		"**Which one?**\n\n1. the first\n2. the second\n\nPlease tell me.":                  true,
		"Is it right (or not?) I wonder.":                                                   true,
		"先にどちらを使いますか？教えてください。":                                                              true,
		"All is done.": false,
		"`a ? b : c` is gone, and so is\n```\nx ? y : z\n```":                                    false,
		"The README has a section \"Which flags were skipped?\" and https://x.invalid/?a=b now.": false,
		"Why? " + strings.Repeat("It is long ago. ", 120):                                        false,
	} {
		if Asks(words) != want {
			t.Errorf("%q: got %v", words, !want)
		}
	}
}
