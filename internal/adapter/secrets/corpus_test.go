package secrets

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// sample is a text, with what gitleaks 8.30.1 found in it by its own matcher (rule and
// secret), in letters turned by thirteen: sources that hold what looks like a secret
// are reported by scanners. The texts were made from the expressions of the rules.
type sample struct {
	Text  string      `json:"text"`
	Found [][2]string `json:"found"`
}

func TestTheSameIsFoundAsByGitleaks(t *testing.T) {
	file, err := os.ReadFile("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for line := range strings.Lines(string(file)) {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		for i := range s.Found {
			s.Found[i][1] = rot13(s.Found[i][1])
		}
		text := rot13(s.Text)
		var got [][2]string
		for _, f := range loadRules().find(text) {
			got = append(got, [2]string{f.rule, f.secret})
		}
		slices.SortFunc(got, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
		slices.SortFunc(s.Found, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
		if !slices.Equal(got, s.Found) {
			t.Errorf("in %q\nfound %q\nwant  %q", text, got, s.Found)
		}
		samples++
	}
	if samples < 300 {
		t.Errorf("only %d samples", samples)
	}
}

func rot13(text string) string {
	return strings.Map(func(r rune) rune {
		switch lower := r | 0x20; {
		case lower >= 'a' && lower <= 'm' && r < 128:
			return r + 13
		case lower >= 'n' && lower <= 'z' && r < 128:
			return r - 13
		}
		return r
	}, text)
}

// An expression is compiled when it is first used: one that does not compile is found
// here.
func TestAllExpressionsCompile(t *testing.T) {
	s := loadRules()
	exceptions := slices.Clone(s.Allow)
	for _, r := range s.Rules {
		if r.ID != strings.ToLower(r.ID) || r.Regex.get().NumSubexp() < r.Group {
			t.Errorf("%s: group %d of %d", r.ID, r.Group, r.Regex.get().NumSubexp())
		}
		exceptions = append(exceptions, r.Allow...)
	}
	for _, e := range exceptions {
		if e.Regex.text != "" {
			e.Regex.get()
		}
	}
	if len(s.Rules) < 200 {
		t.Errorf("only %d rules", len(s.Rules))
	}
}
