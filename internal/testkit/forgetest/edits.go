package forgetest

import (
	"errors"
	"fmt"
	"testing"

	"warp/internal/engine/forge"
)

func edited(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	i := file(t, tracker, forge.NewIssue{Title: "T", Body: "- [ ] a\n", Labels: []string{"req"}})
	must(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "hello"}))
	must(t, tracker.Edit(t.Context(), i.Number, func(body string) (string, error) {
		if body != "- [ ] a\n" {
			t.Errorf("asked with %q", body)
		}
		return "- [x] a\n", nil
	}))
	if got := get(t, tracker, i.Number); got.Body != "- [x] a\n" || got.Title != "T" || len(got.Labels) != 1 || len(got.Comments) != 1 || !got.Open {
		t.Errorf("%+v", got)
	}
}

func notOverwritten(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "one"})
	times := 0
	must(t, tracker.Edit(t.Context(), i.Number, func(body string) (string, error) {
		if times++; times <= 2 {
			back.SetBody(t, i.Number, body+fmt.Sprint(" another", times))
		}
		return body + " mine", nil
	}))
	if got := get(t, tracker, i.Number); got.Body != "one another1 another2 mine" {
		t.Errorf("%q", got.Body)
	}
}

func giveUp(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	times := 0
	err := tracker.Edit(t.Context(), i.Number, func(body string) (string, error) {
		times++
		if times > 20 {
			t.Fatal("it never gives up")
		}
		back.SetBody(t, i.Number, fmt.Sprint("theirs ", times))
		return "mine", nil
	})
	wants(t, err, forge.Conflict)
	if got := get(t, tracker, i.Number); got.Body != fmt.Sprint("theirs ", times) {
		t.Errorf("%q was overwritten", got.Body)
	}
}

func refused(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	before := get(t, tracker, i.Number).Updated
	no := errors.New("no")
	if err := tracker.Edit(t.Context(), i.Number, func(string) (string, error) { return "c", no }); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	must(t, tracker.Edit(t.Context(), i.Number, func(body string) (string, error) { return body, nil }))
	if got := get(t, tracker, i.Number); got.Body != "b" || !got.Updated.Equal(before) {
		t.Errorf("%+v", got)
	}
}

func notFound(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	ctx := t.Context()
	file(t, tracker, forge.NewIssue{})
	_, err := tracker.Get(ctx, 4711)
	wants(t, err, forge.NotFound)
	for _, err := range []error{
		tracker.Edit(ctx, 4711, func(string) (string, error) { t.Error("asked"); return "", nil }),
		tracker.Retitle(ctx, 4711, "x"), tracker.Label(ctx, 4711, []string{"a"}, nil), tracker.Label(ctx, 4711, nil, []string{"a"}),
		tracker.Comment(ctx, 4711, forge.NewComment{Body: "x"}), tracker.Comment(ctx, 4711, forge.NewComment{Body: "x", Once: "x"}), tracker.Close(ctx, 4711), tracker.MergePull(ctx, 4711, forge.Merge{}),
	} {
		wants(t, err, forge.NotFound)
	}
	_, err = tracker.Create(ctx, forge.NewIssue{Title: " "})
	wants(t, err, forge.Invalid)
}

func pulls(t *testing.T, tracker forge.Tracker, back Backdoor) {
	commit := back.Branch(t, "feature/x")
	n := forge.NewPull{Title: "Do it", Body: "Closes #1", Head: "feature/x", Base: "main"}
	find := func(want int) {
		t.Helper()
		p, err := tracker.FindPull(t.Context(), "feature/x", "main")
		if err != nil || p.Number != want || want > 0 && (!p.Open || p.Head != "feature/x" || p.Commit != commit) {
			t.Errorf("found %+v, %v; want %d", p, err, want)
		}
	}
	find(0)
	a, err := tracker.OpenPull(t.Context(), n)
	must(t, err)
	b, err := tracker.OpenPull(t.Context(), n)
	must(t, err)
	find(a.Number)
	if a.Number < 1 || a.Number != b.Number || !a.Open || a.Merged || a.Head != "feature/x" || a.Base != "main" {
		t.Errorf("%+v, %+v", a, b)
	}
	back.Branch(t, "feature/y")
	other, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "Other", Head: "feature/y", Base: "main"})
	must(t, err)
	if other.Number == a.Number {
		t.Error("two branches are one pull request")
	}
	state := func(open, merged bool) {
		t.Helper()
		p, err := tracker.Pull(t.Context(), a.Number)
		if err != nil || p.Number != a.Number || p.Head != "feature/x" || p.Base != "main" || p.URL == "" || p.Commit != commit || p.Open != open || p.Merged != merged {
			t.Errorf("%+v, %v", p, err)
		}
	}
	state(true, false)
	for range 2 {
		must(t, tracker.MergePull(t.Context(), a.Number, forge.Merge{Method: "squash", Head: commit}))
	}
	state(false, true)
	_, err = tracker.Pull(t.Context(), 4711)
	wants(t, err, forge.NotFound)
}

func moved(t *testing.T, tracker forge.Tracker, back Backdoor) {
	back.Branch(t, "feature/x")
	p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "Do it", Head: "feature/x", Base: "main"})
	must(t, err)
	err = tracker.MergePull(t.Context(), p.Number, forge.Merge{Head: "0123456789012345678901234567890123456789"})
	if tracker.Name() != "local" { // there the engine merges, with git
		wants(t, err, forge.Conflict)
	}
}

func clash(t *testing.T, tracker forge.Tracker, back Backdoor) {
	if back.Clash == nil {
		return
	}
	back.Branch(t, "feature/x")
	p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "Do it", Head: "feature/x", Base: "main"})
	must(t, err)
	back.Clash(t, p.Number)
	wants(t, tracker.MergePull(t.Context(), p.Number, forge.Merge{}), forge.Conflict)
}

func pullIsNoIssue(t *testing.T, tracker forge.Tracker, back Backdoor) {
	back.Branch(t, "feature/x")
	p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "Do it", Head: "feature/x", Base: "main"})
	must(t, err)
	_, err = tracker.Get(t.Context(), p.Number)
	wants(t, err, forge.NotFound)
	list, err := tracker.List(t.Context(), forge.Query{Closed: true})
	must(t, err)
	if len(list) > 0 {
		t.Errorf("%+v", list)
	}
}
