package coverage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"warp/internal/testkit/need"
)

// The commands that are detected are run as they are, by the real programs, on projects of
// which less than everything is covered.
func TestDetectedCommandsMeasure(t *testing.T) {
	javaScript := map[string]string{
		"a.js":      "exports.f = (x) => {\n  if (x) {\n    return 1\n  }\n  return 2\n}\n",
		"a.test.js": "require('node:test')('f', () => require('node:assert').equal(require('./a.js').f(1), 1))\n",
	}
	node := []float64{83.33, 85.71} // some versions count the test's own file as well
	for name, c := range map[string]struct {
		tool, module string // module of Python
		files        map[string]string
		want         []float64 // one of them
	}{
		"Go": {"go", "", map[string]string{
			"go.mod":    "module example.invalid/x\n\ngo 1.21\n",
			"x.go":      "package x\n\nfunc F(b bool) int {\n\tif b {\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
			"x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F(true) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
			"y/y.go":    "package y\n\nfunc G() int { return 1 }\n", // has no tests
		}, []float64{50}},
		"node --test": {"node", "", with(javaScript, "package.json", `{"scripts":{"test":"node --test"}}`), node},
		"npm script":  {"npm", "", with(javaScript, "package.json", `{"scripts":{"coverage":"node --test --experimental-test-coverage"}}`), node},
		"Python": {"python3", "coverage, pytest", map[string]string{
			"pyproject.toml": "[tool.coverage.run]\nsource = [\"a\"]\n",
			"a.py":           "def f(x):\n    if x:\n        return 1\n    return 2\n",
			"test_a.py":      "from a import f\n\n\ndef test_f():\n    assert f(1) == 1\n",
		}, []float64{75}},
	} {
		t.Run(name, func(t *testing.T) {
			need.Tool(t, c.tool)
			if c.module != "" && exec.Command(c.tool, "-c", "import "+c.module).Run() != nil {
				need.NotRun(t, c.tool+" has no "+c.module)
			}
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			line := Command(func(name string) ([]byte, bool) {
				text, err := os.ReadFile(filepath.Join(dir, name))
				return text, err == nil
			})
			run := exec.Command("sh", "-c", line)
			run.Dir, run.Env = dir, append(os.Environ(), "TMPDIR="+t.TempDir())
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
			if got, ok := ReadOutput(string(out)); !ok || !slices.Contains(c.want, got) {
				t.Errorf("%s: %v, %v, want %v\n%s", line, got, ok, c.want, out)
			}
		})
	}
}

func with(files map[string]string, name, text string) map[string]string {
	all := map[string]string{name: text}
	for name, text := range files {
		all[name] = text
	}
	return all
}
