package cli

import (
	"io"
	"testing"

	"warp/internal/cli/app"
)

func TestEveryCommandIsFoundByItsName(t *testing.T) {
	a := &app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	for _, c := range commands {
		if got := selectCommands(a, []string{c.Name}, nil); len(got) != 1 || got[0].Name() != c.Name {
			t.Errorf("%s: %v", c.Name, got)
		}
	}
	if got := selectCommands(a, []string{"help"}, nil); len(got) != len(commands) {
		t.Errorf("help sees %d of %d commands", len(got), len(commands))
	}
	if got := selectCommands(a, []string{"help", "state"}, nil); len(got) != 1 || got[0].Name() != "state" {
		t.Errorf("help for one command makes %d", len(got))
	}
}
