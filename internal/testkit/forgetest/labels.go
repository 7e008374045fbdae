package forgetest

import (
	"slices"
	"testing"

	"warp/internal/engine/forge"
)

func labelled(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	i := file(t, tracker, forge.NewIssue{Labels: []string{"req"}, Body: "b"})
	must(t, tracker.MakeLabels(t.Context(), []forge.Label{{Name: "good first issue", Color: "ededed"}}))
	must(t, tracker.Label(t.Context(), i.Number, []string{"p1", "req", "good first issue"}, []string{"gone"}))
	must(t, tracker.Label(t.Context(), i.Number, []string{"p1"}, nil))
	got := get(t, tracker, i.Number)
	slices.Sort(got.Labels)
	if !slices.Equal(got.Labels, []string{"good first issue", "p1", "req"}) || got.Body != "b" {
		t.Errorf("%+v", got)
	}
	must(t, tracker.Label(t.Context(), i.Number, nil, []string{"req", "good first issue", "req"}))
	if got := get(t, tracker, i.Number); !slices.Equal(got.Labels, []string{"p1"}) {
		t.Errorf("%+v", got)
	}
}

func closed(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	for range 2 {
		must(t, tracker.Close(t.Context(), i.Number))
		if got := get(t, tracker, i.Number); got.Open || got.Body != "b" {
			t.Errorf("%+v", got)
		}
	}
}

func once(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	for _, labels := range [][]string{{"warp-drive"}, nil} {
		n := forge.NewIssue{Title: "Report", Body: "Words. <!-- warp:42/1 -->", Labels: labels, Once: "<!-- warp:42/1 -->"}
		if labels == nil {
			n.Body, n.Once = "<!-- warp:43/1 -->", "<!-- warp:43/1 -->"
		}
		a := file(t, tracker, n)
		b := file(t, tracker, n)
		must(t, tracker.Close(t.Context(), a.Number))
		c := file(t, tracker, n)
		if a.Number != b.Number || a.Number != c.Number {
			t.Errorf("%d, %d, %d", a.Number, b.Number, c.Number)
		}
		n.Body, n.Once = "<!-- warp:42/2 -->", "<!-- warp:42/2 -->"
		if d := file(t, tracker, n); d.Number == a.Number {
			t.Error("another report was not filed")
		}
		n.Once = ""
		if d := file(t, tracker, n); d.Number == a.Number {
			t.Error("it was not filed")
		}
	}
}

func labelsMade(t *testing.T, tracker forge.Tracker, back Backdoor) {
	labels := []forge.Label{{Name: "warp-drive", Color: "5319e7", Description: "Made by warp"}, {Name: "Bug-Deferred", Color: "#d73a4a"}, {Name: "warp-drive", Color: "5319e7"}, {Name: "todo"}}
	for range 2 {
		must(t, tracker.MakeLabels(t.Context(), labels))
	}
	if back.Hub != nil {
		back.Hub.Lock()
		defer back.Hub.Unlock()
		if len(back.Hub.Labels) != 3 || back.Hub.Labels[0].Description != "Made by warp" {
			t.Errorf("%+v", back.Hub.Labels)
		}
	}
}

func approved(t *testing.T, tracker forge.Tracker, back Backdoor) {
	mine := file(t, tracker, forge.NewIssue{Labels: []string{"req", "approved"}})
	if got := get(t, tracker, mine.Number); got.ApprovedBy != back.User {
		t.Errorf("%q, want %q", got.ApprovedBy, back.User)
	}
	must(t, tracker.Label(t.Context(), mine.Number, nil, []string{"approved"}))
	if got := get(t, tracker, mine.Number); got.ApprovedBy != "" {
		t.Errorf("without the label: %q", got.ApprovedBy)
	}
	if back.Mark == nil {
		return
	}
	who := func(i forge.Issue) string {
		t.Helper()
		list, err := tracker.List(t.Context(), forge.Query{Labels: []string{"approved"}})
		must(t, err)
		for _, l := range list {
			if l.Number == i.Number {
				if got := get(t, tracker, i.Number).ApprovedBy; got != l.ApprovedBy {
					t.Errorf("List says %q, Get says %q", l.ApprovedBy, got)
				}
				return l.ApprovedBy
			}
		}
		t.Fatalf("issue %d is not listed", i.Number)
		return ""
	}
	theirs := file(t, tracker, forge.NewIssue{})
	back.Mark(t, theirs.Number, "approved", back.Writer)
	if got := who(theirs); got != back.Writer {
		t.Errorf("%q, want %q", got, back.Writer)
	}
	if back.Reader == "" {
		return
	}
	other := file(t, tracker, forge.NewIssue{Body: "approved by ada"})
	back.Mark(t, other.Number, "approved", back.Reader)
	if got := who(other); got != "" {
		t.Errorf("%q was taken for someone who may", got)
	}
	// The newest event counts: what a writer once approved and took back is
	// not approved by who puts the label there again.
	must(t, tracker.Label(t.Context(), theirs.Number, nil, []string{"approved"}))
	back.Mark(t, theirs.Number, "approved", back.Reader)
	if got := who(theirs); got != "" {
		t.Errorf("%q was taken for someone who may", got)
	}
}
