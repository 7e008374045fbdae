package fleetcmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The doctor says plainly whether agents here could read the key.
func TestWhoCanReadTheKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for warp is a script")
	}
	dir := t.TempDir()
	key := filepath.Join(dir, "home", "fleet.key")
	for _, c := range []struct {
		warp  string // what it says
		warns bool
		want  string
	}{
		{"echo 'sandbox    bwrap, contained'; echo 'read-only  /usr'; echo 'empty      " + dir + "'", false, "agents: sandbox bwrap, contained: they do not see the key"},
		{"echo 'sandbox    bwrap, contained'; echo 'empty      " + dir + "'; echo 'read-only  " + filepath.Dir(key) + "'", true, "shows them " + key},
		{"echo 'warp: there is no sandbox here: it was chosen' >&2; exit 1", true, "there is no sandbox here: it was chosen; one that runs as your user can read " + key},
	} {
		warp := filepath.Join(dir, "warp")
		if err := os.WriteFile(warp, []byte("#!/bin/sh\n"+c.warp+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if f := examineAgents(t.Context(), warp, key); !f.ok || f.warns != c.warns || !strings.Contains(f.what, c.want) || c.warns != (f.cure != "") {
			t.Errorf("%s: %+v", c.warp, f)
		}
	}
}
