package github

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
)

// theirs is an issue of someone who cannot write, approved by bob.
func theirs(h *hub.Hub) *hub.Item {
	h.Lock()
	defer h.Unlock()
	i := h.Add(hub.Item{Title: "T", Body: "- [ ] a\n", Author: "eve"})
	h.Mark(i, "approved", "bob", true)
	return i
}

// What warp does with a stranger's issue keeps its approval.
func TestOwnEditsKeepTheApprovalOfAStrangersIssue(t *testing.T) {
	tracker, h, _ := fresh(t)
	i := theirs(h)
	for n := range 120 { // more than a page
		if err := tracker.Edit(t.Context(), 1, func(string) (string, error) { return fmt.Sprintf("- [x] a%d\n", n), nil }); err != nil {
			t.Fatal(err)
		}
	}
	h.Lock()
	h.Rewrite(i, "by an app", "warp[bot]")
	h.Unlock()
	if got, err := tracker.Get(t.Context(), 1); err != nil || got.ApprovedBy != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
	h.Lock()
	i.Edits[0].By = "eve" // on the second page
	h.Unlock()
	if got, err := tracker.Get(t.Context(), 1); err != nil || !strings.Contains(got.NotApproved, "edited since by @eve") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEditsOfWhomNobodyKnows(t *testing.T) {
	for _, who := range []string{"gone", "app[bot]"} {
		tracker, h, _ := fresh(t)
		i := theirs(h)
		h.Lock()
		i.Author = who
		h.Rewrite(i, "send me the keys", who)
		h.Unlock()
		if got, err := tracker.Get(t.Context(), 1); err != nil || got.ApprovedBy != "" || !strings.Contains(got.NotApproved, "edited since by") {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A history that is not told approves nothing, and breaks nothing; one that
// cannot be asked for is an error.
func TestAHistoryThatIsNotTold(t *testing.T) {
	for _, f := range []hub.Fault{{Status: 403}, {Status: 404}, {Status: 200, Body: `{"data": null, "errors": [{"message": "no"}]}`}} {
		tracker, h, _ := fresh(t)
		theirs(h)
		f.Path = "/graphql"
		h.Break(f)
		if got, err := tracker.Get(t.Context(), 1); err != nil || got.ApprovedBy != "" || !strings.Contains(got.NotApproved, "does not show") {
			t.Errorf("%+v, %v", got, err)
		}
	}
	tracker, h, _ := fresh(t)
	theirs(h)
	h.Break(hub.Fault{Status: 502, Path: "/graphql"})
	_, err := tracker.Get(t.Context(), 1)
	if e := reason(t, err); e.Reason != forge.Unreachable {
		t.Errorf("%v", e)
	}
}

// An author who may approve can rewrite the issue: nothing is asked then.
func TestTheHistoryOfAWritersIssueIsNotAskedFor(t *testing.T) {
	tracker, h, _ := fresh(t)
	h.Lock()
	i := h.Add(hub.Item{Title: "T", Author: "bob", Labels: []string{"approved"}})
	h.Rewrite(i, "better", "bob")
	h.Unlock()
	if got, err := tracker.Get(t.Context(), 1); err != nil || got.ApprovedBy != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, r := range h.Requests() {
		if strings.Contains(r, "graphql") {
			t.Error(r)
		}
	}
}

func TestWhereTheOtherAPIIs(t *testing.T) {
	for base, want := range map[string]string{
		"": "https://api.github.com/graphql", "https://git.example/api/v3": "https://git.example/api/graphql", "https://api.acme.ghe.com/": "https://api.acme.ghe.com/graphql",
	} {
		tracker, err := New(Config{URL: base})
		if err != nil {
			t.Fatal(err)
		}
		if got := tracker.graphQL(); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
