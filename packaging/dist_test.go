//go:build unix

package packaging

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/testkit/need"
)

const (
	version  = "v1.2.3"
	releases = "https://host.example/owner/warp/releases"
)

// compiler stands in for the Go compiler, which would need minutes for six platforms: it
// takes make's arguments, and its programs are scripts that say their version.
const compiler = `#!/bin/sh
[ "$1" = -o ] || exit 1
out=$2; shift 2; mkdir -p "$out"
[ "$GOOS" = windows ] && ext=.exe
for program; do
  printf '#!/bin/sh\necho "%s ` + version + ` for %s/%s"\n' "${program##*/}" "$GOOS" "$GOARCH" > "$out/${program##*/}${ext:-}"
done
`

// shared is what make dist has made, once for all tests.
var shared = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "warp-packaging-")
	if err == nil {
		err = makeDist(dir, "dist")
	}
	return filepath.Join(dir, "dist"), err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := shared(); err == nil {
		os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// makeDist runs make dist into a folder.
func makeDist(dir, name string) error {
	_, err := runMake(dir, "-o", "vet-platforms", "dist", "DIST="+filepath.Join(dir, name), "RELEASES="+releases)
	return err
}

// runMake runs make in the sources, with the compiler in a folder.
func runMake(dir string, args ...string) (string, error) {
	stub := filepath.Join(dir, "compiler")
	if err := os.WriteFile(stub, []byte(compiler), 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("make", append([]string{"-s", "GOBUILD=" + stub, "VERSION=" + version, "SOURCE_DATE_EPOCH=1700000000"}, args...)...)
	cmd.Dir = ".."
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "MAKE") || strings.HasPrefix(kv, "MFLAGS") })
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("make %v: %w\n%s", args, err, out)
	}
	return string(out), err
}

func dist(t *testing.T) string {
	t.Helper()
	need.Tool(t, "make")
	dir, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// packed is an archive's files, with their modes.
func packed(t *testing.T, path string) map[string]os.FileMode {
	t.Helper()
	files := map[string]os.FileMode{}
	if strings.HasSuffix(path, ".zip") {
		r, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, f := range r.File {
			files[f.Name] = f.Mode()
		}
		return files
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "" || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%s tells who packed it when: %d %q %v", h.Name, h.Uid, h.Uname, h.ModTime)
		}
		files[h.Name] = h.FileInfo().Mode()
	}
}

func TestDistHasAnArchiveForEachPlatform(t *testing.T) {
	dir := dist(t)
	sums := read(t, dir, "checksums.txt")
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"} {
		stem, ending, ext := "warp-"+version+"-"+platform, ".tar.gz", ""
		if strings.HasPrefix(platform, "windows") {
			ending, ext = ".zip", ".exe"
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(read(t, dir, stem+ending))), stem+ending); !strings.Contains(sums, line) {
			t.Errorf("checksums.txt lacks %q:\n%s", line, sums)
		}
		files := packed(t, filepath.Join(dir, stem+ending))
		for name, mode := range map[string]os.FileMode{
			"bin/warp" + ext: 0o755, "bin/warp-net" + ext: 0o755, "bin/warp-ui" + ext: 0o755, "bin/warp-fleet" + ext: 0o755, "bin/warp-hook" + ext: 0o755, "LICENSE": 0o644, "README.md": 0o644,
			"share/man/man1/warp.1": 0o644, "share/man/man1/warp-drive.1": 0o644, "share/man/man1/warp-fleet-up.1": 0o644, "share/bash-completion/completions/warp-fleet": 0o644, "share/bash-completion/completions/warp": 0o644,
			"share/zsh/site-functions/_warp": 0o644, "share/fish/vendor_completions.d/warp.fish": 0o644, "share/powershell/warp.ps1": 0o644,
		} {
			if got, ok := files[stem+"/"+name]; !ok || got != mode {
				t.Errorf("%s: %s has mode %v, it is there: %t", stem, name, got, ok)
			}
		}
	}
	if n := strings.Count(sums, "\n"); n != 6 {
		t.Errorf("%d checksums:\n%s", n, sums)
	}
}

// Anyone who builds the same commit can compare the checksums.
func TestDistIsReproducible(t *testing.T) {
	first := dist(t)
	dir := t.TempDir()
	if err := makeDist(dir, "again"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checksums.txt", "warp.rb", "install.sh"} {
		if one, two := read(t, first, name), read(t, dir, "again", name); one != two {
			t.Errorf("%s differs:\n%s\n%s", name, one, two)
		}
	}
}

func TestFormulaNamesTheArchives(t *testing.T) {
	dir := dist(t)
	formula := read(t, dir, "warp.rb")
	sums := read(t, dir, "checksums.txt")
	found := regexp.MustCompile(`url "`+regexp.QuoteMeta(releases+"/download/"+version+"/")+`(\S+)"\n\s+sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(formula, -1)
	var names []string
	for _, f := range found {
		names = append(names, f[1])
		if !strings.Contains(sums, f[2]+"  "+f[1]+"\n") {
			t.Errorf("the checksum of %s is another one", f[1])
		}
	}
	want := []string{"warp-v1.2.3-darwin-amd64.tar.gz", "warp-v1.2.3-darwin-arm64.tar.gz", "warp-v1.2.3-linux-amd64.tar.gz", "warp-v1.2.3-linux-arm64.tar.gz"}
	if !slices.Equal(names, want) || strings.Count(formula, "url ") != len(want) {
		t.Errorf("it names %v:\n%s", names, formula)
	}
	files := packed(t, filepath.Join(dir, "warp-"+version+"-linux-amd64.tar.gz"))
	for _, f := range regexp.MustCompile(`install "([^"]+)"`).FindAllStringSubmatch(formula, -1) {
		if _, ok := files["warp-"+version+"-linux-amd64/"+f[1]]; !ok {
			t.Errorf("it installs %s, which is in no archive", f[1])
		}
	}
	if out, err := exec.Command(need.Tool(t, "ruby"), "-c", filepath.Join(dir, "warp.rb")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMakeInstallInstallsPagesAndCompletions(t *testing.T) {
	need.Tool(t, "make")
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	if _, err := runMake(dir, "install", "PREFIX="+prefix); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin/warp", "bin/warp-net", "bin/warp-ui", "bin/warp-fleet", "bin/warp-hook", "share/bash-completion/completions/warp", "share/man/man1/warp.1"} {
		if read(t, prefix, name) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	if err := os.RemoveAll(filepath.Join(prefix, "share")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(prefix, "share"), nil, 0o644); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	if out, err := runMake(dir, "install", "PREFIX="+prefix); err != nil || !strings.Contains(out, "man pages and completions are not installed: ") || !strings.Contains(out, "warp itself is installed in "+prefix+"/bin") {
		t.Errorf("%v\n%s", err, out)
	}
}

// here is this machine, as archives call it.
func here() string { return runtime.GOOS + "-" + runtime.GOARCH }
