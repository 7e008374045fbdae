package render

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// What goes on in other work trees is not hidden behind the drive of this folder that is
// over; alone, that one is shown in full.
func TestWhatGoesOnComesFirst(t *testing.T) {
	now := time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC)
	over := feed.Item{Kind: feed.Drive, Name: "#1", Issue: "1", State: feed.Done, Root: "/p", Ended: now.Add(-time.Hour), Drive: turnstile.View{State: &drivestate.State{Phase: drivestate.Completed}}}
	running := feed.Item{Kind: feed.Drive, Name: "#2", Issue: "2", State: feed.Running, Root: "/p/2", Drive: turnstile.View{State: &drivestate.State{Phase: drivestate.Coding}}}
	show := func(items ...feed.Item) string {
		var b strings.Builder
		Status(&b, &feed.Feed{Project: "p", Root: "/p", Items: items}, now)
		return b.String()
	}
	if out := show(over, running); !strings.HasPrefix(out, "Unfinished in p:\n") || !strings.Contains(out, "Ended lately") || strings.Contains(out, "WARP DRIVE") {
		t.Errorf("with another that runs:\n%s", out)
	}
	document := over
	document.Name, document.Issue, document.Root = "a-document", "", "/p/3"
	if out := show(over, document, running); strings.Contains(out, "a-document") {
		t.Errorf("a session's document is listed beside its issues:\n%s", out)
	}
	if out := show(over); !strings.HasPrefix(out, "WARP DRIVE") {
		t.Errorf("alone:\n%s", out)
	}
}

// A question is open, late, or decided by its default; only the first has time left.
func TestAQuestionSaysWhetherItWaits(t *testing.T) {
	now := time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC)
	q := feed.Question{ID: "q1", Issue: "4", Text: "Red or blue?", Options: []string{"red", "blue"}, Default: "red", Deadline: now.Add(time.Minute)}
	late, taken := q, q
	late.Deadline = now.Add(-time.Minute)
	taken.Deadline, taken.Taken = late.Deadline, true
	for _, c := range []struct {
		q    feed.Question
		want string
	}{
		{q, "q1 (#4) Red or blue? [red | blue], default red, until 05:01 UTC: warp answer q1"},
		{late, "q1 (#4) Red or blue? [red | blue], default red, late since 04:59 UTC: warp answer q1"},
		{taken, "q1 (#4) Red or blue? [red | blue], the default red was taken: warp answer q1 … changes it"},
	} {
		if have := Question(c.q, now); have != c.want {
			t.Errorf("it says %q, want %q", have, c.want)
		}
	}
}
