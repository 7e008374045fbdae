package forgetest

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/engine/forge"
)

func saidOnce(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "<!-- warp:1 -->"})
	want := 2
	if back.Say != nil { // a stranger's marker keeps nothing from being said
		back.Say(t, i.Number, "<!-- warp:1 -->", back.Reader)
		want++
	}
	for _, c := range []forge.NewComment{{Body: "a", Once: "<!-- warp:1 -->"}, {Body: "b", Once: "<!-- warp:1 -->"}, {Body: "c <!-- warp:2 -->", Once: "<!-- warp:2 -->"}} {
		must(t, tracker.Comment(t.Context(), i.Number, c))
	}
	got := get(t, tracker, i.Number).Comments
	if len(got) != want || !strings.HasPrefix(got[want-2].Body, "a\n\n<!-- warp:1 -->") || got[want-1].Body != "c <!-- warp:2 -->" {
		t.Errorf("%+v", got)
	}
	if back.Say != nil { // another writer's counts
		back.Say(t, i.Number, "<!-- warp:3 -->", back.Writer)
		must(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "d", Once: "<!-- warp:3 -->"}))
		if got := get(t, tracker, i.Number).Comments; len(got) != want+1 {
			t.Errorf("%+v", got)
		}
	}
}

// What people say between, and around it, stays.
func keptUpToDate(t *testing.T, tracker forge.Tracker, _ Backdoor) {
	i := file(t, tracker, forge.NewIssue{})
	say := func(c forge.NewComment) {
		t.Helper()
		must(t, tracker.Comment(t.Context(), i.Number, c))
	}
	const once = "<!-- warp:1 -->"
	say(forge.NewComment{Body: "before\n\n    code"})
	say(forge.NewComment{Body: "one", Once: once, Update: true})
	say(forge.NewComment{Body: "after\n\n## heading"})
	for range 2 {
		say(forge.NewComment{Body: "two\n\n- of\n- them", Once: once, Update: true})
	}
	say(forge.NewComment{Body: "three", Once: once})
	var got []string
	for _, c := range get(t, tracker, i.Number).Comments {
		got = append(got, c.Body)
	}
	want := []string{"before\n\n    code", "two\n\n- of\n- them\n\n" + once, "after\n\n## heading"}
	if len(got) == 3 {
		got[1] = strings.TrimSpace(got[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func openedOnce(t *testing.T, tracker forge.Tracker, back Backdoor) {
	back.Branch(t, "feature/x")
	n := forge.NewPull{Title: "Do it", Body: "Words", Head: "feature/x", Base: "main", Once: "<!-- warp:1 -->"}
	first, err := tracker.OpenPull(t.Context(), n)
	must(t, err)
	must(t, tracker.MergePull(t.Context(), first.Number, forge.Merge{}))
	again, err := tracker.OpenPull(t.Context(), n)
	must(t, err)
	if again.Number != first.Number || again.Open || !again.Merged {
		t.Errorf("%+v, then %+v", first, again)
	}
}

func pullText(t *testing.T, tracker forge.Tracker, back Backdoor) {
	back.Branch(t, "feature/x")
	n := forge.NewPull{Title: "Do it", Body: "One part\n", Head: "feature/x", Base: "main", Once: "<!-- warp:1 -->"}
	p, err := tracker.OpenPull(t.Context(), n)
	must(t, err)
	for _, c := range []struct{ theirs, body, want string }{
		{"", "One part\n", "One part"},
		{"", "Two parts\n", "Two parts"},
		{"", "Three\n\n- parts\n", "Three\n\n- parts"},
		{strings.ReplaceAll(strings.Replace(n.Text(), "One part", "Three\n\n- parts of mine", 1), "\n", "\r\n"), "Four\n", "parts of mine"},
		{"Mine\n", "Five\n", "Mine"},
	} {
		if c.theirs != "" {
			back.Pull(t, p.Number, c.theirs)
		}
		n.Body = c.body
		again, err := tracker.OpenPull(t.Context(), n)
		must(t, err)
		if got := back.Pull(t, p.Number, ""); again.Number != p.Number || !strings.Contains(got, c.want) || strings.Count(got, "<!--") > 2 {
			t.Errorf("%q after %q: %q", c.body, c.theirs, got)
		}
	}
}

func assigned(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Labels: []string{"todo"}, Assignees: []string{back.User}})
	list, err := tracker.List(t.Context(), forge.Query{Labels: []string{"todo"}})
	must(t, err)
	for _, got := range append(list, i, get(t, tracker, i.Number)) {
		if !slices.Equal(got.Assignees, []string{back.User}) {
			t.Errorf("%+v", got)
		}
	}
}
