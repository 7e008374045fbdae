//go:build unix

package fleetlink

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/core/fleetview"
)

// program is a warp-fleet that says what it was started with.
func program(t *testing.T, script string, flags ...string) *Program {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "warp-fleet"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	p, err := Find(&app.App{Getenv: os.Getenv}, flags)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFlagsAreHandedOn(t *testing.T) {
	p := program(t, `echo "$*"; exit 3`, "--connect", "host:7233")
	if said := p.Run(t.Context(), "answer", "--", "shop#1", "two words"); said.Code != 3 || said.Text != "answer --connect host:7233 -- shop#1 two words" {
		t.Errorf("%+v", said)
	}
	if _, err := p.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "status --connect host:7233 --json") {
		t.Errorf("what the program said is not told: %v", err)
	}
}

// Each line is a view; a program that ends, or says what is not understood, is an error.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`echo '{"fleet":"'$1'","merged":1}'; echo '{"fleet":"f","merged":2}'; echo 'warp-fleet: there is no fleet' >&2; exit 1`, "watch 1, f 2, warp-fleet: there is no fleet"},
		{`echo '{"fleet":"f"}'; exit 7`, "f 0, warp-fleet watch ended with exit code 7"},
		{`echo 'Usage:'`, "reading what warp-fleet printed"},
	} {
		p := program(t, c.script)
		ctx, stop := context.WithCancel(t.Context())
		var got []string
		p.Follow(ctx, func(v fleetview.View, err error) {
			if err != nil {
				got = append(got, err.Error())
				stop()
				return
			}
			got = append(got, v.Fleet+" "+string(rune('0'+v.Merged)))
		})
		stop()
		if have := strings.Join(got, ", "); !strings.HasPrefix(have, c.want) {
			t.Errorf("%s: %s, want %s", c.script, have, c.want)
		}
	}
}
