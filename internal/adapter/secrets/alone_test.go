package secrets

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// allowAll is a configuration of gitleaks under which it finds nothing.
const allowAll = "[extend]\nuseDefault = true\n[[allowlists]]\nregexes = ['''.*''']\n"

// Whatever lies in the folder or stands in the environment, the same is found; and
// nothing is printed or written. It needs its own process, since the rules are loaded
// once.
func TestNothingOutsideMatters(t *testing.T) {
	if os.Getenv("SECRETS_ALONE") != "" {
		if got := Find("ghp_" + random(36, base62)); len(got) != 1 {
			os.Exit(3)
		}
		os.Exit(0)
	}
	dir := t.TempDir()
	for _, name := range []string{".gitleaks.toml", ".gitleaksignore", "config.toml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(allowAll), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SECRETS_ALONE=1", "HOME="+dir, "TMPDIR="+dir, "GITLEAKS_CONFIG="+filepath.Join(dir, ".gitleaks.toml"), "GITLEAKS_CONFIG_TOML="+allowAll)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: it printed %q", err, out)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("%v: it left %v", err, files)
	}
}
