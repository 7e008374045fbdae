package git

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOnlyALineThatBeginsSoIsAnError(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   false,
		"error: bad\n":                       true,
		"warning: x\nerror: bad":             true,
		"warning: an error: in the middle\n": false,
		"error:bad":                          false,
	} {
		if got := hasError(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

const unopened = "warning: could not open directory '"

func denied(rest string) bool { return rest == "Permission denied" }

func TestWhatGitSaidOfNames(t *testing.T) {
	for _, c := range []struct {
		stderr string
		want   []string
	}{
		{"", nil},
		{"something else\n", nil},
		{unopened + "a/': Permission denied", []string{"a/"}},
		{unopened + "a/': Permission denied\n" + unopened + "b/': Permission denied\n", []string{"a/", "b/"}},
		{"hint: x\n" + unopened + "a/': Permission denied\nhint: y\n" + unopened + "b/': Permission denied\nfatal\n", []string{"a/", "b/"}},
		{"hint: " + unopened + "a/': Permission denied\n", nil},                 // not at the beginning of a line
		{unopened + "a/': No such file\n", nil},                                 // not what is wanted
		{unopened + "it's': odd': Permission denied\n", []string{"it's': odd"}}, // a name that looks like an end
		{unopened + "two\nlines': Permission denied\n", []string{"two\nlines"}},
		{unopened + "': Permission denied\n", []string{""}},
		{unopened + "cut sho", nil},
		{unopened, nil},
	} {
		if got := said(c.stderr, unopened, denied); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.stderr, got, c.want)
		}
	}
}

// Names come back as they were said, whatever else is between them.
func TestNamesThatWereSaidComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z '\n]{0,6}`), 0, 5).Draw(t, "names")
		var b strings.Builder
		for _, n := range names {
			b.WriteString(rapid.SampledFrom([]string{"", "hint: x\n", "\n"}).Draw(t, "noise"))
			b.WriteString(unopened + n + "': Permission denied\n")
		}
		if got := said(b.String(), unopened, denied); !slices.Equal(got, names) {
			t.Fatalf("%q came back as %q", names, got)
		}
	})
}
