package commit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestConventionalMessages(t *testing.T) {
	for _, m := range []string{
		"feat: add parser", "fix(core): mend it", "feat(api)!: break it", "chore!: drop", "docs(a-b, c): text",
		"revert: feat: add parser", "wip: #42 aborted", "Merge branch 'main'", "Revert \"feat: x\"", "feat: é\n\nbody: text", "\n feat: leading\n",
	} {
		if why := Check(m); why != "" {
			t.Errorf("%q: %s", m, why)
		}
	}
}

func TestOtherMessages(t *testing.T) {
	for m, want := range map[string]string{
		"":                   "empty",
		"  \n ":              "empty",
		"add parser":         "does not begin with a type",
		"Feat: x":            `"Feat" is not a type`,
		"feature: x":         `"feature" is not a type`,
		"feat:x":             "followed by ': '",
		"feat: ":             "followed by ': '",
		"feat:":              "followed by ': '",
		"feat(: x":           "scope",
		"feat(): x":          "scope",
		"feat(a: x":          "scope",
		"feat(a)b: x":        "scope",
		"feat((a)): x":       "scope",
		"http://example.org": `"http" is not a type`,
		" : x":               `"" is not a type`,
	} {
		if why := Check(m); !strings.Contains(why, want) {
			t.Errorf("%q: got %q, want %q", m, why, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("feat(a)!: b")
	f.Add("(:")
	f.Fuzz(func(t *testing.T, m string) {
		if why := Check(m); utf8.ValidString(m) && !utf8.ValidString(why) {
			t.Fatalf("%q: %q", m, why)
		}
	})
}
