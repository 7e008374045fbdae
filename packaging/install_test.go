//go:build unix

package packaging

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// published serves files as releases are: below download/VERSION and latest/download.
func published(t *testing.T, files map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/releases/latest/download/")
		if !ok {
			name, ok = strings.CutPrefix(r.URL.Path, "/releases/download/"+version+"/")
		}
		text, there := files[name]
		if !ok || !there {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/releases"
}

// release is what dist has for this machine.
func release(t *testing.T) (name string, files map[string]string) {
	t.Helper()
	dir := dist(t)
	name = "warp-" + version + "-" + here() + ".tar.gz"
	return name, map[string]string{name: read(t, dir, name), "checksums.txt": read(t, dir, "checksums.txt")}
}

// install runs the installer as a person would, into a prefix that has an older warp.
func install(t *testing.T, shell, script string, env ...string) (prefix, out string, err error) {
	t.Helper()
	need.Tool(t, "curl")
	prefix = filepath.Join(t.TempDir(), "my prefix")
	if err := os.MkdirAll(filepath.Join(prefix, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(prefix, "bin/warp"), []byte("old"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(need.Tool(t, shell), script)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "WARP_") || strings.Contains(strings.ToLower(kv), "_proxy=")
	})
	cmd.Env = append(cmd.Env, append([]string{"WARP_PREFIX=" + prefix, "TMPDIR=" + t.TempDir()}, env...)...)
	text, err := cmd.CombinedOutput()
	if left, _ := filepath.Glob(filepath.Join(strings.TrimPrefix(cmd.Env[len(cmd.Env)-len(env)-1], "TMPDIR="), "*")); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
	return prefix, string(text), err
}

func TestInstallerInstallsWhatItVerified(t *testing.T) {
	_, files := release(t)
	url := published(t, files)
	for _, shell := range []string{"sh", "bash"} {
		for _, wanted := range []string{"", version} {
			prefix, out, err := install(t, shell, "../install.sh", "WARP_BASE_URL="+url, "WARP_VERSION="+wanted)
			if err != nil || !strings.HasPrefix(out, "Installed warp "+version+" for "+strings.ReplaceAll(here(), "-", "/")+" (checksum verified)\n") || !strings.HasSuffix(out, "Next, in your project:\n  warp quickstart\n") || !strings.Contains(out, `export PATH="`+prefix+`/bin:$PATH"`) {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, name := range []string{"warp", "warp-net", "warp-ui", "warp-fleet", "warp-hook"} {
				if said, err := exec.Command(filepath.Join(prefix, "bin", name)).CombinedOutput(); err != nil || !strings.HasPrefix(string(said), name+" "+version) {
					t.Errorf("%s: %v %s", name, err, said)
				}
			}
			if names, _ := filepath.Glob(filepath.Join(prefix, "bin", ".*")); len(names) > 2 {
				t.Errorf("left in bin: %v", names)
			}
			if page := read(t, prefix, "share/man/man1/warp-drive.1"); !strings.Contains(page, version) {
				t.Error(page)
			}
			if info, err := os.Stat(filepath.Join(prefix, "share/zsh/site-functions/_warp")); err != nil || info.Mode() != 0o644 {
				t.Error(info, err)
			}
		}
	}
}

// Nothing is unpacked, let alone installed, whose checksum is not the published one.
func TestInstallerRefusesWhatItCannotVerify(t *testing.T) {
	name, good := release(t)
	for what, c := range map[string]struct {
		change func(files map[string]string)
		want   string
	}{
		"tampered":     {func(f map[string]string) { f[name] = f[name][:40] + "x" + f[name][41:] }, "damaged or was changed; nothing was installed"},
		"truncated":    {func(f map[string]string) { f[name] = f[name][:len(f[name])/2] }, "damaged or was changed; nothing was installed"},
		"another one":  {func(f map[string]string) { f["checksums.txt"] = strings.Repeat("0", 64) + "  " + name + "\n" }, "instead of " + strings.Repeat("0", 64)},
		"no archive":   {func(f map[string]string) { delete(f, name) }, "cannot download"},
		"no checksums": {func(f map[string]string) { delete(f, "checksums.txt") }, "without checksums nothing is installed"},
		"none of this": {func(f map[string]string) {
			f["checksums.txt"] = strings.ReplaceAll(f["checksums.txt"], here(), "plan9-mips")
		}, "no checksum of an archive for " + here()},
		"an empty checksum": {func(f map[string]string) { f["checksums.txt"] = "  " + name + "\n" }, "no checksum of an archive for " + here()},
		"a name with a path": {func(f map[string]string) {
			f["checksums.txt"] = strings.ReplaceAll(f["checksums.txt"], "warp-", "warp-../")
		}, "no checksum of an archive for " + here()},
		"two of them": {func(f map[string]string) { f["checksums.txt"] += f["checksums.txt"] }, "several archives"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{name: good[name], "checksums.txt": good["checksums.txt"]}
			c.change(files)
			prefix, out, err := install(t, "sh", "../install.sh", "WARP_BASE_URL="+published(t, files))
			if err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v\n%s", err, out)
			}
			if read(t, prefix, "bin/warp") != "old" {
				t.Error("the older warp is gone")
			}
			if entries, _ := os.ReadDir(prefix); len(entries) != 1 {
				t.Error("something was installed")
			}
		})
	}
}

func TestInstallerSaysWhereItMayNotWrite(t *testing.T) {
	_, files := release(t)
	_, out, err := install(t, "sh", "../install.sh", "WARP_BASE_URL="+published(t, files), "WARP_PREFIX=/dev/null/x")
	if err == nil || !strings.Contains(out, "cannot write to /dev/null/x; choose another folder with WARP_PREFIX") || strings.Contains(out, "Installed") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Of a script that a connection cuts short, nothing runs.
func TestInstallerDoesNothingWhenCutShort(t *testing.T) {
	_, files := release(t)
	url := published(t, files)
	whole := read(t, "../install.sh")
	for at := 50; at < len(whole)-len("main \"$@\"\n"); at += 500 {
		cut := filepath.Join(t.TempDir(), "install.sh")
		if err := os.WriteFile(cut, []byte(whole[:at]), 0o644); err != nil {
			t.Fatal(err)
		}
		prefix, out, _ := install(t, "sh", cut, "WARP_BASE_URL="+url)
		if read(t, prefix, "bin/warp") != "old" || strings.Contains(out, "Installed") {
			t.Errorf("cut after %d bytes:\n%s", at, out)
		}
	}
}

// The installer of a release knows where releases are; that of the sources has to be told.
func TestInstallerKnowsItsReleases(t *testing.T) {
	if _, out, err := install(t, "sh", "../install.sh"); err == nil || !strings.Contains(out, "set WARP_BASE_URL") {
		t.Errorf("%v\n%s", err, out)
	}
	if text := read(t, dist(t), "install.sh"); !strings.Contains(text, "\nreleases='"+releases+"'\n") {
		t.Error("the release's installer does not know its address")
	}
}

func TestScriptsAreCleanForShellcheck(t *testing.T) {
	if out, err := exec.Command(need.Tool(t, "shellcheck"), "../install.sh", "../scripts/releases").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
