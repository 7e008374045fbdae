package gitea

import (
	"context"
	"testing"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/giteamock"
)

// now waits for nobody.
func now(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func fresh(t *testing.T, token string) (*Tracker, *hub.Hub, func()) {
	t.Helper()
	h := hub.New()
	s := giteamock.Start(t, h)
	tracker, err := New(Config{URL: s.URL + "/", Owner: h.Owner, Name: h.Name, Token: token, Sleep: now})
	if err != nil {
		t.Fatal(err)
	}
	return tracker, h, s.Close
}

func TestConformance(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
		tracker, h, down := fresh(t, hub.Token)
		return tracker, forgetest.Mock(h, down)
	})
}
