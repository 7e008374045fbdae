package fleetcmd_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/fleetcmd"
)

// parsePlan writes files into a folder that is warp-fleet's.
func parsePlan(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TEMPORAL_ADDRESS", "TEMPORAL_API_KEY", "TEMPORAL_NAMESPACE", "TEMPORAL_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("TEMPORAL_CONFIG_FILE", filepath.Join(dir, "none.toml"))
	t.Setenv("WARP_FLEET_HOME", dir)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Wrong usage is refused before anything is connected to, and says what is right.
func TestRefusals(t *testing.T) {
	dir := parsePlan(t, map[string]string{"fleet.yaml": good})
	file := filepath.Join(dir, "fleet.yaml")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fly"}, `there is no command "fly"`},
		{[]string{"completion", "x", "y"}, `there is no command "x": see warp-fleet completion --help`},
		{[]string{"up", "a", "b"}, "usage: warp-fleet up [fleet.yaml]"},
		{[]string{"up", file, "--workers", "-1"}, "--workers must be 0 or more"},
		{[]string{"up", file, "--listen", "0.0.0.0"}, "it asks for no password"},
		{[]string{"up", file, "--heartbeat", "soon"}, "invalid argument"},
		{[]string{"worker", "x"}, "usage: warp-fleet worker"},
		{[]string{"worker"}, "--pool"},
		{[]string{"worker", "--pool", "linux", "--slots", "-1"}, "at least one slot"},
		{[]string{"worker", "--pool", "linux", "--name", "../../x"}, `"../../x" cannot be a worker's name`},
		{[]string{"status", "--fleet", "../../x"}, `"../../x" cannot be a fleet's name`},
		{[]string{"up", file, "--fleet", ""}, `"" cannot be a fleet's name`},
		{[]string{"status", "--connect", "nonsense"}, `--connect: "nonsense" is not the address of a Temporal server: write HOST:PORT`},
		{[]string{"worker", "--pool", "linux", "--connect", "host:port"}, `--connect: "host:port" is not the address`},
		{[]string{"submit", "shop#"}, `"shop#" names no issue`},
		{[]string{"submit", "a b"}, `"a b" names no repository`},
		{[]string{"status", "shop"}, "usage: warp-fleet status"},
		{[]string{"watch", "--every", "0s"}, "--every must be"},
		{[]string{"pause", "shop"}, `"shop" is not a requirement: name it as repository#issue`},
		{[]string{"resume", "#1"}, "is not a requirement"},
		{[]string{"stop"}, "name what to stop"},
		{[]string{"answer", "shop#1", "dark", "blue"}, "quote an answer of several words"},
		{[]string{"drain"}, "usage: warp-fleet drain worker..."},
		{[]string{"schedule", "at ten"}, "of a crontab entry"},
		{[]string{"schedule", "0", "22", "*", "*", "1-5"}, "quote the times"},
		{[]string{"schedule", "0 22 * * 1-5", "--zone", "Mars/Olympus"}, `"Mars/Olympus" is not a time zone`},
		{[]string{"schedule", "0 22 * * 1-5", "--remove"}, "not both"},
		{[]string{"report", "last"}, "usage: warp-fleet report"},
		{[]string{"cost", "all"}, "usage: warp-fleet cost"},
		{[]string{"doctor", "a", "b"}, "usage: warp-fleet doctor [fleet.yaml]"},
	} {
		code, said := run(c.args...)
		if code != 2 || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%q: exit %d, %s", c.args, code, said)
		}
	}
}

func run(args ...string) (int, string) {
	var out bytes.Buffer
	code := fleetcmd.Main(args, &out, &out)
	return code, out.String()
}

// What the machine lacks is said in one line, with what to do.
func TestWhatIsMissingIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := l.Addr().(*net.TCPAddr)
	nowhere := "127.0.0.1:1"
	for _, c := range []struct {
		key, want string
		args      []string
	}{
		{"", "has no key at", []string{"status"}},
		{"short", "is not a fleet's key: want 64 hexadecimal digits", []string{"submit"}},
		{strings.Repeat("0a", 32), "no Temporal server answers at " + nowhere + " (connection refused): start one with warp-fleet up", []string{"report", "--connect", nowhere}},
		{strings.Repeat("0a", 32), "no Temporal server answers", []string{"worker", "--pool", "linux", "--connect", nowhere}},
		{strings.Repeat("0a", 32), "read the API key", []string{"status", "--api-key-file", "absent"}},
		{strings.Repeat("0a", 32), "read the API key", []string{"status", "--api-key-file", os.DevNull}},
		{strings.Repeat("0a", 32), "read the fleet's key", []string{"status", "--key", os.TempDir()}},
		{strings.Repeat("0a", 32), "read Temporal's configuration", []string{"status", "--temporal-config", "absent.toml", "--connect", nowhere}},
		{strings.Repeat("0a", 32), "client cert or key path is present", []string{"status", "--tls-key", "absent.pem", "--connect", nowhere}},
		{"", "there is no absent.yaml", []string{"up", "absent.yaml"}},
		{"", "is not installed", []string{"up", "FILE", "--port", "1"}},
		{"", "is in use: choose another with --port, or use that server with --connect", []string{"up", "FILE", "--temporal", os.Args[0], "--port", strings.TrimPrefix(taken.String(), "127.0.0.1:")}},
		{"", "keep the password out of the url", []string{"lint", "SECRET"}},
	} {
		files := map[string]string{"fleet.yaml": good, "secret.yaml": strings.Replace(good, "https://", "https://ada:hunter2@", 1)}
		if c.key != "" {
			files["fleet.key"] = c.key
		}
		dir := parsePlan(t, files)
		for _, name := range []string{"PATH", "GOBIN", "GOPATH", "HOME", "XDG_CACHE_HOME"} {
			t.Setenv(name, dir)
		}
		if err := os.WriteFile(filepath.Join(dir, "warp"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(strings.NewReplacer("FILE", filepath.Join(dir, "fleet.yaml"), "SECRET", filepath.Join(dir, "secret.yaml")).Replace(strings.Join(c.args, " ")))
		code, said := run(args...)
		if code != 1 || !strings.Contains(said, c.want) || strings.Contains(said, "hunter2") {
			t.Errorf("%q: exit %d, %s", c.args, code, said)
		}
	}
	_ = l.Close()
}

func TestTheDoctorSaysWhatIsInTheWay(t *testing.T) {
	dir := parsePlan(t, map[string]string{"fleet.yaml": good, "fleet.key": strings.Repeat("0a", 32)})
	code, said := run("doctor", filepath.Join(dir, "fleet.yaml"), "--connect", "127.0.0.1:1")
	if code != 1 || !strings.Contains(said, "fleet.yaml is fine") || !strings.Contains(said, "FAIL  server: no Temporal server answers at 127.0.0.1:1") {
		t.Errorf("exit %d\n%s", code, said)
	}
}

func TestTheExamplesAreFine(t *testing.T) {
	files, err := filepath.Glob("../../../examples/fleet/*.yaml")
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if code, said := run("lint", file); code != 0 {
			t.Error(said)
		}
	}
}
