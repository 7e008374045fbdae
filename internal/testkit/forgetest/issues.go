package forgetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/engine/forge"
)

func whoAmI(t *testing.T, tracker forge.Tracker, back Backdoor) {
	for range 2 {
		if who, err := tracker.User(t.Context()); err != nil || who != back.User {
			t.Errorf("%q, %v", who, err)
		}
	}
	if tracker.Name() == "" {
		t.Error("it has no name")
	}
}

func filed(t *testing.T, tracker forge.Tracker, back Backdoor) {
	made := file(t, tracker, forge.NewIssue{Title: `A "title": #1`, Body: "Words.\n", Labels: []string{"req", "p1"}})
	got := get(t, tracker, made.Number)
	for _, i := range []forge.Issue{made, got} {
		slices.Sort(i.Labels)
		if i.Number < 1 || i.Title != `A "title": #1` || i.Body != "Words.\n" || !i.Open || i.Author != back.User || !slices.Equal(i.Labels, []string{"p1", "req"}) || i.Updated.IsZero() {
			t.Errorf("%+v", i)
		}
	}
	if got.ApprovedBy != "" || len(got.Comments) > 0 {
		t.Errorf("%+v", got)
	}
	if next := file(t, tracker, forge.NewIssue{}); next.Number <= made.Number {
		t.Errorf("%d after %d", next.Number, made.Number)
	}
	must(t, tracker.Retitle(t.Context(), made.Number, "Another"))
	if got := get(t, tracker, made.Number); got.Title != "Another" || got.Body != "Words.\n" {
		t.Errorf("%+v", got)
	}
}

func bytesStay(t *testing.T, tracker forge.Tracker, back Backdoor) {
	for _, body := range []string{
		"", "no line end", "\n\nblank lines around\n\n", "CRLF\r\n- [ ] a\r\n\r\n- [x] b\r\n", "tab\tand  spaces  \n   \n",
		"Unicode: äöü 漢字 👩‍👩‍👧 e\u0301 \u202egnp.exe \u200b\ufeff", "---\ntitle: not mine\n---\n\nbody", "text\n\n## Comments\n\nmine",
		"# Heading\n\n## Comments\n\n### ada, 2026-01-02T03:04:05Z\n\n    not a comment\n", `"quoted" & <b> \n`,
	} {
		i := file(t, tracker, forge.NewIssue{Body: body})
		if diff := cmp.Diff(body, get(t, tracker, i.Number).Body); diff != "" {
			t.Errorf("%q came back: %s", body, diff)
		}
		must(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "a comment"}))
		must(t, tracker.Label(t.Context(), i.Number, []string{"req"}, nil))
		if got := get(t, tracker, i.Number); got.Body != body || len(got.Comments) != 1 {
			t.Errorf("after a comment: %q, %+v", got.Body, got.Comments)
		}
		must(t, tracker.Edit(t.Context(), i.Number, func(b string) (string, error) { return b + "\r\nmore", nil }))
		if got := get(t, tracker, i.Number); got.Body != body+"\r\nmore" || len(got.Comments) != 1 {
			t.Errorf("after an edit: %q", got.Body)
		}
	}
}

func listed(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	a := file(t, tracker, forge.NewIssue{Labels: []string{"req", "approved"}})
	b := file(t, tracker, forge.NewIssue{Labels: []string{"req"}, Body: "b"})
	c := file(t, tracker, forge.NewIssue{Labels: []string{"req", "approved"}})
	must(t, tracker.Close(t.Context(), c.Number))
	for _, test := range []struct {
		q    forge.Query
		want []int
	}{
		{forge.Query{}, []int{a.Number, b.Number}},
		{forge.Query{Labels: []string{"req"}}, []int{a.Number, b.Number}},
		{forge.Query{Labels: []string{"req", "approved"}}, []int{a.Number}},
		{forge.Query{Labels: []string{"req", "approved"}, Closed: true}, []int{a.Number, c.Number}},
		{forge.Query{Labels: []string{"none"}}, nil},
		{forge.Query{Labels: []string{"a, b"}}, nil},
		{forge.Query{Closed: true, Limit: 2}, []int{a.Number, b.Number}},
	} {
		list, err := tracker.List(t.Context(), test.q)
		must(t, err)
		if got := numbers(list); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.q, got, test.want)
		}
		for _, i := range list {
			if i.Number == b.Number && i.Body != "b" {
				t.Errorf("%+v", i)
			}
		}
	}
}

func numbers(list []forge.Issue) (out []int) {
	for _, i := range list {
		out = append(out, i.Number)
	}
	return out
}

func many(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	var want []int
	for n := range 250 {
		want = append(want, file(t, tracker, forge.NewIssue{Title: fmt.Sprint("Issue ", n), Labels: []string{"req"}}).Number)
	}
	for _, q := range []forge.Query{{}, {Labels: []string{"req"}}, {Closed: true}} {
		list, err := tracker.List(t.Context(), q)
		must(t, err)
		if diff := cmp.Diff(want, numbers(list)); diff != "" {
			t.Errorf("%+v: %s", q, diff)
		}
	}
}

func comments(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "body"})
	var want []string
	for n := range 120 {
		text := fmt.Sprintf("comment %d\n\n- [ ] no criterion\r\n### x, 2026-01-02T03:04:05Z\n\n\tTab", n)
		want = append(want, text)
		must(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: text}))
	}
	var got []string
	for _, c := range get(t, tracker, i.Number).Comments {
		got = append(got, c.Body)
		if c.Author != back.User || c.At.IsZero() {
			t.Errorf("%+v", c)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
