package quality

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The lines that are made up here are tried on the real programs.
func TestTheGatesOfAGoProject(t *testing.T) {
	p := newPlace(t)
	p.write("go.mod", "module shop\n\ngo 1.21\n")
	p.write("shop.go", "package main\n\nfunc main() {}\n")
	if err := os.MkdirAll(filepath.Join(p.root, "testdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("testdata/bad.go", "package   bad\n")
	run := func(name string) (string, bool) {
		for _, g := range detectGates(p.o, p.s) {
			if g.Name == name {
				c := exec.Command("sh", "-c", g.Command)
				c.Dir = p.root
				out, err := c.CombinedOutput()
				return string(out), err == nil
			}
		}
		t.Fatalf("there is no gate %s", name)
		return "", false
	}
	if out, ok := run("lint"); !ok {
		t.Errorf("lint: %s", out)
	}
	if out, ok := run("type"); !ok {
		t.Errorf("type: %s", out)
	}
	if _, err := os.Stat(filepath.Join(p.root, "shop")); err == nil {
		t.Error("a program was left in the work tree")
	}
	p.write("shop.go", "package main\nfunc main()   {}\n")
	if out, ok := run("lint"); ok || !strings.Contains(out, "shop.go") {
		t.Errorf("lint: %v %s", ok, out)
	}
	p.write("shop.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\", \"x\") }\n")
	if out, ok := run("lint"); ok || !strings.Contains(out, "Printf") {
		t.Errorf("vet: %v %s", ok, out)
	}
	p.write("shop.go", "package main\n\nfunc main() { nothing() }\n")
	if out, ok := run("type"); ok || !strings.Contains(out, "nothing") {
		t.Errorf("type: %v %s", ok, out)
	}
}
