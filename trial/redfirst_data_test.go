//go:build linux

package trial

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/need"
)

// The data is right by itself, whatever an engine makes of it: a check is red where nothing is
// done yet and green on all that is right; what is wrong passes the project's own tests, and the
// checks of the criteria that exclude it catch it; a check that proves nothing is green without
// the work, or red in spite of it.
func TestTheWrongCodeFamilyIsRight(t *testing.T) {
	t.Parallel()
	all := map[string]family{}
	for _, f := range readFamilies(t) {
		all[f.name] = f
	}
	slots := make(chan bool, 2)
	for name, f := range sample(t, all, "go-version", "node-csv", "py-duration", "sh-calc") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slots <- true
			defer func() { <-slots }()
			need.Tool(t, f.stack())
			base, stub := f.lay(t), f.lay(t, "stub")
			base.isGreenByItself("base")
			for _, id := range f.criteria {
				f.startsAsItsKindSays(t, id, base, stub)
			}
			var right []tree
			for _, r := range f.each("right") {
				right = append(right, f.lay(t, r))
				right[len(right)-1].isGreenByItself(r)
				for _, id := range f.criteria {
					if green, out := right[len(right)-1].check(id); !green {
						t.Errorf("%s: the check of %s is red\n%s", r, id, out)
					}
				}
			}
			for _, w := range f.each("wrong") {
				f.isCaught(t, w)
			}
			for _, v := range f.each("vacuous") {
				onStub, _ := stub.runOver(v, f.line(v+"/.command"))
				onRight, _ := right[0].runOver(v, f.line(v+"/.command"))
				if !onStub && onRight {
					t.Errorf("%s is red on the stub and green on %s: it proves something", v, "right/1")
				}
			}
		})
	}
}

func (f family) startsAsItsKindSays(t *testing.T, id string, base, stub tree) {
	switch f.line("kind/" + id) {
	case "new":
		green, out := stub.check(id)
		if green || !byAssertion(out) {
			t.Errorf("the check of %s on the stub: green %t, or red by no assertion\n%s", id, green, out)
		}
	case "keeps":
		for where, tr := range map[string]tree{"base": base, "stub": stub} {
			if green, out := tr.check(id); !green {
				t.Errorf("the check of %s is red on the %s\n%s", id, where, out)
			}
		}
	case "shape":
		if green, out := base.check(id); green {
			t.Errorf("the check of %s is green on the base\n%s", id, out)
		}
	}
}

// byAssertion reports whether a check is red because of one of its examples.
func byAssertion(out string) bool {
	return strings.Contains(out, "example 1: ") || strings.Contains(out, "example 2: ")
}

// isCaught holds that the criteria of .excluded, and no others, exclude what is wrong.
func (f family) isCaught(t *testing.T, w string) {
	tr := f.lay(t, w)
	tr.isGreenByItself(w)
	excluded := strings.Fields(f.files[w+"/.excluded"])
	for _, id := range f.criteria {
		green, out := tr.check(id)
		switch {
		case green == slices.Contains(excluded, id):
			t.Errorf("%s: the check of %s: green %t, and %q exclude it\n%s", w, id, green, excluded, out)
		case !green && f.line("kind/"+id) == "new" && !byAssertion(out):
			t.Errorf("%s: the check of %s is red by no assertion\n%s", w, id, out)
		}
	}
}

// tree is a folder with the base and what is laid over it.
type tree struct {
	family
	t    *testing.T
	root string
	laid string // its content, which no check changes
}

func (f family) lay(t *testing.T, over ...string) tree {
	t.Helper()
	tr := tree{family: f, t: t, root: t.TempDir()}
	for _, folder := range append([]string{"base"}, over...) {
		tr.write(folder)
	}
	tr.laid = tr.content()
	return tr
}

// about are the files that tell about a folder of the archive, and are none of the project.
var about = []string{".excluded", ".criterion", ".command"}

// write lays a folder of the archive over the tree, and returns what takes it off again.
func (tr tree) write(folder string) (remove func()) {
	tr.t.Helper()
	var paths []string
	for name, text := range tr.under(folder) {
		if slices.Contains(about, name) {
			continue
		}
		path := filepath.Join(tr.root, name)
		paths = append(paths, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tr.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tr.t.Fatal(err)
		}
	}
	return func() {
		for _, path := range paths {
			os.Remove(path)
		}
	}
}

func (tr tree) isGreenByItself(name string) {
	tr.t.Helper()
	if green, out := tr.run(tr.line("test")); !green {
		tr.t.Errorf("%s: the project's own tests are red\n%s", name, out)
	}
}

func (tr tree) check(id string) (green bool, out string) {
	return tr.runOver("check/"+id, tr.line("command/"+id))
}

func (tr tree) runOver(folder, command string) (green bool, out string) {
	tr.t.Helper()
	remove := tr.write(folder)
	green, out = tr.run(command)
	remove()
	if have := tr.content(); have != tr.laid {
		tr.t.Errorf("after %s the project is\n%s\nand was\n%s", folder, have, tr.laid)
	}
	return green, out
}

// content is the text of all files of the tree.
func (tr tree) content() string {
	tr.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(tr.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "-- %s --\n%s", path, data)
		return err
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return all.String()
}

// run runs a command in the tree. What Go has compiled for one tree it knows in all others.
func (tr tree) run(command string) (green bool, out string) {
	ctx, stop := context.WithTimeout(tr.t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = tr.root
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "GOFLAGS=-trimpath -vet=off -ldflags=-s", "GOWORK=off", "GOPROXY=off")
	said, err := cmd.CombinedOutput()
	return err == nil, string(said)
}
