//go:build unix

package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// builds adds one file in each iteration. The file says what the one before it is.
const builds = `
name=$(sed -n 's/^SESSION //p')
echo "$((WARP_CHUNK - 1))" > "$name-$WARP_CHUNK.txt"
echo "{\"summary\":\"$name $WARP_CHUNK\",\"plateau\":false}" > $WARP_RESULT
`

// linked is the project's test: each file has the one before it.
const linked = `for f in *-[0-9]*.txt; do
  [ -e "$f" ] || continue
  n=$(cat "$f"); [ "$n" = 0 ] || [ -e "${f%-*}-$n.txt" ] || { echo "$f has no $n"; exit 1; }
done
`

// TestSessionsBesideEachOther runs committing sessions at once in one repository and kills
// them at random. Each commit has its own file, and the test passes at every commit.
func TestSessionsBesideEachOther(t *testing.T) {
	t.Parallel()
	sessions, iterations, kills := 2, 3, 1
	if complete() {
		sessions, iterations, kills = 8, 20, 6
	}
	s := scene{level: 3, criteria: 1, agent: builds}
	p := s.fresh(t, s.template(t))
	p.write("linked.sh", linked)
	p.sh("warp config set agent command && warp config set level 3 && warp config set test_command 'sh linked.sh' && git add linked.sh && git commit -qm 'test: linked'")
	base, theirs := p.sh("git rev-parse main"), p.sh("git status --porcelain")

	var all sync.WaitGroup
	for k := range sessions {
		all.Go(func() { p.builds(fmt.Sprint("s", k+1), iterations, kills, uint64(k)) })
	}
	all.Wait()
	if t.Failed() {
		return
	}

	commits := strings.Fields(p.sh("git rev-list --reverse " + base + "..main"))
	if len(commits) != sessions*iterations {
		t.Errorf("%d commits, and not %d\n%s", len(commits), sessions*iterations, p.sh("git log --format=%s "+base+"..main"))
	}
	for _, c := range commits {
		files := strings.Fields(p.sh("git show --format= --name-only " + c))
		subject := p.sh("git log -1 --format=%s " + c)
		if want := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(subject), "chore: "), " ", "-") + ".txt"; len(files) != 1 || files[0] != want {
			t.Errorf("%s has %v", subject, files)
		}
		if out, exit := p.run(nil, "sh", "-c", `at=$(mktemp -d "$HOME/tree-XXXX") && git archive `+c+` | tar -x -C "$at" && cd "$at" && sh linked.sh`); exit != 0 {
			t.Errorf("the test fails at %s: %s", subject, out)
		}
	}
	if left := p.sh("git worktree list | wc -l; git branch --format='%(refname:short)'; ls -A .claude/locks"); left != "1\nmain" {
		t.Errorf("something is left: %s", left)
	}
	if now := p.sh("git status --porcelain"); now != theirs {
		t.Errorf("the person had\n%s\nand has\n%s", theirs, now)
	}
}

// builds runs one session to its end, and kills it on the way.
func (p *project) builds(name string, iterations, kills int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 16))
	points := []string{"iteration_started", "agent_answered", "committed", "iteration_completed"}
	argv := []string{"loop", name, "--prompt", "SESSION ${SESSION}", "--max", fmt.Sprint(iterations), "--commit"}
	for try := 0; ; try++ {
		crash := ""
		if try < kills {
			crash = fmt.Sprintf("%s#%d", points[random.IntN(len(points))], 1+random.IntN(max(1, iterations/kills)))
		} else if try == kills {
			crash = []string{"landed#1", "rebased#1", "handed_over#1"}[random.IntN(3)]
		}
		log, err := os.Create(filepath.Join(p.dir, name+".log"))
		if err != nil {
			p.t.Error(err)
			return
		}
		cmd := exec.Command(filepath.Join(bin, "warp"), argv...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.root, append(p.env[:len(p.env):len(p.env)], "WARP_CRASH_AT="+crash), log, log
		err = cmd.Run()
		log.Close()
		if err == nil {
			return
		}
		text, _ := os.ReadFile(log.Name())
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 || try > kills {
			if strings.Contains(string(text), "is complete") { // it was killed after it had landed
				return
			}
			p.t.Errorf("%s, killed after %q: %v\n%s", name, crash, err, text)
			return
		}
		argv = []string{"sessions", "resume", name}
	}
}
