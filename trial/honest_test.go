//go:build linux

package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/testkit/programs"
)

var honestSeed struct {
	sync.Once
	dir string
}

// newHonest is a project for models that mean well.
func newHonest(t *testing.T) *project {
	t.Helper()
	honestSeed.Do(func() {
		honestSeed.dir = filepath.Join(filepath.Dir(bin), "honest")
		if err := os.MkdirAll(filepath.Join(honestSeed.dir, "project"), 0o755); err != nil {
			t.Fatal(err)
		}
		p := &project{t: t, root: filepath.Join(honestSeed.dir, "project"), home: filepath.Join(honestSeed.dir, "home")}
		p.sh(`mkdir -p "$HOME"; ` + honestProject)
	})
	dir, err := os.MkdirTemp(filepath.Dir(bin), "honest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := programs.CopyTree(dir, honestSeed.dir); err != nil {
		t.Fatal(err)
	}
	return &project{t: t, root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
}

// honestSample is what make test tries: each engine, and each end.
var honestSample = []string{"stray files, taken back/drive", "other ids/guided", "a question in prose/loop", "work, and then a question/pipeline", "a verdict is left out/workflow"}

// TestHonestModels has every behaviour of a model that means well in every engine. It ends landed,
// asked or not done with the reason; nothing is lost, nothing lands that no one asked for, and a slip
// of a verifier costs the coder nothing.
func TestHonestModels(t *testing.T) {
	for _, b := range behaviours {
		for i, engine := range engines {
			want, name := b.ends[i], b.name+"/"+engine
			if want == none || want == faulty || !whole() && !slices.Contains(honestSample, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := &honestCell{project: newHonest(t), engine: engine}
				c.write("../agent.sh", playing(b.does))
				c.sh(b.set + "\n:")
				c.play()
				account := c.account()
				for _, wrong := range c.judge(b, want, account) {
					t.Error(wrong)
				}
				if t.Failed() {
					t.Logf("exit %d, asked %s\n%s\n%s", c.exit, strings.Join(strings.Fields(c.read("../asked")), " "), c.said, account)
				}
				c.endAll()
			})
		}
	}
}

// judge returns what is wrong with how a cell ended.
func (c *honestCell) judge(b behaviour, want byte, account string) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	has := strings.Fields(c.tell("git ls-tree -r --name-only main"))
	there := slices.Contains(has, "one.txt") && slices.Contains(has, "two.txt")
	allowed := append(strings.Fields(b.adds), "one.txt", "two.txt")
	more := slices.DeleteFunc(strings.Fields(c.tell("git diff --no-renames --name-only "+c.base+" main")), func(f string) bool { return slices.Contains(allowed, f) })
	switch {
	case len(more) > 0:
		say("main has what no one asked for: %q", more)
	case want == landed && (c.exit != 0 || !there):
		say("it did not land: exit %d, the work is there: %v", c.exit, there)
	case (want == asked || want == notDone) && c.exit == 0:
		say("exit 0")
	case want == asked && c.tell("git rev-parse main") != c.base && !c.kept():
		say("a question is open, and main has moved")
	case (want == asked || want == notDone) && !regexp.MustCompile(b.words).MatchString(strings.Join(strings.Fields(c.said+account), " ")):
		say("nothing is said like %s", b.words)
	}
	if strings.HasPrefix(b.name, "another") || strings.Contains(b.name, "verdict") || b.name == "other ids" { // slips of those who judge
		if n := c.runs(); c.engine != "workflow" && c.engine != "loop" && c.engine != "pipeline" && n != 1 || c.engine == "workflow" && n > 2 {
			say("the coder was asked %d times for a slip of the verifier", n)
		}
		if text := c.tell("cat .claude/*learn* .claude/learnings/* 2> /dev/null; :"); strings.Contains(text, "did not work") {
			say("it became a lesson: %s", text)
		}
	}
	if branch := c.tell("git branch --show-current"); branch != "main" && c.exit == 0 {
		say("%s is checked out", branch)
	}
	if text := c.read("scratch.md"); text != "mine\n" {
		say("the person's file is %q", text)
	}
	if left := c.running(); len(left) > 0 && want != none && c.engine != "guided" {
		say("%q", left)
	}
	return wrong
}

// kept reports whether main has only chunks that were accepted before the question.
func (c *honestCell) kept() bool { return strings.Contains(c.said, "landed on main") }

// TestTheHonestTableIsWritten holds docs/explanation/trial.md against the table.
func TestTheHonestTableIsWritten(t *testing.T) {
	text, err := os.ReadFile("../docs/explanation/trial.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[byte]string{landed: "landed", asked: "asked", notDone: "not done", none: "–", faulty: "**wrong**"}
	for _, b := range behaviours {
		row := "| " + b.name + " |"
		for i := range engines {
			row += " " + words[b.ends[i]] + " |"
		}
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("the table has no row\n%s", row)
		}
	}
}
