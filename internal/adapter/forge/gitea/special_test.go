package gitea

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
)

// Others' rights are shown to admins alone; whom work can be given to, to all.
func TestApprovalWithATokenOfNoAdmin(t *testing.T) {
	tracker, h, _ := fresh(t, "b0bs-t0k3n")
	h.Lock()
	h.Tokens["b0bs-t0k3n"] = "bob"
	h.Add(hub.Item{Title: "T", Author: "ada", Labels: []string{"approved"}})
	h.Add(hub.Item{Title: "T", Author: "eve", Labels: []string{"approved"}})
	h.Add(hub.Item{Title: "T", Author: "gone", Labels: []string{"approved"}})
	h.Unlock()
	for n, want := range map[int]string{1: "ada", 2: "", 3: ""} {
		if i, err := tracker.Get(t.Context(), n); err != nil || i.ApprovedBy != want {
			t.Errorf("%+v, %v", i, err)
		}
	}
}

func TestSomeoneWhoIsGoneApprovedNothing(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	h.Add(hub.Item{Title: "T", Author: "gone", Labels: []string{"approved"}})
	h.Unlock()
	if i, err := tracker.Get(t.Context(), 1); err != nil || i.ApprovedBy != "" {
		t.Errorf("%+v, %v", i, err)
	}
}

// The timeline has pages, but no header that says so.
func TestApprovalIsFoundOnLaterPages(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	i := h.Add(hub.Item{Title: "T", Author: "eve"})
	for range 60 {
		h.Mark(i, "noise", "eve", true)
		h.Mark(i, "noise", "eve", false)
	}
	h.Mark(i, "approved", "bob", true)
	h.Unlock()
	if i, err := tracker.Get(t.Context(), 1); err != nil || i.ApprovedBy != "bob" {
		t.Errorf("%+v, %v", i, err)
	}
}

// An archived label, or one of another case, is found and not made again.
func TestLabelsAreFoundWhateverTheirCase(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	for range 60 {
		h.Labels = append(h.Labels, hub.Label{ID: h.ID(), Name: strings.Repeat("x", len(h.Labels)+1)})
	}
	last := h.Label("Req")
	h.Unlock()
	i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "T", Labels: []string{"req"}})
	if err != nil || len(i.Labels) != 1 || i.Labels[0] != last.Name || len(h.Labels) != 61 {
		t.Errorf("%+v, %v", i, err)
	}
}

// The API has no history of texts: one that was changed is approved by its seal,
// which outlasts warp's own ticks.
func TestApprovalWhereEditsHaveNoAuthors(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	i := h.Add(hub.Item{Title: "T", Body: "- [ ] a\n", Author: "eve"})
	h.Rewrite(i, "- [ ] b\n", "eve")
	h.Mark(i, "approved", "bob", true)
	h.Unlock()
	approved := func(want string) {
		t.Helper()
		got, err := tracker.Get(t.Context(), 1)
		if err != nil || got.ApprovedBy != want || (want == "") != strings.HasSuffix(got.NotApproved, "to approve it as it is now, comment "+forge.Seal(got)) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	say := func(words, by string) {
		h.Lock()
		defer h.Unlock()
		h.Say(i, words, by)
	}
	seal := forge.Seal(forge.Issue{Title: "T", Body: "- [ ] b\n"})
	approved("")
	say("Fine: "+seal, "eve")
	approved("")
	say("Fine: "+seal, "bob")
	approved("bob")
	if err := tracker.Edit(t.Context(), 1, func(string) (string, error) { return "- [x] b\n", nil }); err != nil {
		t.Fatal(err)
	}
	approved("bob")
	h.Lock()
	h.Rewrite(i, "- [x] c\n", "eve")
	h.Unlock()
	approved("")
}

// An older server does not even say that a text was never changed.
func TestApprovalWhereEditsAreNotCounted(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	h.Old = true
	h.Mark(h.Add(hub.Item{Title: "T", Author: "eve"}), "approved", "bob", true)
	h.Mark(h.Add(hub.Item{Title: "T", Author: "bob"}), "approved", "bob", true)
	h.Unlock()
	for n, want := range map[int]string{1: "", 2: "bob"} {
		if got, err := tracker.Get(t.Context(), n); err != nil || got.ApprovedBy != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A branch of the same name in a fork is another person's.
func TestAPullRequestFromAForkIsNotTaken(t *testing.T) {
	tracker, h, _ := fresh(t, hub.Token)
	h.Lock()
	h.Add(hub.Item{Title: "T", Body: "<!-- m -->", Author: "eve", Pull: &hub.Pull{Head: "a", Base: "main", SHA: "x", Fork: true}})
	h.Unlock()
	for range 2 {
		if p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "a", Base: "main", Once: "<!-- m -->"}); err != nil || p.Number != 2 {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

func TestAnAddressMustBeOne(t *testing.T) {
	for _, address := range []string{"", "git.example", "ftp://git.example", "https://ada:s3cr3t@git.example", "https://%zz"} {
		if _, err := New(Config{URL: address}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestWithoutALoginTheWayToOneIsTold(t *testing.T) {
	tracker, _, _ := fresh(t, "")
	_, err := tracker.User(t.Context())
	var e *forge.Error
	if !errors.As(err, &e) || e.Reason != forge.NoLogin || !strings.Contains(e.Error(), "set GITEA_TOKEN") {
		t.Errorf("%v", err)
	}
}
