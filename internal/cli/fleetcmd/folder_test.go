package fleetcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two fleets do not share a folder of clones, whichever of them runs.
func TestAFolderIsOneFleets(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "clones")
	for _, c := range []struct{ fleet, want string }{
		{"one", ""},
		{"two", `has the clones of the fleet "one": give this worker another --folder`},
		{"one", ""},
	} {
		switch err := claimFolder(folder, c.fleet); {
		case err == nil && c.want != "", err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.fleet, err)
		}
	}
	for _, half := range []string{"", "on", "\n"} { // of what a worker wrote that was killed
		if err := os.WriteFile(filepath.Join(folder, ".fleet"), []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := claimFolder(folder, "one"); err != nil {
			t.Errorf("%q: %v", half, err)
		}
	}
}
