package github

import (
	"context"
	"testing"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
)

// now waits for nobody.
func now(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func fresh(t *testing.T) (*Tracker, *hub.Hub, func()) {
	t.Helper()
	h := hub.New()
	s := githubmock.Start(t, h)
	tracker, err := New(Config{URL: s.URL, Owner: h.Owner, Name: h.Name, Token: hub.Token, Sleep: now})
	if err != nil {
		t.Fatal(err)
	}
	return tracker, h, s.Close
}

func TestConformance(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
		tracker, h, down := fresh(t)
		return tracker, forgetest.Mock(h, down)
	})
}
