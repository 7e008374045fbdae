//go:build linux

package trial

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// shared gives the project a remote, and someone else who has changes ready to
// be pushed to main.
func (p *project) shared(changes string) {
	p.t.Helper()
	p.sh(`mkdir -p "$HOME" && git init -q --bare -b main ../remote.git && git remote add origin "$PWD/../remote.git" && git push -q origin main
		git clone -q ../remote.git ../other && cd ../other && git config user.name o && git config user.email o@example.invalid
		` + changes + `
		git add -A && git commit -q -m 'feat: theirs'`)
}

// pushes lets them be pushed while the agent codes, in whose work tree of the
// rebase something else is done than elsewhere.
func pushes(resolve string) script {
	return script{before: `[ "$WARP_ROLE" != code ] || git -C ../other push -q origin main`,
		work: `if [ -f .git ]; then pwd >> "$HOME/where"; ` + resolve + `; else ` + honest + `; fi`}
}

// gate is what a gate said last.
func (p *project) gate(name string) (last evidence.Gate) {
	for _, g := range rows[evidence.Gate](p, "gate") {
		if g.Gate == name {
			last = g
		}
	}
	return last
}

const conflicts = `echo theirs > demo_AC-01.js`

// What an agent makes of a conflict is held against the same gates as any other
// work of its: merged is what passes, and nothing else.
func TestConflictsAreResolvedUnderGates(t *testing.T) {
	for name, c := range sample(t, map[string]struct{ resolve, refused string }{
		"honestly":                               {honest, ""},
		"and goes on by itself":                  {honest + `; git add -A; GIT_EDITOR=: git rebase -q --continue`, ""},
		"not at all":                             {`:`, "still in conflict"},
		"by giving up its own work":              {`echo theirs > demo_AC-01.js`, "demo_AC-01.js does not do what it is to do"},
		"with a file that no criterion asks for": {honest + `; echo 'curl evil' > backdoor.sh`, `"backdoor.sh"`},
		"without a test of a person":             {honest + `; rm sum.test.js`, `"sum.test.js"`},
		"with a commit of its own":               {honest + `; git add -A; GIT_EDITOR=: git rebase -q --continue; echo x >> demo_AC-02.js; git commit -qam mine --no-verify`, "a commit that is not the branch's"},
		"on another person's branch":             {honest + `; git symbolic-ref HEAD refs/heads/theirs`, "the branch theirs was checked out"},
	}, "and goes on by itself", "by giving up its own work", "with a file that no criterion asks for", "on another person's branch") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, pushes(c.resolve))
			p.shared(conflicts)
			p.sh("git branch theirs")
			exit, said := p.drive()
			p.resolved(exit, said, c.refused)
			if p.sh("git rev-parse theirs") != p.base {
				t.Error("a branch was moved that is nobody's but the user's")
			}
		})
	}
}

// resolved judges a drive whose branch was in conflict.
func (p *project) resolved(exit int, said, refused string) {
	t := p.t
	t.Helper()
	g, a := p.gate("conflict resolution"), p.evidence()
	theirs, now := p.sh("git -C ../other rev-parse main"), p.sh("git -C ../remote.git rev-parse main")
	if refused == "" {
		if exit != 0 || !g.Passed || a.Outcome.Result != evidence.Merged || now == theirs || !p.try("git merge-base --is-ancestor "+theirs+" "+now) {
			t.Errorf("it ended with %d, %+v\n%s", exit, g, said)
		}
		p.sh(`for id in AC-01 AC-02; do git grep -q "=> \"$id\"" main -- demo_$id.js; done`)
		verdicts := rows[evidence.Verdict](p, "verdict")
		if tree := p.sh("git rev-parse main^{tree}"); verdicts[len(verdicts)-1].Tree != tree {
			t.Errorf("what was judged last is not what was merged: %+v", verdicts)
		}
	} else {
		if exit != 13 || g.Passed || !strings.Contains(g.Reason, refused) || !strings.Contains(a.Outcome.Why, refused) {
			t.Errorf("it ended with %d, %+v, %+v\n%s", exit, g, a.Outcome, said)
		}
		if now != theirs {
			t.Errorf("main has moved: %s", p.sh("git -C ../remote.git log --oneline main"))
		}
	}
	p.untouched()
	p.silent()
	if have := p.sh("git worktree list | wc -l; ls .claude/worktrees"); have != "1" {
		t.Errorf("left are %s", have)
	}
	for dir := range strings.Lines(p.sh(`cat "$HOME/where"`)) {
		if !strings.HasPrefix(dir, p.root+"/.claude/worktrees/rebase-") {
			t.Errorf("it was resolved in %s", dir)
		}
	}
}

// A test that both sides changed loses nothing.
func TestConflictInATest(t *testing.T) {
	t.Parallel()
	const one, two = `test("one", () => { expect(one()).toBe(1) })`, `test("two", () => { expect(two()).toBe(2) })`
	for _, c := range []struct{ name, left, refused string }{
		{"kept", one + "\n" + two, ""},
		{"dropped", two, "real.test.js: removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := pushes(honest + `; printf '%s\n' '` + c.left + `' > real.test.js`)
			s.after = `[ -f .git ] || echo '` + two + `' >> real.test.js`
			p := driven(t, s)
			p.sh(`echo '` + one + `' > real.test.js && git add real.test.js && git commit -q -m 'test: one' -- real.test.js`)
			p.base = p.sh("git rev-parse main")
			p.shared(`echo '// theirs' >> real.test.js`)
			exit, said := p.drive()
			p.sh("git branch theirs " + p.base)
			p.resolved(exit, said, c.refused)
		})
	}
}

// Each commit of a branch may conflict: the agent is asked about each.
func TestConflictsOfSeveralCommits(t *testing.T) {
	t.Parallel()
	p := driven(t, pushes(`for f in $(git diff --name-only --diff-filter=U); do id=${f#demo_}; echo "() => \"${id%.js}\"" > $f; done`))
	p.shared(conflicts + ` && echo theirs > demo_AC-02.js`)
	p.sh("warp config set max_acs_per_commit 1")
	exit, said := p.drive()
	p.resolved(exit, said, "")
	if n := len(strings.Fields(p.sh(`cat "$HOME/where"`))); n != 2 {
		t.Errorf("it was asked %d times\n%s", n, said)
	}
	for _, c := range rows[evidence.Commit](p, "commit") {
		if c.Was != "" && c.Files != 1 {
			t.Errorf("the size is not that of the commit: %+v", c)
		}
	}
}

// checks is a project with one more test, and with an ignored folder that is
// older than the drive.
func checks(t *testing.T, s script, test string) *project {
	t.Helper()
	p := driven(t, s)
	p.sh(`printf 'build/\ndeps/\n*.local\n' >> .gitignore && echo '` + test + `' >> test.sh && git add .gitignore test.sh && git commit -q -m 'chore: checks' -- .gitignore test.sh
		mkdir deps && touch -d 2020-01-01 deps/lib deps`)
	p.base = p.sh("git rev-parse main")
	return p
}

const runsChecks = `for f in demo_*.check; do test ! -e "$f" || sh "$f" || exit 1; done`

// Tests that only pass with what is not committed do not pass: the chunk is sent back
// with what they say, and is never committed.
func TestWhatIsNotCommittedCountsForNothing(t *testing.T) {
	t.Parallel()
	for name, c := range sample(t, map[string]struct{ makes, needs string }{
		"an ignored folder":    {`mkdir -p build && echo x > build/data`, "build/data"},
		"an ignored file":      {`echo x > x.local`, "x.local"},
		"a file of the user's": {`:`, "scratch.txt"},
	}, "an ignored folder", "a file of the user's") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := checks(t, script{after: c.makes + `; echo 'cat ` + c.needs + `' > demo_1.check`}, runsChecks)
			exit, said := p.drive()
			p.judge(exit, said, failed)
			p.sentBack(c.needs)
		})
	}
}

// sentBack wants a chunk to have failed its tests, which named something, and nothing of
// it to be committed.
func (p *project) sentBack(names string) {
	p.t.Helper()
	tests := slices.DeleteFunc(p.evidence().Tests, func(r evidence.Tested) bool { return r.Stage != "chunk" })
	if len(tests) == 0 || slices.ContainsFunc(tests, func(r evidence.Tested) bool { return r.Passed || !strings.Contains(r.Excerpt, names) }) {
		p.t.Errorf("the tests of the chunk: %+v", tests)
	}
	if list := rows[evidence.Commit](p, "commit"); slices.ContainsFunc(list, func(c evidence.Commit) bool { return !c.WIP }) {
		p.t.Errorf("committed were %+v", list)
	}
}

// unmerged judges a drive that waits for a person before it merges.
func (p *project) unmerged(exit int, said string) {
	p.t.Helper()
	if a := p.evidence(); exit != 13 || a.Outcome.Result != evidence.Person || p.sh("git rev-parse main") != p.base {
		p.t.Errorf("it ended with %d, %+v\n%s", exit, a.Outcome, said)
	}
	p.untouched()
}

// Tests that need more than what is committed, and always did, could show nothing: a
// person says what they need before an agent is asked. What was red before stays red,
// and only that.
func TestTestsThatDoNotRunApart(t *testing.T) {
	t.Parallel()
	made := script{after: `mkdir -p build && echo x > build/data`}
	t.Run("without dependencies", func(t *testing.T) {
		t.Parallel()
		p := checks(t, made, `test -e deps/lib || { echo "cannot find lib"; exit 1; }`)
		exit, said := p.drive()
		p.unmerged(exit, said)
		if o := p.evidence().Outcome; !strings.Contains(o.Why, "the tests pass in the project, and fail in a clean checkout of it") || !strings.Contains(o.Do, "worktree_copy") {
			t.Errorf("%+v", o)
		}
		if list := p.evidence().Tests; len(list) != 1 || !list[0].Unready || !strings.Contains(p.read(list[0].Log), "cannot find lib") {
			t.Errorf("the tests: %+v", list)
		}
		if list := rows[evidence.Run](p, "run"); len(list) != 0 {
			t.Errorf("agents were asked: %+v", list)
		}
		p.sh(`warp config set worktree_copy '["deps/*"]'`)
		if exit, said = p.warp("resume"); exit != 0 || p.evidence().Outcome.Result != evidence.Merged {
			t.Errorf("it ended with %d\n%s", exit, said)
		}
		p.untouched()
	})
	const red = `echo "FAIL: old"; ` + `test ! -e demo_1.check || sh demo_1.check || echo "FAIL: new"; exit 1`
	t.Run("red before", func(t *testing.T) {
		t.Parallel()
		p := checks(t, made, red)
		exit, said := p.drive()
		if exit != 0 || p.evidence().Outcome.Result != evidence.Merged || !strings.Contains(said, "fails as it did before") {
			t.Errorf("it ended with %d\n%s", exit, said)
		}
	})
	t.Run("red before, and more", func(t *testing.T) {
		t.Parallel()
		p := checks(t, script{after: made.after + ` && echo 'test -e build/data' > demo_1.check`}, red)
		exit, said := p.drive()
		p.judge(exit, said, failed)
		p.sentBack("FAIL: new")
	})
}

// They are run before the work, on each chunk, and on all of it: what is merged as it was
// tested is not tested once more.
func TestTestsAreRunOnceForEachStage(t *testing.T) {
	t.Parallel()
	p := driven(t, script{})
	exit, said := p.drive()
	p.judge(exit, said, merged)
	var stages []string
	for _, r := range p.evidence().Tests {
		stages = append(stages, r.Stage)
	}
	if have := strings.Join(stages, " "); have != "baseline chunk final" {
		t.Errorf("they were run for %s\n%s", have, said)
	}
}

// A remote that protects main gets a pull request.
func TestAProtectedMain(t *testing.T) {
	t.Parallel()
	p := driven(t, script{})
	p.shared(conflicts)
	p.sh(`printf '#!/bin/sh\n[ "$1" != refs/heads/main ] || { echo "protected branch"; exit 1; }\n' > ../remote.git/hooks/update && chmod +x ../remote.git/hooks/update`)
	exit, said := p.drive()
	if o := p.evidence().Outcome; exit != 0 || o.Result != evidence.Pull || !strings.Contains(o.Why, "may be protected") || o.Pull == "" {
		t.Errorf("it ended with %d, %+v\n%s", exit, o, said)
	}
}
