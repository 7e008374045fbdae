package local

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/criteria"
	"warp/internal/durable"
	"warp/internal/engine/forge"
)

func TestTheFileIsForPeople(t *testing.T) {
	tracker, root := fresh(t)
	i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "Parse mail", Body: "- [ ] AC-01: a\n", Labels: []string{"req", "a, b", "approved"}})
	if err != nil || i.Number != 1 {
		t.Fatalf("%+v, %v", i, err)
	}
	for _, err := range []error{tracker.Comment(t.Context(), 1, forge.NewComment{Body: "First\n\n- [ ] no criterion"}), tracker.Close(t.Context(), 1), tracker.Retitle(t.Context(), 1, `"Parse" mail`)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := `---
title: "\"Parse\" mail"
labels: req, "a, b", approved
state: closed
author: Ada Lovelace
created: 2026-01-02T03:04:06Z
updated: 2026-01-02T03:04:10Z
---

- [ ] AC-01: a


## Comments

### Ada Lovelace, 2026-01-02T03:04:07Z

    First

    - [ ] no criterion
`
	if diff := cmp.Diff(want, read(t, root, 1)); diff != "" {
		t.Error(diff)
	}
	// Those who read the whole file as Markdown see the same criteria.
	if list, err := criteria.Parse(want); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFilesWrittenByHand(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       forge.Issue
	}{
		{"a heading is the title", "# Do it\n\n- [ ] a\n", forge.Issue{Title: "Do it", Body: "# Do it\n\n- [ ] a\n", Open: true}},
		{"a later heading", "```\n# not\n```\nwords\n## Do it ##\n", forge.Issue{Title: "Do it ##", Body: "```\n# not\n```\nwords\n## Do it ##\n", Open: true}},
		{"no heading", "\nDo it\nnow\n", forge.Issue{Title: "Do it", Body: "\nDo it\nnow\n", Open: true}},
		{"nothing but space", "\n", forge.Issue{Title: "Issue 7", Body: "\n", Open: true}},
		{"a list of labels below", "---\nlabels:\n  - req\n  - 'it''s'\nTitle: x: y # z\n---\nb", forge.Issue{Title: "x: y # z", Body: "b", Open: true, Labels: []string{"req", "it's"}}},
		{"a list in brackets, CRLF", "---\r\nlabels: [req, \"p, 1\"]\r\nstate: Closed\r\n---\r\n\r\nb\r\n", forge.Issue{Title: "b", Body: "b\r\n", Labels: []string{"req", "p, 1"}}},
		{"unknown fields and remarks", "---\n# mine\nmilestone: 3\nupdated: 2026-01-02\n---\n\n# T\n", forge.Issue{Title: "T", Body: "# T\n", Open: true}},
		{"comments by hand", "# T\n\n## Comments\n\n### Bob, Jr., 2026-01-02T03:04:05Z\nhello\n    code\n\n### Eve, 2026-01-02T03:04:05+01:00\n\n\nlast", forge.Issue{Title: "T", Body: "# T", Open: true,
			Comments: []forge.Comment{{Author: "Bob, Jr.", Body: "hello\n    code"}, {Author: "Eve", Body: "\nlast"}}}},
		{"a heading of a user's own", "# T\n\n## Comments\n\nnone yet\n", forge.Issue{Title: "T", Body: "# T\n\n## Comments\n\nnone yet\n", Open: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tracker, root := fresh(t)
			write(t, root, 7, test.text)
			got, err := tracker.Get(t.Context(), 7)
			if err != nil {
				t.Fatal(err)
			}
			if c := got.Comments; len(c) > 0 && c[0].At.IsZero() {
				t.Error("a comment has no time")
			}
			for i := range got.Comments {
				got.Comments[i].At = test.want.Updated
			}
			test.want.Number, test.want.URL, test.want.Updated = 7, ".claude/issues/7.md", got.Updated
			test.want.Labels = append([]string{}, test.want.Labels...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			// Editing the body changes nothing else, and keeps what is unknown.
			if err := tracker.Edit(t.Context(), 7, func(b string) (string, error) { return strings.ToUpper(b), nil }); err != nil {
				t.Fatal(err)
			}
			at := strings.LastIndex(test.text, test.want.Body)
			want := test.text[:at] + strings.ToUpper(test.want.Body) + test.text[at+len(test.want.Body):]
			if after := read(t, root, 7); after != want && !strings.Contains(test.text, "updated:") {
				t.Errorf("%q, want %q", after, want)
			}
		})
	}
}

func TestALabelOnAFileWithoutFrontMatter(t *testing.T) {
	tracker, root := fresh(t)
	write(t, root, 3, "# Do it\n")
	if err := tracker.Label(t.Context(), 3, []string{"approved"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, 3); got != "---\nlabels: approved\n---\n\n# Do it\n" {
		t.Errorf("%q", got)
	}
	if i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "next"}); err != nil || i.Number != 4 {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestWhatCannotBeUnderstoodIsToldAndKept(t *testing.T) {
	for text, why := range map[string]string{
		"---\ntitle: x\n":                        "line 1: the front matter that begins with --- is never ended",
		"---\ntitle: x\nnonsense\n---\n":         `line 3: "nonsense" is not of the form name: value`,
		"---\nstate: open\nSTATE: closed\n---\n": "line 3: state appears twice, first on line 2",
		"---\n\nstate: done\n---\n":              `line 3: state is "done"; it must be open or closed`,
		"---\nupdated: soon\n---\n":              `line 2: updated is "soon", which is not a time`,
		"---\ntitle: \"x\n---\n":                 "line 2: title: \"x: the quotation marks do not match",
		"---\nlabels: [a, b\n---\n":              "line 2: labels: the list that begins with [ is not ended by ]",
		"---\nlabels: \"a\" b\n---\n":            `line 2: labels: a comma is missing after "a"`,
		"---\nlabels:\n- \"a\n---\n":             "line 3: \"a: the quotation marks do not match",
	} {
		tracker, root := fresh(t)
		write(t, root, 2, text)
		_, get := tracker.Get(t.Context(), 2)
		_, list := tracker.List(t.Context(), forge.Query{})
		for _, err := range []error{get, list} {
			var e *forge.Error
			if !errors.As(err, &e) || e.Reason != forge.Invalid || !strings.HasPrefix(e.Why, ".claude/issues/2.md: "+why) || e.Advice == "" {
				t.Errorf("%q: %v, want %s", text, err, why)
			}
		}
		_ = tracker.Label(t.Context(), 2, []string{"x"}, nil)
		_ = tracker.Comment(t.Context(), 2, forge.NewComment{Body: "x"})
		if got := read(t, root, 2); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Many at once get a number each, and one marker is filed once.
func TestNumbersAreGivenOnce(t *testing.T) {
	tracker, root := fresh(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	var got []int
	for n := range 8 {
		// Each has a store of its own, as each process has.
		own := New(Config{Store: durable.New(durable.Config{Dir: root + "/.claude", Now: clock()}), Now: clock()})
		group.Go(func() {
			for range 4 {
				i, err := own.Create(t.Context(), forge.NewIssue{Title: fmt.Sprint(n)})
				if err != nil {
					t.Error(err)
				}
				once, err := own.Create(t.Context(), forge.NewIssue{Title: "once", Body: "marker", Once: "marker"})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				got = append(got, i.Number, -once.Number)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 33 {
		t.Errorf("%d numbers: %v", len(got), got)
	}
	list, err := tracker.List(t.Context(), forge.Query{})
	if err != nil || len(list) != 33 {
		t.Errorf("%d issues, %v", len(list), err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("---\ntitle: x\nlabels:\n- a\n---\n\nbody\n\n## Comments\n\n### a, 2026-01-02T03:04:05Z\n\n    b\n", "---\n", "# h")
	f.Add("# T\r\n\r\n## Comments\r\n", "\n\n## Comments\n", "- [ ] a\r\n")
	f.Fuzz(func(t *testing.T, text, body, word string) {
		d, err := parse(text)
		if err != nil {
			return
		}
		if d.String() != text {
			t.Fatalf("%q came back as %q", text, d.String())
		}
		said := len(d.comments)
		if err := d.setBody(body); err != nil {
			t.Fatalf("%q in %q: %v", body, text, err)
		}
		d.head.set("title", quote(word, false))
		d.head.set("labels", join([]string{word, "x"}))
		if d.gap == "" {
			d.gap = "\n"
		}
		d.addComment("a", word, clock()())
		again, err := parse(d.String())
		if err != nil {
			t.Fatalf("%q: %v", d.String(), err)
		}
		title, errTitle := again.head.get("title")
		labels, errLabels := again.head.list("labels")
		if len(word) > 0 && (again.body != body || len(again.comments) != said+1) || errTitle != nil || errLabels != nil || title != word && utf8.ValidString(word) {
			t.Fatalf("%q: %q, %d comments, title %q (%v), labels %q (%v)", d.String(), again.body, len(again.comments), title, errTitle, labels, errLabels)
		}
	})
}
