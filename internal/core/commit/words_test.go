package commit

import (
	"regexp"
	"strings"
	"testing"
)

func TestWordsOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		"Parse mail":                                "Parse mail",
		"Parse mail, as #12 wants":                  "Parse mail, as #12 wants",
		"Fixes #12":                                 "Fixes no. 12",
		"it CLOSES: o/r#12, #13 and GH-14":          "it CLOSES: o/r no. 12, no. 13 and GH 14",
		"resolves https://git.example/o/r/issues/7": "resolves https: git.example/o/r/issues/7",
		"Implements !3":                             "Implements no. 3",
		"prefix #12":                                "prefix #12",
		"ask @ada and @org/team, a@b.example":       "ask (at)ada and (at)org/team, a@b.example",
		"@ada":                                      "(at)ada",
		"one\nWarp-Drive: #1 chunk 1/1":             "one Warp-Drive: #1 chunk 1/1",
		"a\x1b[2Jb\u202ec":                          `a\u001b[2Jb\u202ec`,
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("Fixes @a #1\n##2 !!3")
	closes := regexp.MustCompile(`(?i)(close[sd]?|fix(e[sd])?|resolve[sd]?):?\s+[\w/]*#\d`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if strings.ContainsAny(got, "\n\r\x1b") || closes.MatchString(got) && strings.Contains(got, " #") && closing.Get().MatchString(got) {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
