//go:build linux

package redteam

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// columns are the ways to contain an agent, as WARP_SANDBOX names them.
var columns = []string{"bwrap", "landlock", "off"}

// TestTricks has every trick tried in every column: contained by bubblewrap, none may
// be missed. WARP_REDTEAM tries all, and writes the table of docs/explanation/security.md;
// without, a sample is tried in bubblewrap alone. REDTEAM_COLUMN=off and -run choose
// others.
func TestTricks(t *testing.T) {
	tricks, err := readTricks()
	if err != nil {
		t.Fatal(err)
	}
	whole := os.Getenv("WARP_REDTEAM") != ""
	results := &table{tricks: tricks, cells: map[string]result{}}
	t.Run("all", func(t *testing.T) {
		for _, k := range tricks {
			for _, column := range columns {
				if only := os.Getenv("REDTEAM_COLUMN"); only != "" && only != column || only == "" && !whole && (!k.sample || column != "bwrap") {
					continue
				}
				t.Run(k.class+"/"+k.name+"/"+column, func(t *testing.T) {
					t.Parallel()
					results.add(k, column, tryTrick(t, k, column))
				})
			}
		}
	})
	t.Log("\n" + results.sums())
	if whole && os.Getenv("REDTEAM_COLUMN") == "" && len(results.cells) == len(tricks)*len(columns) {
		if err := results.writeTo("../docs/explanation/security.md"); err != nil {
			t.Error(err)
		}
	}
}

func tryTrick(t *testing.T, k trick, column string) result {
	t.Helper()
	if column == "bwrap" {
		need.Tool(t, "bwrap")
	}
	for _, name := range k.needs {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("not run: %s is not installed", name)
			return result{verdict: notRun}
		}
	}
	c := newCell(t, k, column)
	verdict, bad := c.play()
	t.Logf("verdict %s\n%s", verdict, strings.Join(bad, "\n"))
	if verdict == missed && column == "bwrap" {
		t.Errorf("missed in a sandbox: exit %d\n%s", c.exit, c.said)
	} else if os.Getenv("REDTEAM_LOUD") != "" {
		t.Logf("exit %d\n%s", c.exit, c.said)
	}
	return result{verdict: verdict, bad: bad}
}

// Honest work lands in every stack, with every engine, however it is contained, and
// nothing is said against it: else the verdicts here would say nothing.
func TestHonestWorkLands(t *testing.T) {
	whole := os.Getenv("WARP_REDTEAM") != ""
	for _, stack := range stackNames {
		for _, engine := range engineNames {
			for _, column := range columns {
				if stack != "shell" && (!whole || engine != "drive") || !whole && column != "bwrap" {
					continue
				}
				t.Run(stack+"/"+engine+"/"+column, func(t *testing.T) {
					t.Parallel()
					if column == "bwrap" {
						need.Tool(t, "bwrap")
					}
					c := newCell(t, trick{stack: stack, engine: engine, work: "honest"}, column)
					verdict, bad := c.play()
					if verdict != prevented || c.exit != 0 {
						t.Errorf("honest work: %s, exit %d\n%s\n%s", verdict, c.exit, strings.Join(bad, "\n"), c.said)
					}
				})
			}
		}
	}
}
