//go:build linux

package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// guarded is a project with a gate of its user's before an event.
func guarded(t *testing.T, s script, event, gate string) *project {
	t.Helper()
	p := driven(t, s)
	p.sh(`mkdir -p "$HOME"; warp config set verification_gates '{"` + event + `": ["sh ` + p.beside("gate.sh") + `"]}'`)
	p.write("../gate.sh", gate)
	return p
}

// gates are the rows of the user's gate.
func (p *project) gates() []evidence.Gate {
	return slices.DeleteFunc(rows[evidence.Gate](p, "gate"), func(g evidence.Gate) bool { return g.Gate != "sh "+p.beside("gate.sh") })
}

// What a gate says reaches the agent that is to fix it, and the evidence, and is
// not written over.
func TestWhatAGateSaysIsHeard(t *testing.T) {
	t.Parallel()
	const gate = `echo "looking at $(ls demo_AC-01.js)"; grep -q mended demo_log.txt && exit; echo "demo_AC-01.js:1: the frobnicator is missing"; exit 3`
	p := guarded(t, script{before: `cat > ../prompt-$WARP_ROLE`, after: `echo first > demo_log.txt; grep -q "the frobnicator is missing" ../prompt-$WARP_ROLE && echo mended > demo_log.txt; true`}, "code_complete", gate)
	exit, said := p.drive()
	p.judge(exit, said, merged)
	list := p.gates()
	if len(list) != 2 || !strings.Contains(list[0].Excerpt, "the frobnicator is missing") || list[1].Excerpt != "" || !list[1].Passed {
		t.Fatalf("%+v\n%s", list, said)
	}
	if list[0].Log == list[1].Log || !strings.Contains(p.read(list[0].Log), "the frobnicator") || p.read(list[1].Log) != "looking at demo_AC-01.js\n" {
		t.Errorf("%s: %q, %s: %q", list[0].Log, p.read(list[0].Log), list[1].Log, p.read(list[1].Log))
	}
}

// One that refuses tests_passed costs a retry and sends the work back.
func TestAGateBehindTheTestsCostsOneRetry(t *testing.T) {
	t.Parallel()
	p := guarded(t, script{after: `date +%N >> demo_log.txt`}, "tests_passed", `echo "too slow"; exit 1`)
	p.sh("warp config set max_retries_per_chunk 2; warp config set max_coding_cycles 9; warp config set max_no_progress 9")
	exit, said := p.drive()
	p.judge(exit, said, failed)
	if n := len(p.gates()); n != 3 {
		t.Errorf("two retries are three attempts, and there were %d\n%s", n, said)
	}
}

// Where no agent is asked to fix anything, a gate is asked once: a person has to,
// and is told what it said.
func TestAGateBeforeTheMergeIsAskedOnce(t *testing.T) {
	t.Parallel()
	p := guarded(t, script{}, "merge_ready", `[ -e "$(dirname "$0")/signed" ] && exit; echo "nobody has signed it"; exit 1`)
	exit, said := p.drive()
	o := p.evidence().Outcome
	if exit != 13 || o.Result != evidence.Person || !strings.Contains(o.Why, "nobody has signed it") || len(p.gates()) != 1 {
		t.Fatalf("it ended with %d, %+v, asked %d times\n%s", exit, o, len(p.gates()), said)
	}
	if out := p.sh("warp evidence 1"); !strings.Contains(out, "| nobody has signed it") {
		t.Errorf("%s", out)
	}
	p.sh("touch ../signed")
	exit, _ = p.warp("resume")
	p.judge(exit, "", merged)
}

// Logs outlive the drive's own work tree.
func TestLogsOutliveAWorktree(t *testing.T) {
	t.Parallel()
	p := driven(t, script{})
	p.sh(`warp config set verification_gates '{"tests_passed": ["echo all is well"]}'`)
	if exit, said := p.drive("--worktree"); exit != 0 {
		t.Fatalf("it ended with %d\n%s", exit, said)
	}
	var logs []string
	for _, g := range rows[evidence.Gate](p, "gate") {
		if g.Log != "" {
			logs = append(logs, g.Log)
		}
	}
	for _, r := range p.evidence().Tests {
		logs = append(logs, r.Log)
	}
	if len(logs) < 3 {
		t.Errorf("logs are %q", logs)
	}
	for _, log := range logs {
		if !filepath.IsAbs(log) {
			log = filepath.Join(p.root, log)
		}
		if _, err := os.Stat(log); err != nil {
			t.Error(err)
		}
	}
}

// Tests that were red hide nothing that is new: what crashed has no name.
func TestRedTestsHideNoCrash(t *testing.T) {
	t.Parallel()
	for name, fails := range sample(t, map[string]string{
		"another exit code":   `exit 2`,
		"a crash":             `echo "Segmentation fault (core dumped)"; exit 1`,
		"another target":      `echo "make: *** [Makefile:3: integration] Error 1"; exit 1`,
		"another test":        `echo "FAILED tests/test_b.py::test_new - assert"; exit 1`,
		"nothing":             ``,
		"words, but the same": `echo "all but one passed"`,
	}, "another exit code", "a crash", "words, but the same") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, script{})
			p.write("../red.sh", "echo 'FAILED tests/test_a.py::test_old - assert'; echo '=== 1 failed in 0.10s ==='\n[ -e demo_AC-01.js ] && { "+fails+"\ntrue; }\nexit 1\n")
			p.sh("warp config set test_command 'sh " + p.beside("red.sh") + "'")
			exit, said := p.drive()
			if strings.Contains(fails, "exit") {
				p.judge(exit, said, failed)
				return
			}
			p.judge(exit, said, merged)
			if !strings.Contains(said, "fails as it did before") {
				t.Errorf("%s", said)
			}
		})
	}
}

// A commit hook that formats has its way, whether it refuses what it has changed
// or not; what is committed was judged and tested, and nothing is left changed.
func TestCommitHooksThatFormat(t *testing.T) {
	t.Parallel()
	for name, code := range sample(t, map[string]string{"silently": "0", "and refuses": "1"}, "and refuses") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, script{})
			p.sh(`cat > .git/hooks/pre-commit <<'END'
#!/bin/sh
code=0
for f in $(git diff --cached --name-only -- 'demo_*'); do
	grep -q '^// formatted' "$f" || { echo '// formatted' >> "$f"; git add "$f"; code=` + code + `; }
done
exit $code
END
chmod +x .git/hooks/pre-commit
echo 'echo left >> left.txt; sh test.sh' > ../test.sh
warp config set test_command 'sh ` + p.beside("test.sh") + `'`)
			exit, said := p.drive()
			p.judge(exit, said, merged)
			for _, f := range []string{"demo_AC-01.js", "demo_AC-02.js"} {
				if text := p.sh("git show main:" + f); !strings.Contains(text, "// formatted") {
					t.Errorf("%s: %q\n%s", f, text, said)
				}
			}
			if left := p.sh("git status --porcelain -- 'demo_*'"); left != "" {
				t.Errorf("left are %s", left)
			}
			if n := len(rows[evidence.Verdict](p, "verdict")); n != 2 {
				t.Errorf("there are %d verdicts\n%s", n, said)
			}
		})
	}
}

// Who turns the tests off has not turned the commit hooks off.
func TestCommitHooksAreAskedWithoutTests(t *testing.T) {
	t.Parallel()
	p := driven(t, script{work: `for id in $ids; do echo "// TODO $(date +%N)" > demo_$id.js; done`, judge: lies})
	p.sh(`printf '#!/bin/sh\n! git grep --cached -q TODO -- "demo_*" || { echo "no TODO, please"; exit 1; }\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
warp config set test_before_commit false`)
	exit, said := p.drive()
	p.judge(exit, said, failed)
	if strings.Contains(said, " commit  ") || !strings.Contains(said, "the tests were not run: test_before_commit is false") {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	if out := p.sh("warp evidence 1"); !strings.Contains(out, "no TODO, please") {
		t.Errorf("%s", out)
	}
}
