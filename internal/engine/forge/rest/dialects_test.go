package rest_test

import (
	"context"
	"testing"
	"time"

	"warp/internal/adapter/forge/gitea"
	"warp/internal/adapter/forge/github"
	"warp/internal/engine/forge"
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
