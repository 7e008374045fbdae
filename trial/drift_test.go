//go:build linux

package trial

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// documented is a project whose documentation agrees with it: a count, and a path
// in a command.
func documented(t *testing.T, s script) *project {
	t.Helper()
	p := driven(t, s)
	p.sh(`mkdir commands scripts && touch commands/one.md commands/two.md && echo true > scripts/run.sh
		printf '%s\n' '# Project' '' 'There are 2 commands in commands/.' '' '` + "```sh" + `' 'sh scripts/run.sh' '` + "```" + `' > README.md
		git add README.md commands scripts && git commit -q -m 'docs: what there is' -- README.md commands scripts && warp docs audit --fail-on-drift
		warp config set doc_drift_gate true`)
	return p
}

// path is how a drive went since its last commit.
func (p *project) path() string {
	var list []string
	for line := range strings.Lines(p.sh("warp log")) {
		if f := strings.Fields(line); len(f) >= 4 && (f[1] == "doc_drift_check" || f[2] == "drift_clean" || f[2] == "drift_blocked" || f[2] == "committed") {
			list = append(list, f[2])
		}
	}
	return strings.Join(list, " ")
}

// What is mechanical is fixed in a commit of its own, and the drive goes on. What
// its user is in the middle of is neither fixed nor held against it.
func TestDriftIsFixed(t *testing.T) {
	t.Parallel()
	p := documented(t, script{after: `touch commands/three.md`})
	const draft = "There are 9 commands in commands/.\n\n```sh\nsh scripts/nowhere.sh\n```\n"
	p.write("draft.md", draft)
	exit, said := p.drive()
	if exit != 0 || p.path() != "commit_with_doc_gate drift_clean" {
		t.Fatalf("it ended with %d after %s\n%s", exit, p.path(), said)
	}
	if have := p.sh("git log --reverse --format=%s main~2..main"); have != "feat: Mail (#1)\ndocs: follow the code (#1)" {
		t.Errorf("%s", have)
	}
	if have := p.sh("git diff --name-only main~1 main; git show main:README.md"); !strings.HasPrefix(have, "README.md\n#") || !strings.Contains(have, "There are 3 commands") {
		t.Errorf("%s", have)
	}
	if have := p.read("draft.md"); have != draft {
		t.Errorf("the user's draft is %q", have)
	}
	p.untouched()
	p.silent()
}

// What needs a mind goes back to coding, with what was found.
func TestDriftIsSentBack(t *testing.T) {
	t.Parallel()
	p := documented(t, script{before: `cat > ../prompt`, after: `git mv -f scripts/run.sh scripts/start.sh 2>/dev/null; git rm -q --cached scripts/start.sh 2>/dev/null; echo 'echo begun' > scripts/begin.sh; rm -f scripts/start.sh
		grep -q 'scripts/run.sh' ../prompt && sed -i s/run.sh/begin.sh/ README.md; true`})
	exit, said := p.drive()
	if exit != 0 || p.path() != "commit_with_doc_gate drift_blocked commit_with_doc_gate drift_clean" {
		t.Fatalf("it ended with %d after %s\n%s", exit, p.path(), said)
	}
	if have := p.sh("git show main:README.md"); !strings.Contains(have, "sh scripts/begin.sh") {
		t.Errorf("%s", have)
	}
	gates := slices.DeleteFunc(rows[evidence.Gate](p, "gate"), func(g evidence.Gate) bool { return g.Gate != "doc_drift" })
	if len(gates) != 2 || gates[0].Passed || !strings.Contains(gates[0].Reason, "README.md:6: ") || !gates[1].Passed {
		t.Errorf("%+v", gates)
	}
	p.untouched()
}

// What is never fixed ends in order: the chunk is given up, and main stays.
func TestDriftThatIsNeverFixed(t *testing.T) {
	for name, does := range sample(t, map[string]string{"nothing new": `rm -f scripts/run.sh`, "something new each time": `rm -f scripts/run.sh; date +%N >> demo_log.txt`}, "something new each time") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := documented(t, script{after: does})
			main := p.sh("git rev-parse main")
			exit, said := p.drive()
			if exit != 1 || p.evidence().Outcome.Result != evidence.Failed || p.sh("git rev-parse main") != main {
				t.Errorf("it ended with %d after %s\n%s", exit, p.path(), said)
			}
			if n := p.filed("bug"); len(n) != 1 {
				t.Errorf("bugs: %v\n%s", n, said)
			}
			if left := p.sh("git status --porcelain -- scripts 'demo_*' README.md; git branch --show-current"); left != "main" {
				t.Errorf("left are %s\n%s", left, said)
			}
			p.untouched()
			p.employ(script{})
			if exit, said := p.drive(); exit != 0 || !p.try(`git grep -q '=> "AC-01"' main -- 'demo_*.js'`) || p.try(`git grep -q . main -- demo_log.txt`) {
				t.Errorf("again: %d\n%s", exit, said)
			}
		})
	}
}

// Without the gate the documentation is nobody's condition, and stays as it is.
func TestNoGateNoDrift(t *testing.T) {
	t.Parallel()
	p := documented(t, script{after: `touch commands/three.md; rm -f scripts/run.sh`})
	p.sh("warp config set doc_drift_gate false")
	exit, said := p.drive()
	if exit != 0 || p.path() != "committed" || p.sh("git log --format=%s main~1..main") != "feat: Mail (#1)" {
		t.Errorf("it ended with %d after %s\n%s", exit, p.path(), said)
	}
}
