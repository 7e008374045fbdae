package page_test

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/docs/page"
)

const sample = "---\ntitle: x\n---\n# Title of `it`\n\n" +
	"There are **12** commands, see [*here*](a.md#x \"t\") and ![pic](b.png):\n\n- one\n- two\n\n" +
	"## Same\n\n## Same\n\n## Same-1\n\n## Own {#mine}\n\n" +
	"| Name | Count |\n| --- | --- |\n| `--flag` | 3 |\n\n" +
	"```sh title\nmake all\n```\n\n> ```json\n> {}\n> ```\n\n" +
	"[ref]: c.md\n[^1]: note.md\n\n<a name=\"hand\"></a> <img src='d.svg'> <a href=\"e.md\">e</a> <!-- note -->\n\n" +
	"Über `two\nlines` ü `x`\n\n    [code]: no.md\n\n[![in](f.png)](g.md)\n\n~~~\nopen\n"

func TestParse(t *testing.T) {
	p := page.Parse("x.md", sample)
	var links []string
	for _, l := range p.Links {
		if !strings.HasPrefix(sample[l.Offset:], l.Dest) {
			t.Errorf("%+v is not there", l)
		}
		links = append(links, fmt.Sprintf("%s:%v", l.Dest, l.Image))
	}
	if got := strings.Join(links, " "); got != "a.md#x:false b.png:true g.md:false f.png:true c.md:false d.svg:true e.md:false" {
		t.Error(got)
	}
	var slugs []string
	for _, h := range p.Headings {
		slugs = append(slugs, h.Slug)
	}
	if got := strings.Join(slugs, " "); got != "title-of-it same same-1 same-1-1 mine" {
		t.Error(got)
	}
	for anchor, want := range map[string]bool{"same-1": true, "hand": true, "mine": true, "Same": false} {
		if p.HasAnchor(anchor) != want {
			t.Errorf("#%s: %v", anchor, !want)
		}
	}
	if len(p.Comments) != 1 || p.Comments[0].Text != " note " || p.Front != "title: x\n"[:8] {
		t.Errorf("%+v %q", p.Comments, p.Front)
	}
	if f := p.Fences; len(f) != 3 || f[0].Lang != "sh" || f[0].Text != "make all\n" || !f[0].Closed || f[1].Text != "{}\n" || !f[1].Closed || f[2].Closed || !strings.HasPrefix(sample[f[1].At(1):], "}") {
		t.Errorf("%+v", f)
	}
}

func TestProse(t *testing.T) {
	p := page.Parse("x.md", sample)
	first := p.Prose[1]
	if first.Text != "There are 12 commands, see here and pic:" || first.Items != 2 || !strings.HasPrefix(sample[first.At(10):], "12**") {
		t.Errorf("%+v", first)
	}
	if end := first.At(len(first.Text)); sample[end-1] != ':' {
		t.Errorf("ends at %q", sample[end:])
	}
	for _, c := range p.Prose {
		if c.Text == "3" && (!c.Cell || c.Column != "Count" || c.Row[0] != "`--flag`") {
			t.Errorf("%+v", c)
		}
	}
	for _, s := range p.Spans {
		switch s.Text {
		case "--flag":
			if s.Column != "Name" || !s.First || !s.Plain {
				t.Errorf("%+v", s)
			}
		case "two lines":
			if s.Plain || strings.TrimSpace(s.After) != "ü `x`" {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestPosition(t *testing.T) {
	p := page.Parse("x.md", "a\nüb\n")
	for at, want := range map[int][2]int{0: {1, 1}, 2: {2, 1}, 4: {2, 2}, 6: {3, 1}} {
		if line, column := p.Position(at); line != want[0] || column != want[1] {
			t.Errorf("%d is at %d:%d", at, line, column)
		}
	}
	if text, begins := p.Line(4); text != "üb" || begins != 2 {
		t.Errorf("%q at %d", text, begins)
	}
}

// Anchors as GitHub makes them.
func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"What is on disk": "what-is-on-disk", "`warp`: not found": "warp-not-found", "A & B": "a--b", "C++": "c", "Über uns": "über-uns", "snake_case-x": "snake_case-x", "1. One": "1-one", "it's": "its", "日本": "日本",
	} {
		if got := page.Slug(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
