package fleetcmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/fleetcmd"
)

const good = `
repositories:
  - {url: https://example.invalid/acme/shop.git, at_once: 8}
  - {url: https://example.invalid/acme/docs.git}
pools: [{label: linux, slots: 2, accounts: [max]}]
accounts: [{name: max}]
`

func TestFleet(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fine, broken := write("fleet.yaml", good), write("broken.yaml", strings.Replace(good, "slots: 2", "slots: 0", 1))
	unpriced := write("unpriced.yaml", strings.Replace(good, "{name: max}", "{name: max, agent: command}", 1)+"caps: {night: 5}\n")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"lint " + fine, 0, "fine: 2 repositories, 1 pool, 1 account"},
		{"lint " + broken, 1, "broken.yaml:5:31: slots must be 1 or more, not 0"},
		{"lint " + unpriced, 3, "unpriced.yaml:6:31: warning: agent \"command\" reports no prices"},
		{"lint", 2, "name one fleet.yaml: warp-fleet lint fleet.yaml"},
		{"lint " + filepath.Join(dir, "absent"), 1, "absent: write one (warp-fleet --help shows how), or name another file"},
		{"simulate " + fine + " --requirements 200 --workers 5 --begin 2026-03-02T22:00", 0, "next bottleneck"},
		{"simulate " + fine + " --requirements 20 --json", 0, `"Bottleneck": "`},
		{"simulate " + fine + " --requirements 20 --plot " + filepath.Join(dir, "night.svg"), 0, "next bottleneck"},
		{"simulate " + fine + " --requirements 20 --plot " + filepath.Join(fine, "night.svg"), 1, "write the plot"},
		{"simulate " + fine + " --cost Inf", 2, "--cost from 0 to 1000000"},
		{"simulate " + fine + " --agent soon", 2, `--agent: "soon" is not a distribution`},
		{"simulate " + fine + " --fail 2", 2, "--fail must be from 0 to 1, not 2"},
		{"simulate " + fine + " --fail NaN", 2, "--fail must be from 0 to 1, not NaN"},
		{"simulate " + fine + " --cost NaN", 2, "at least 0"},
		{"simulate " + fine + " --tries 0", 2, "must be at least 1"},
		{"simulate " + fine + " --window -1h", 2, "at least 0"},
		{"simulate " + fine + " --fail 1 --requirements 5", 0, "% busy\nidle"},
		{"simulate " + fine + " --workers 0", 2, "--requirements, --workers and --tries must be at least 1"},
		{"simulate " + fine + " --begin tonight", 2, "--begin looks like"},
		{"simulate " + broken, 1, "slots must be"},
		{"simulate " + fine + " --nonsense", 2, "unknown flag"},
	} {
		var out bytes.Buffer
		code := fleetcmd.Main(strings.Fields(c.args), &out, &out)
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %d, %s", c.args, code, &out)
		}
	}
	picture, err := os.ReadFile(filepath.Join(dir, "night.svg"))
	if err != nil || !strings.HasPrefix(string(picture), "<svg ") || !strings.Contains(string(picture), "merged") {
		t.Errorf("the plot: %v\n%s", err, picture)
	}
}

func TestAgentsDecideNothing(t *testing.T) {
	t.Setenv("WARP_FLEET_HOME", t.TempDir()) // without a key, nothing is dialled
	for _, c := range []struct {
		role, args string
		refused    bool
	}{
		{"coder", "answer shop#1 yes", true},
		{"coder", "submit", true},
		{"coder", "up", true},
		{"coder", "status", false},
	} {
		t.Setenv("WARP_ROLE", c.role)
		var out bytes.Buffer
		code := fleetcmd.Main(strings.Fields(c.args), &out, &out)
		if code == 0 || strings.Contains(out.String(), "a person's decision") != c.refused {
			t.Errorf("%s: %d, %s", c.args, code, &out)
		}
	}
}
