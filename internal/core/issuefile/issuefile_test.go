package issuefile

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	const signed = "### Bob, Jr., 2026-01-02T03:04:05Z\n\n- [ ] no criterion\n"
	for _, want := range []Parts{
		{},
		{Body: "# T\n\n- [ ] a\n"},
		{Front: "---\ntitle: x\n---\n", Gap: "\n", Body: "b"},
		{Front: "\ufeff---\r\n---\r\n", Gap: "\r\n", Body: "b", Comments: "\r\n\r\n## Comments\r\n"},
		{Front: "---\n---", Body: ""},
		{Body: "b", Comments: "\n\n## Comments\n\n" + signed},
		{Body: "b\r\n", Comments: "\r\n\r\n## Comments\r\n"},
		{Body: "b", Comments: "\n## Comments\n" + signed},
		{Comments: "## Comments\n" + signed},
		{Body: "b\n\n## Comments\n\nmine, not a comment\n"},
		{Body: "b\n\n## Comments\n\n### x, soon\n"},
	} {
		text := want.Front + want.Gap + want.Body + want.Comments
		if got, err := Split(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := Split("---\ntitle: x\n"); err == nil {
		t.Error("front matter without an end was taken")
	}
}

func TestThePartsAreTheFile(t *testing.T) {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"---", "\n", "\r\n", "\ufeff", "## Comments", "### a, 2026-01-02T03:04:05Z", "x", " "}))
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, p := range pieces.Draw(t, "pieces") {
			text += p
		}
		p, err := Split(text)
		if err == nil && p.Front+p.Gap+p.Body+p.Comments != text {
			t.Fatalf("%q: %+v", text, p)
		}
	})
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: \"Read mail\"\nlabels: req\n---\n# Another\n": "Read mail",
		"---\nlabels: req\n---\n\n## From a heading ##\n":          "From a heading ##",
		"- [ ] AC-01: x\n\nThe first line\n":                       "The first line",
		"- [ ] AC-01: x\n":                                         "",
		"":                                                         "",
	} {
		p, err := Split(text)
		if got := p.Title(); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
