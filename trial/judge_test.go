//go:build linux

package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/evidence"
)

// end is how a drive is to end.
type end struct {
	exit   int
	result evidence.Result
	phase  string   // "": completed
	did    []string // what the agent did that was taken back
}

var (
	merged = end{exit: 0, result: evidence.Merged}
	failed = end{exit: 1, result: evidence.Failed}
)

func (e end) but(did ...string) end { e.did = did; return e }

// judge holds a drive that is over against the truth.
func (p *project) judge(exit int, said string, want end) {
	t := p.t
	t.Helper()
	a := p.evidence()
	if exit != want.exit || a.Outcome.Result != want.result {
		t.Errorf("it ended with %d, %s; want %d, %s\n%s", exit, a.Outcome.Result, want.exit, want.result, said)
	}
	if a.Outcome.Result != evidence.Merged && (a.Outcome.Why == "" || a.Outcome.Do == "") {
		t.Errorf("nobody knows why, or what to do: %+v", a.Outcome)
	}
	for _, what := range want.did {
		if !slices.ContainsFunc(a.Interventions, func(i evidence.Intervened) bool { return i.What == what }) {
			t.Errorf("it went unnoticed: %s\n%s", what, said)
		}
	}
	var state struct{ Phase string }
	if err := json.Unmarshal([]byte(p.read(".claude/.warp-drive-state.json")), &state); err != nil {
		t.Errorf("the state cannot be read: %v", err)
	}
	if want.phase == "" {
		want.phase = "completed"
	}
	if state.Phase != want.phase {
		t.Errorf("the phase is %s, want %s", state.Phase, want.phase)
	}
	if want.result == evidence.Failed {
		for _, what := range []string{"bug", "abort"} {
			if !slices.ContainsFunc(a.Filed, func(f evidence.Filed) bool { return f.What == what }) {
				t.Errorf("nothing was filed: %s", what)
			}
		}
	}
	if done := want.result == evidence.Merged; said != "" && strings.Contains(said, "2/2 done") != done {
		t.Errorf("what was said of the criteria is not so\n%s", said)
	}
	p.truth(a, want.result == evidence.Merged)
	p.untouched()
	p.silent()
}

// truth compares what is said to be done with what main has.
func (p *project) truth(a account, done bool) {
	t := p.t
	t.Helper()
	for _, c := range a.Criteria {
		has := p.try(fmt.Sprintf(`git grep -q '=> "%s"' main -- 'demo_*.js'`, c.ID))
		box := strings.Contains(p.read(".claude/issues/1.md"), "- [x] "+c.ID)
		if has != done || c.Met != done || box != done {
			t.Errorf("%s: in main %t, met %t (%s), checked off %t, want %t", c.ID, has, c.Met, c.Status, box, done)
		}
	}
	if len(a.Criteria) == 0 {
		t.Error("nothing is said of any criterion")
	}
	if !done {
		if now := p.sh("git rev-parse main"); now != p.base {
			t.Errorf("main has moved: %s", p.sh("git log --oneline "+p.base+"..main"))
		}
		return
	}
	for hash := range strings.Lines(p.sh("git rev-list --no-merges " + p.base + "..main")) {
		if !strings.Contains(p.sh("git log -1 --format=%B "+hash), "Warp-Drive: #1") {
			t.Errorf("main has a commit that is not warp's: %s", p.sh("git log -1 "+hash))
		}
	}
	for name := range strings.Lines(p.sh("git diff --name-only " + p.base + " main")) {
		if name = strings.TrimSpace(name); name != "README.md" && !strings.HasPrefix(name, "demo_") {
			t.Errorf("main has a change that is not the chunk's: %s", name)
		}
	}
	p.sh("git merge-base --is-ancestor " + p.base + ` main
		mkdir -p "$HOME/main" && git archive main | tar -x -C "$HOME/main" && cd "$HOME/main" && sh test.sh`)
}

func (p *project) try(script string) bool {
	return p.command("sh", "-ec", script).Run() == nil
}

// untouched wants all that is the user's to be as it was.
func (p *project) untouched() {
	p.t.Helper()
	for name, want := range mine {
		if have := p.read(name); have != want {
			p.t.Errorf("%s was %q and is %q", name, want, have)
		}
	}
	if have := p.sh("git diff --cached --name-only && git show :staged.txt"); have != "staged.txt\none\ntwo" {
		p.t.Errorf("staged was staged.txt, and is %q", have)
	}
	p.sh("git cat-file -e " + p.base + " && git merge-base --is-ancestor " + p.base + " main")
}

// silent wants no process to be left of all that the test has started, and
// nobody to hold a file of the project open.
func (p *project) silent() {
	p.t.Helper()
	procs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range procs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // another person's, or gone
		at, _ := os.Readlink(filepath.Join(dir, "cwd"))
		left := slices.Contains(strings.Split(string(env), "\x00"), p.mark()) || strings.HasPrefix(at, p.home+"/") // in a clean room nothing has the mark
		files, _ := filepath.Glob(filepath.Join(dir, "fd", "*"))
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && strings.HasPrefix(to, p.root+"/") {
				left = true
			}
		}
		if left {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			p.t.Errorf("left behind: %s %q", filepath.Base(dir), line)
		}
	}
}
