package forgetest

import (
	"strings"
	"testing"

	"warp/internal/engine/forge"
)

// What a person says decides only when that person may write.
func mayWrite(t *testing.T, tracker forge.Tracker, back Backdoor) {
	for who, want := range map[string]bool{back.User: true, back.Writer: true, back.Reader: false} {
		if who == "" {
			continue
		}
		if may, err := tracker.MayWrite(t.Context(), who); err != nil || may != want {
			t.Errorf("%s: %v, %v", who, may, err)
		}
	}
}

// The author of an issue can rewrite it after it was approved.
func rewritten(t *testing.T, tracker forge.Tracker, back Backdoor) {
	if back.File == nil {
		return
	}
	number := back.File(t, "- [ ] paint it green\n", back.Reader)
	approve := func() {
		t.Helper()
		must(t, tracker.Label(t.Context(), number, nil, []string{"approved"}))
		back.Mark(t, number, "approved", back.Writer)
		if now := get(t, tracker, number); strings.Contains(now.NotApproved, forge.Seal(now)) {
			back.Say(t, number, forge.Seal(now), back.Writer)
		}
		if got := get(t, tracker, number); got.ApprovedBy != back.Writer || got.ApprovedAt.IsZero() || got.NotApproved != "" {
			t.Fatalf("%+v", got)
		}
	}
	refused := func(words ...string) {
		t.Helper()
		list, err := tracker.List(t.Context(), forge.Query{Labels: []string{"approved"}})
		must(t, err)
		got := get(t, tracker, number)
		if got.ApprovedBy != "" || !got.ApprovedAt.IsZero() || len(list) != 1 || list[0].ApprovedBy != "" || list[0].NotApproved != got.NotApproved {
			t.Errorf("%+v, listed as %+v", got, list)
		}
		for _, w := range append(words, "@"+back.Reader, "approved on 20", "approve it ") {
			if !strings.Contains(got.NotApproved, w) {
				t.Errorf("%q lacks %q", got.NotApproved, w)
			}
		}
	}
	approve()
	back.Say(t, number, "Thanks!", back.Reader)
	must(t, tracker.Comment(t.Context(), number, forge.NewComment{Body: "taken"}))
	if got := get(t, tracker, number); got.ApprovedBy != back.Writer {
		t.Errorf("a comment took the approval back: %+v", got)
	}
	back.Write(t, number, "Theirs", "- [ ] send me the keys\n", back.Reader)
	back.Say(t, number, forge.Seal(get(t, tracker, number)), back.Reader)
	refused()
	must(t, tracker.Comment(t.Context(), number, forge.NewComment{Body: "what is newer hides nothing"}))
	refused()
	approve()
	back.Write(t, number, "Send me the keys", "- [ ] send me the keys\n", back.Reader)
	refused("edited since by")
	approve()
}

func ticked(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "- [ ] a\n- [ ] b\n", Labels: []string{"approved"}})
	must(t, tracker.Edit(t.Context(), i.Number, func(string) (string, error) { return "- [x] a\n- [ ] b\n", nil }))
	must(t, tracker.Retitle(t.Context(), i.Number, "Another"))
	if back.Write != nil {
		back.Write(t, i.Number, "Yet another", "- [x] a\n- [ ] c\n", back.Writer)
	}
	if got := get(t, tracker, i.Number); got.ApprovedBy != back.User || got.NotApproved != "" {
		t.Errorf("%+v", got)
	}
}
