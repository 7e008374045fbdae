package forgetest

import (
	"strings"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
)

// watched shows what a tracker tells of checks and reviews, where it is a hub.
func watched(t *testing.T, tracker forge.Tracker, back Backdoor) {
	w, is := tracker.(forge.PullWatcher)
	if !is || back.Hub == nil {
		return
	}
	p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "topic", Base: "main"})
	must(t, err)
	back.Hub.Lock()
	back.Hub.Checks = map[string][]hub.Check{p.Commit: {
		{ID: 1, Name: "build", Conclusion: "failure", About: "it broke", Log: "line one\nthe end"},
		{ID: 2, Name: "lint", Conclusion: "success", Log: "fine"},
		{ID: 3, Name: "slow", Log: "…"},
		{ID: 4, Name: "ci/old", Conclusion: "error", About: "no runner"},
	}}
	i := back.Hub.Item(p.Number)
	back.Hub.Judge(i, hub.Review{Author: "bob", State: "CHANGES_REQUESTED", Body: "no", Path: "a.txt", Said: "here"})
	back.Hub.Judge(i, hub.Review{Author: "eve", State: "CHANGES_REQUESTED", Body: "never"})
	back.Hub.Judge(i, hub.Review{Author: "bob", State: "COMMENTED", Body: "by the way"})
	back.Hub.Judge(i, hub.Review{Author: "ada", State: "DISMISSED"})
	back.Hub.Unlock()

	checks, err := w.Checks(t.Context(), p.Commit)
	must(t, err)
	have := map[string]forge.Verdict{}
	for _, c := range checks {
		have[c.Name] = c.Verdict
		if log, err := w.CheckLog(t.Context(), c); err != nil || c.Name == "build" && log != "" && !strings.HasSuffix(log, "the end") {
			t.Errorf("the log of %s: %q, %v", c.Name, log, err)
		}
	}
	want := map[string]forge.Verdict{"build": forge.Red, "lint": forge.Green, "slow": forge.Pending, "ci/old": forge.Red}
	for name, v := range want {
		if have[name] != v {
			t.Errorf("%s is %q, want %q", name, have[name], v)
		}
	}
	reviews, err := w.Reviews(t.Context(), p.Number)
	must(t, err)
	objections := forge.Objections(reviews)
	if len(reviews) != 4 || len(objections) != 2 || objections[0].Author != "bob" || len(objections[0].Lines) != 1 || objections[0].Lines[0].Path != "a.txt" {
		t.Errorf("%+v, objections %+v", reviews, objections)
	}
	back.Hub.Lock()
	back.Hub.Judge(i, hub.Review{Author: "bob", State: "APPROVED"})
	back.Hub.Unlock()
	reviews, err = w.Reviews(t.Context(), p.Number)
	must(t, err)
	if objections = forge.Objections(reviews); len(objections) != 1 || objections[0].Author != "eve" {
		t.Errorf("after an approval: %+v", objections)
	}
}
