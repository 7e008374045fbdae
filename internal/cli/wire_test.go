package cli

import (
	"io"
	"testing"

	"warp/internal/cli/app"
)

func TestEveryCommandIsFoundByItsName(t *testing.T) {
	a := &app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	for _, c := range commands {
		if got := named(a, []string{c.name}); len(got) != 1 || got[0].Name() != c.name {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := named(a, []string{"help", "state"}); len(got) != len(commands) {
		t.Errorf("help sees %d of %d commands", len(got), len(commands))
	}
}
