package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/livestate"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
)

// The page says by when what runs is over, as its engine tells it. A drive that was resumed
// began long ago: that is not what its time is counted from.
func TestTheTimeThatIsLeftIsTheEngines(t *testing.T) {
	p := newProject(t, false)
	p.read()
	contains(t, p.get("/"), "<dt>Time</dt><dd><small>nothing runs</small></dd>")
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 3, Issue: "7", PID: os.Getpid(), Headless: true}); err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(48 * time.Hour)
	for _, c := range []struct {
		caps livestate.Caps
		want string
	}{
		{livestate.Caps{}, "<small>no limit is set</small>"},
		{livestate.Caps{Seconds: 3600, Ends: p.now.Add(40 * time.Minute)}, `<time datetime="2026-11-16T20:40:00Z" data-until>until `},
		{livestate.Caps{Ends: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, `<time datetime="9999-01-01T00:00:00Z" data-until>until `},
	} {
		state := livestate.State{PID: os.Getpid(), Caps: c.caps, Agents: []livestate.Agent{{Agent: "claude", Role: "code", Since: p.now.Add(-10 * time.Minute), MicroUSD: 1_000_000}}}
		text, err := state.Encode()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(p.drive.Store().Dir(), filepath.FromSlash(livestate.File(drivestate.Lease)))
		gittest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		gittest.Must(t, os.WriteFile(path, text, 0o600))
		p.read()
		contains(t, p.get("/"), c.want)
		contains(t, p.get("/issue/7"), "code: claude, at work") // the run that goes on is among those over time
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        int
	}{{1, 2, 50}, {3, 2, 100}, {-1, 2, 0}, {1, 0, 0}, {1 << 62, 1 << 62, 100}, {1 << 61, 1 << 62, 50}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d is %d%%, want %d%%", c.part, c.whole, got, c.want)
		}
	}
}
