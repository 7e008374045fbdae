package rest_test

import (
	"context"
	"testing"
	"time"

	"warp/internal/adapter/forge/gitea"
	"warp/internal/adapter/forge/github"
	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
	"warp/internal/testkit/forgetest"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/giteamock"
	"warp/internal/testkit/githubmock"
)

func waitForNothing(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// The dialects share this package: both speak it as the suite of all trackers wants it.
func TestDialects(t *testing.T) {
	t.Run("github", func(t *testing.T) {
		forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
			h := hub.New()
			s := githubmock.Start(t, h)
			tracker, err := github.New(github.Config{URL: s.URL, Owner: h.Owner, Name: h.Name, Token: hub.Token, Sleep: waitForNothing})
			if err != nil {
				t.Fatal(err)
			}
			return tracker, forgetest.Mock(h, s.Close)
		})
	})
	t.Run("gitea", func(t *testing.T) {
		forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
			h := hub.New()
			s := giteamock.Start(t, h)
			tracker, err := gitea.New(gitea.Config{URL: s.URL, Owner: h.Owner, Name: h.Name, Token: hub.Token, Sleep: waitForNothing})
			if err != nil {
				t.Fatal(err)
			}
			return tracker, forgetest.Mock(h, s.Close)
		})
	})
}

// Gitea answers 405 while it still finds out whether a pull request can be merged; GitHub
// answers it only where it knows that one cannot.
func TestOnlyGiteaIsAskedAgainToMerge(t *testing.T) {
	for name, want := range map[string]int{"github": 0, "gitea": 3} {
		t.Run(name, func(t *testing.T) {
			h, waits := hub.New(), 0
			config := rest.Config{Owner: h.Owner, Name: h.Name, Token: hub.Token, Sleep: func(ctx context.Context, _ time.Duration) error { waits++; return ctx.Err() }}
			var tracker forge.Tracker
			var err error
			if name == "gitea" {
				config.URL = giteamock.Start(t, h).URL
				tracker, err = gitea.New(config)
			} else {
				config.URL = githubmock.Start(t, h).URL
				tracker, err = github.New(config)
			}
			if err != nil {
				t.Fatal(err)
			}
			door := forgetest.Mock(h, func() {})
			door.Branch(t, "work")
			p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "t", Head: "work", Base: "main"})
			if err != nil {
				t.Fatal(err)
			}
			door.Clash(t, p.Number)
			if err := tracker.MergePull(t.Context(), p.Number, forge.Merge{}); forge.ReasonOf(err) != forge.Conflict || waits != want {
				t.Errorf("it was asked again %d times, and not %d: %v", waits, want, err)
			}
		})
	}
}
