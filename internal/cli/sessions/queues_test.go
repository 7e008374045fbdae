package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/beads"
	"warp/internal/adapter/forge/gitea"
	"warp/internal/adapter/forge/github"
	"warp/internal/adapter/forge/local"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/giteamock"
	"warp/internal/testkit/githubmock"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
)

var (
	night = sessionstate.Holder{Session: "night", Place: "ab12cd34"}
	day   = sessionstate.Holder{Session: "day", Place: "ab12cd34"}
)

// source is a queue with two items, as each session sees it.
type source func(sessionstate.Holder) session.Queue

func inWork(t *testing.T) source {
	store := durable.New(durable.Config{Dir: filepath.Join(t.TempDir(), ".claude"), Now: time.Now})
	doc := durable.Open(store, workqueue.File, turnstile.QueueKind)
	if _, err := doc.Update(func(tx *durable.Tx[workqueue.Queue]) error {
		tx.Doc = &workqueue.Queue{Version: workqueue.Version}
		tx.Doc.Add(workqueue.Found{Title: "one"})
		tx.Doc.Add(workqueue.Found{Title: "two"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return func(by sessionstate.Holder) session.Queue {
		return workQueue{&step.Document[workqueue.Queue]{Doc: doc, Remark: t.Logf}, by}
	}
}

func inBeads(t *testing.T) source {
	t.Setenv("PATH", need.Beads(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("BEADS_NO_DAEMON", "1")
	dir := t.TempDir()
	script := `git init -q && git config user.name t && git config user.email t@example.invalid && bd init --prefix demo --quiet &&
		bd create one -d d --json && bd create two -d d --json && bd create three -d d -l pipeline/other --json`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(by sessionstate.Holder) session.Queue {
		return beadsQueue{beads.New(beads.Options{Dir: dir, Actor: by.String()}), by}
	}
}

func inTracker(open func(t *testing.T) forge.Tracker) func(*testing.T) source {
	return func(t *testing.T) source {
		tracker := open(t)
		for _, body := range []string{"one", "", "another label"} {
			label := "chore"
			if body == "another label" {
				label = "x"
			}
			if _, err := tracker.Create(t.Context(), forge.NewIssue{Title: "Item " + body, Body: body, Labels: []string{label}}); err != nil {
				t.Fatal(err)
			}
		}
		return func(by sessionstate.Holder) session.Queue { return issueQueue{tracker, "chore", by} }
	}
}

// TestQueuesHoldTheSamePromises is what every queue does with claims.
func TestQueuesHoldTheSamePromises(t *testing.T) {
	for name, open := range map[string]func(*testing.T) source{
		"work": inWork, "beads": inBeads, "issues in files": inTracker(openLocal), "issues on GitHub": inTracker(openGitHub), "issues on Gitea": inTracker(openGitea),
	} {
		t.Run(name, func(t *testing.T) { promises(t, open(t)) })
	}
}

func promises(t *testing.T, open source) {
	ctx := t.Context()
	mine, theirs := open(night), open(day)
	ready := func(q session.Queue, want int) []session.Item {
		t.Helper()
		list, _, err := q.Ready(ctx)
		if err != nil || len(list) != want {
			t.Fatalf("ready: %v, %v; want %d", list, err, want)
		}
		return list
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	item := ready(mine, 2)[0]
	for range 2 { // a claim can be made again
		must(mine.Claim(ctx, item.ID))
	}
	refused(t, theirs.Claim(ctx, item.ID), item.ID, night.String())
	must(theirs.Release(ctx, item.ID)) // which is not theirs
	claims, err := theirs.Claims(ctx)
	if err != nil || len(claims) != 1 || claims[0].ID != item.ID || claims[0].By != night {
		t.Errorf("claims: %+v, %v", claims, err)
	}
	ready(mine, 1)
	ready(theirs, 1)
	must(mine.Release(ctx, item.ID))
	again := ready(theirs, 2)
	if fmt.Sprint(again[0]) != fmt.Sprint(item) {
		t.Errorf("given back it is %v, and was %v", again[0], item)
	}
	must(theirs.Claim(ctx, item.ID))
	for range 2 {
		must(theirs.Close(ctx, item.ID, "done"))
	}
	refused(t, mine.Claim(ctx, item.ID), item.ID, "")
	must(theirs.Release(ctx, item.ID))
	left := ready(mine, 1)
	if left[0].ID == item.ID {
		t.Error("what was closed is open again")
	}
	// One that was removed meanwhile is nobody's, and keeps nobody from anything.
	refused(t, mine.Claim(ctx, missingItem(item.ID)), missingItem(item.ID), "")
	must(mine.Release(ctx, missingItem(item.ID)))
	if claims, err := mine.Claims(ctx); err != nil || len(claims) != 0 {
		t.Errorf("claims: %v, %v", claims, err)
	}
}

// missingItem is an id that there is no item for, written as the queue writes them.
func missingItem(id string) string {
	if _, err := strconv.Atoi(id); err == nil {
		return "999"
	}
	kind, _, _ := strings.Cut(id, "-")
	return kind + "-999"
}

func refused(t *testing.T, err error, id, by string) {
	t.Helper()
	var taken *session.ClaimedError
	if !errors.As(err, &taken) || taken.ID != id || by != "" && taken.By != by {
		t.Errorf("claimed by another: %v", err)
	}
}

// Beads with the session's label are its own, and first; those of another session are
// left to it.
func TestBeadsAreFoundByTheSessionsLabel(t *testing.T) {
	open := inBeads(t)
	titles := func(by sessionstate.Holder) string {
		list, _, err := open(by).Ready(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, i := range list {
			all = append(all, i.Title)
		}
		return strings.Join(all, " ")
	}
	if got := titles(sessionstate.Holder{Session: "other", Place: "p"}); !strings.HasPrefix(got, "three ") || len(strings.Fields(got)) != 3 {
		t.Errorf("the session of the label: %s", got)
	}
	if got := titles(night); strings.Contains(got, "three") || len(strings.Fields(got)) != 2 {
		t.Errorf("another session: %s", got)
	}
}

func openLocal(t *testing.T) forge.Tracker {
	store := durable.New(durable.Config{Dir: filepath.Join(t.TempDir(), ".claude"), Now: time.Now})
	return local.New(local.Config{Store: store, User: "ada"})
}

func openGitHub(t *testing.T) forge.Tracker {
	h := hub.New()
	tracker, err := github.New(github.Config{URL: githubmock.Start(t, h).URL, Owner: h.Owner, Name: h.Name, Token: hub.Token})
	if err != nil {
		t.Fatal(err)
	}
	return tracker
}

func openGitea(t *testing.T) forge.Tracker {
	h := hub.New()
	tracker, err := gitea.New(gitea.Config{URL: giteamock.Start(t, h).URL, Owner: h.Owner, Name: h.Name, Token: hub.Token})
	if err != nil {
		t.Fatal(err)
	}
	if err := tracker.MakeLabels(t.Context(), []forge.Label{{Name: "chore"}, {Name: "x"}}); err != nil {
		t.Fatal(err)
	}
	return tracker
}
