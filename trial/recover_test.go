//go:build linux

package trial

import (
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere is another machine of the same person: a clone of what was pushed,
// and the tracker. The first one is lost.
func (p *project) elsewhere() *project {
	p.t.Helper()
	dir := filepath.Dir(p.root)
	q := &project{t: p.t, root: filepath.Join(dir, "elsewhere"), home: filepath.Join(dir, "home2")}
	p.sh(`mkdir -p ` + q.home + ` && git clone -q "$(dirname "$PWD")/remote.git" ../elsewhere && mkdir ../elsewhere/.claude && cp -r .claude/issues ../elsewhere/.claude/ && mv "$PWD" ../lost`)
	q.sh(`git config user.name t && git config user.email t@example.invalid`)
	q.base = q.sh("git rev-parse main")
	return q
}

// pushed is a project with a remote, whose two criteria are two chunks.
func pushed(t *testing.T, s script) *project {
	t.Helper()
	p := driven(t, s)
	p.sh(`git init -q --bare -b main ../remote.git && git remote add origin ../remote.git && git push -q -u origin main && warp config set max_acs_per_commit 1`)
	return p
}

// A machine is lost in the middle of a drive; another one has nothing but the
// clone and the tracker. warp init brings the drive back, and what was done is
// not done again, also where the tests were red before and only the lost machine
// knew it.
func TestAnotherMachineGoesOnWithADrive(t *testing.T) {
	t.Parallel()
	const red = "if [ -e demo_AC-01.js ] || [ ! -e green ]; then echo 'FAILED tests/test_a.py::test_old - assert'; exit 1; fi"
	for name, test := range map[string]string{"green": "sh test.sh", "red before": "sh test.sh || exit 1; " + red} {
		points := []string{"pushed#1", "ran_code#2"}
		if !whole() {
			points = map[string][]string{"green": points[1:], "red before": points[:1]}[name]
		}
		for _, point := range points {
			t.Run(name+" "+point, func(t *testing.T) {
				t.Parallel()
				p := pushed(t, script{before: `echo "$WARP_ROLE $ids" >> ../ran`})
				p.write("../check.sh", test)
				p.sh("warp config set test_command 'sh " + p.beside("check.sh") + "'")
				p.env = []string{"WARP_CRASH_AT=" + point}
				if exit, said := p.drive(); exit == 0 {
					t.Fatalf("it was not lost\n%s", said)
				}
				q := p.elsewhere()
				q.employ(script{before: `echo "$WARP_ROLE $ids" >> ../ran2`})
				q.sh("warp config set test_command 'sh " + q.beside("check.sh") + "' && warp config set max_acs_per_commit 1")
				if said := q.sh("warp recover status"); !strings.Contains(said, "#1 on feature/issue-1-mail (only on the remote): 1 of 2 chunks, without a drive here; warp recover run 1") {
					t.Errorf("%s", said)
				}
				if said := q.sh("warp init --level 3"); !strings.Contains(said, "#1 is unfinished") {
					t.Errorf("%s", said)
				}
				if said := q.sh("warp init --level 3 --resume"); !strings.Contains(said, "1 of 2 chunks are done") {
					t.Errorf("%s", said)
				}
				exit, said := q.warp("drive", "1")
				if exit != 0 || !strings.Contains(said, "merged") {
					t.Fatalf("exit %d\n%s", exit, said)
				}
				if ran := q.read("../ran2"); strings.Contains(ran, "AC-01") || strings.Count(ran, "code AC-02") != 1 {
					t.Errorf("there ran:\n%s\nhere:\n%s\n%s", q.read("../ran"), ran, said)
				}
				if log := q.sh("git log --format=%s origin/main"); strings.Count(log, "part 1 of 2") != 1 || strings.Count(log, "part 2 of 2") != 1 {
					t.Errorf("%s", log)
				}
				if n := strings.Count(q.sh("cat .claude/issues/*.md"), "title: \"warp-drive: #1 chunk 1/2"); n > 1 {
					t.Errorf("%d reports of the first chunk", n)
				}
				if open := q.sh("warp issue show 1 --json"); !strings.Contains(open, `"open": false`) {
					t.Errorf("%s", open)
				}
			})
		}
	}
}

// A work tree that is lost leaves its server behind, with nobody to watch over
// it: the command that brings the drive back, or sets the repository free, ends it.
func TestTheServerOfALostWorkTreeIsEnded(t *testing.T) {
	t.Parallel()
	for name, command := range sample(t, map[string]string{"run": "warp recover run 1 --level 3", "reset": "warp recover reset --yes && warp recover run 1 --level 3 --worktree"}, "reset") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := shopOf(t, script{})
			p.env = []string{"WARP_CRASH_AT=report_filed#1"}
			if exit, said := p.drive("--worktree"); exit == 0 || len(p.starts()) != 1 {
				t.Fatalf("exit %d\n%s", exit, said)
			}
			p.env = nil
			p.sh(`cd .claude/worktrees/issue-1 && kill -9 $(sed -n 's/.*supervisor_pid": \([0-9]*\),*/\1/p' .claude/state/dev.json) && rm -rf "$PWD"`)
			if len(p.alive()) == 0 {
				t.Fatal("nothing was left behind")
			}
			said := p.sh(command)
			if left := p.alive(); len(left) > 0 || !strings.Contains(said, "1 of 2 chunks are done") {
				t.Errorf("left %q\n%s", left, said)
			}
			exit, said := p.warp("drive", "1", "--level", "3", "--worktree")
			if exit != 0 || len(p.starts()) != 2 {
				t.Errorf("exit %d, %d starts\n%s", exit, len(p.starts()), said)
			}
			if p.try("test -e .claude/worktrees/issue-1") {
				t.Fatalf("the work tree is kept\n%s", said)
			}
			p.over()
		})
	}
}

// An engine is killed when its agent has just ended, and then the state file and
// the branch are lost, too. What the agent left in the work tree is its chunk's
// work: it is continued, and not taken for what the chunk begins with.
func TestLeftoversOfAKilledRunAreTheChunksWork(t *testing.T) {
	for name, then := range sample(t, map[string]string{"recover": "warp recover run 1 || true", "drive": "true"}, "recover") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, script{work: `for id in $ids; do [ -e demo_$id.js ] || echo "() => \"$id\"" > demo_$id.js; done`})
			p.env = []string{"WARP_CRASH_AT=agent_ended_code#1"}
			if exit, said := p.drive(); exit == 0 {
				t.Fatalf("it was not killed\n%s", said)
			}
			p.env = nil
			p.sh(`rm .claude/.warp-drive-state.json && git switch -q main && git branch -q -D feature/issue-1-mail; ` + then)
			exit, said := p.drive()
			p.judge(exit, said, merged)
			p.untouched()
		})
	}
}
