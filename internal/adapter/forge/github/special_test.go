package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
)

func reason(t *testing.T, err error) *forge.Error {
	t.Helper()
	var e *forge.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	return e
}

func TestAMissingScopeIsNamed(t *testing.T) {
	for _, test := range []struct {
		header map[string]string
		want   string
	}{
		{map[string]string{"X-OAuth-Scopes": "gist, read:org", "X-Accepted-OAuth-Scopes": "repo, public_repo"}, "the token lacks the scope repo: run gh auth refresh -s repo"},
		{map[string]string{"X-OAuth-Scopes": "gist, repo", "X-Accepted-OAuth-Scopes": "repo"}, "the token has the scope repo; its owner needs write access to this repository"},
		{map[string]string{"X-Accepted-GitHub-Permissions": "issues=write"}, "give the token the permission issues=write"},
		{nil, "the token needs write access to issues and pull requests of this repository"},
	} {
		tracker, h, _ := fresh(t)
		h.Break(hub.Fault{Status: 403, Header: test.header})
		if e := reason(t, tracker.Close(t.Context(), 1)); e.Reason != forge.NotAllowed || e.Advice != test.want {
			t.Errorf("%+v", e)
		}
	}
}

func TestWithoutALoginTheWayToOneIsTold(t *testing.T) {
	h := hub.New()
	s := githubmock.Start(t, h)
	for token, want := range map[string]string{"": "there is no token; run gh auth login, or set GITHUB_TOKEN", "wr0ng-t0k3n": "Bad credentials"} {
		tracker, err := New(Config{URL: s.URL, Owner: h.Owner, Name: h.Name, Token: token, Sleep: now})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tracker.User(t.Context())
		if e := reason(t, err); e.Reason != forge.NoLogin || !strings.Contains(e.Error(), want) || token != "" && strings.Contains(e.Error(), token) {
			t.Errorf("%v", e)
		}
	}
	if _, err := New(Config{URL: "http://s3cr3t-t0k3n:x/%zz", Token: "s3cr3t-t0k3n"}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("%v", err)
	}
}

// The newest of many label events decides, and each person's rights are asked
// for once.
func TestApprovalIsFoundOnLaterPages(t *testing.T) {
	tracker, h, _ := fresh(t)
	h.Lock()
	for range 3 {
		i := h.Add(hub.Item{Title: "T", Author: "eve"})
		for range 120 {
			h.Mark(i, "noise", "eve", true)
			h.Mark(i, "noise", "eve", false)
		}
		h.Mark(i, "Approved", "bob", true)
	}
	h.Unlock()
	list, err := tracker.List(t.Context(), forge.Query{Labels: []string{"approved"}})
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, i := range list {
		if i.ApprovedBy != "bob" {
			t.Errorf("%+v", i)
		}
	}
	asked := 0
	for _, r := range h.Requests() {
		if strings.Contains(r, "/collaborators/bob/permission") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// A token that may not see others' rights approves nothing, and breaks nothing.
func TestRightsThatCannotBeSeenAreNone(t *testing.T) {
	tracker, h, _ := fresh(t)
	h.Lock()
	h.Add(hub.Item{Title: "T", Author: "bob", Labels: []string{"approved"}})
	h.Unlock()
	h.Break(hub.Fault{Status: 403, Path: "/permission", Body: `{"message": "Must have push access to view collaborator permission."}`})
	if i, err := tracker.Get(t.Context(), 1); err != nil || i.ApprovedBy != "" {
		t.Errorf("%+v, %v", i, err)
	}
}

// A user who writes the marker into an issue of their own keeps nothing from being
// filed.
func TestAStrangersMarkerDoesNotCount(t *testing.T) {
	tracker, h, _ := fresh(t)
	h.Lock()
	h.Add(hub.Item{Title: "T", Author: "eve", Body: "<!-- warp:1 -->"})
	h.Unlock()
	for _, labels := range [][]string{{"warp-drive"}, nil} {
		i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "Report", Body: fmt.Sprint("<!-- warp:1 -->", labels), Labels: labels, Once: "<!-- warp:1 -->"})
		if err != nil || i.Number == 1 {
			t.Errorf("%+v, %v", i, err)
		}
	}
}

// Two that open the same pull request at once have one.
func TestAPullRequestThatSomeoneElseOpensMeanwhile(t *testing.T) {
	tracker, h, _ := fresh(t)
	first, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "a", Base: "main"})
	if err != nil {
		t.Fatal(err)
	}
	h.Break(hub.Fault{Status: 200, Method: "GET", Path: "/pulls", Body: "[]", Times: 1})
	second, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "a", Base: "main"})
	if err != nil || second.Number != first.Number {
		t.Errorf("%+v, %v", second, err)
	}
	h.Break(hub.Fault{Status: 422, Method: "POST", Body: `{"message": "Validation Failed", "errors": [{"message": "No commits between main and b"}]}`})
	_, err = tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "b", Base: "main"})
	if e := reason(t, err); e.Reason != forge.Invalid || !strings.Contains(e.Why, "No commits between main and b") {
		t.Errorf("%v", e)
	}
}

func TestALabelThatSomeoneElseMakesMeanwhile(t *testing.T) {
	tracker, h, _ := fresh(t)
	h.Lock()
	h.Label("x")
	h.Unlock()
	h.Break(hub.Fault{Status: 200, Method: "GET", Path: "/labels", Body: "[]"})
	if err := tracker.MakeLabels(t.Context(), []forge.Label{{Name: "x", Color: "ededed"}}); err != nil {
		t.Error(err)
	}
	if e := reason(t, tracker.MakeLabels(t.Context(), []forge.Label{{Name: "y", Color: "red"}})); e.Reason != forge.Invalid || !strings.Contains(e.Why, "color invalid") {
		t.Errorf("%v", e)
	}
}
