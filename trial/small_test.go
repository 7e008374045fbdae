//go:build linux

package trial

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// Whatever says how git behaves is as it was before the work is pushed.
func TestGitsSettingsStayTheUsers(t *testing.T) {
	ways := map[string]string{
		"another remote":       `git config remote.origin.pushurl ../evil.git`,
		"hooks on one line":    `echo '[core]hooksPath = ../evil' >> .git/config`,
		"an alias":             `git config alias.pushed '!touch ../evil/pwned'`,
		"a filter":             `git config filter.f.clean 'touch ../evil/pwned; cat' && echo '* filter=f' > .git/info/attributes`,
		"a branch elsewhere":   `git config branch.$(git branch --show-current).remote ../evil.git`,
		"a work tree's config": `printf '[core]\n\thooksPath = ../evil\n' > .git/config.worktree`,
		"a hook":               `ln -s ../../../evil/pwn .git/hooks/pre-push`,
	}
	if !whole() {
		ways = map[string]string{"all at once": strings.Join(slices.Sorted(maps.Values(ways)), "\n")}
	}
	for name, does := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, script{after: does})
			p.sh(`git init -q --bare ../origin.git && git init -q --bare ../evil.git && mkdir ../evil && git remote add origin ../origin.git && git push -q origin main
				printf '#!/bin/sh\ntouch ../evil/pwned\n' > ../evil/pwn && chmod +x ../evil/pwn && cp ../evil/pwn ../evil/pre-push && cp ../evil/pwn ../evil/reference-transaction`)
			how := `cat .git/config; ls .git/hooks; cat .git/info/attributes .git/config.worktree 2>&1 || true`
			before := p.sh(how)
			exit, said := p.drive()
			p.judge(exit, said, merged.but("settings"))
			if now := p.sh(how); now != before {
				t.Errorf("it was\n%s\nand is\n%s", before, now)
			}
			if have := p.sh(`git -C ../evil.git for-each-ref; ls ../evil; git -C ../origin.git rev-parse main`); have != "pre-push\npwn\nreference-transaction\n"+p.sh("git rev-parse main") {
				t.Errorf("%s", have)
			}
		})
	}
}

// What git itself writes about a branch of someone else is not a misdeed.
func TestABranchMayFollowAnother(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: `git branch -q --track mine main 2>/dev/null || true`})
	exit, said := p.drive()
	p.judge(exit, said, merged)
	if strings.Contains(said, "git's own settings") || p.sh("git config branch.mine.merge") != "refs/heads/main" {
		t.Errorf("%s", said)
	}
}

// asks is an agent that asks something and learns something, once it has the
// given criterion to do.
func asks(id string) string {
	return `case $ids in *` + id + `*) echo '{"lessons":["look before you leap"],"decision":{"question":"Red or blue?","default":"red"}}' > "$WARP_RESULT"; exit 0 ;; esac`
}

func (p *project) filed(what string) (n []int) {
	for _, f := range rows[evidence.Filed](p, "filed") {
		if f.What == what {
			n = append(n, f.Number)
		}
	}
	return n
}

// What was learned is filed however a drive ends, and what is asked in every
// drive is one question.
func TestLessonsAndQuestionsAreKept(t *testing.T) {
	t.Parallel()
	p := driven(t, script{before: asks("AC-01")})
	p.sh("warp config set unattended give_up; warp config set report_as issue")
	for range 2 {
		if exit, said := p.drive(); exit != 1 {
			t.Fatalf("it ended with %d\n%s", exit, said)
		}
	}
	if n := p.filed("lesson"); len(n) != 2 { // one of each session
		t.Errorf("lessons: %v", n)
	}
	if n := p.filed("todo"); len(n) != 2 || n[0] != n[1] {
		t.Errorf("todos: %v", n)
	}
	_, said := p.warp("report")
	if strings.Count(said, "Red or blue?") != 2 || !strings.Contains(said, "why: chunk 1: a decision is needed: Red or blue?") || !strings.Contains(said, "do: warp answer q1") {
		t.Errorf("the reason and what waits, once each: %s", said)
	}
	_, said = p.warp("evidence", "1")
	if !strings.Contains(said, "no answer, so what depends on it was not done") {
		t.Errorf("%s", said)
	}
}

// What depends on something that was given up is not tried without it.
func TestWhatIsBuiltOnNothingIsNotTried(t *testing.T) {
	t.Parallel()
	p := driven(t, script{before: asks("AC-01")})
	p.write("body.md", "- [ ] AC-01: the ground\n- [ ] AC-02: depends on AC-01\n- [ ] AC-03: another thing\n- [ ] AC-04: after AC-02\n")
	p.sh(`warp config set unattended give_up && warp config set max_acs_per_commit 1 && warp issue new --title Floors --body-file body.md --label req --label approved && rm body.md`)
	if exit, said := p.warp("drive", "2", "--level", "3"); exit != 3 {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	why := map[string]string{}
	for _, k := range rows[evidence.Skipped](p, "skipped") {
		why[k.Criteria[0]] = k.Why
	}
	if len(why) != 3 || !strings.Contains(why["AC-01"], "Red or blue?") || why["AC-02"] != "AC-02 depends on AC-01, which was given up" || why["AC-04"] != "AC-04 depends on AC-02, which was given up" {
		t.Errorf("%q", why)
	}
	for _, r := range rows[evidence.Run](p, "run") {
		if r.Role == "code" && (r.Criteria[0] == "AC-02" || r.Criteria[0] == "AC-04") {
			t.Errorf("%s was tried", r.Criteria[0])
		}
	}
	for _, c := range rows[evidence.Commit](p, "commit") {
		if c.Criteria[0] != "AC-03" {
			t.Errorf("%+v", c)
		}
	}
}

// withLib gives the project a submodule, in which its user has a file.
const withLib = `git init -q -b main ../lib && git -C ../lib config user.name t && git -C ../lib config user.email t@example.invalid
echo one > ../lib/f && git -C ../lib add f && git -C ../lib commit -qm one
git -c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -qm 'chore: lib' -- .gitmodules lib
git -C lib config user.name t && git -C lib config user.email t@example.invalid && echo mine > lib/mine && touch -d yesterday lib/mine`

// What is done inside a submodule would be lost, so it does not count.
func TestWorkInsideASubmoduleDoesNotCount(t *testing.T) {
	for name, c := range sample(t, map[string]struct {
		does string
		exit int
	}{
		"changed":   {`echo x >> lib/f`, 1},
		"new":       {`echo x > lib/new`, 1},
		"committed": {`cd lib && echo x >> f && git commit -qam bad && cd ..`, 1},
		"newer":     {`git -C ../lib commit -q --allow-empty -m two && git -C lib pull -q`, 0},
		"untouched": {``, 0},
	}, "new", "committed", "newer") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, script{after: c.does})
			p.sh(withLib)
			exit, said := p.drive()
			if exit != c.exit || strings.Contains(said, `cannot be committed by a drive: "lib"`) != (c.exit != 0) {
				t.Errorf("it ended with %d\n%s", exit, said)
			}
		})
	}
}

// That not everything is protected is said.
func TestMoreFilesThanCanBeKept(t *testing.T) {
	t.Parallel()
	p := driven(t, script{})
	p.sh(`echo 'own/' >> .git/info/exclude && mkdir own && cd own && seq 1100 | split -l 1 -a 4 - f`)
	exit, said := p.drive()
	p.judge(exit, said, merged)
	if n := strings.Count(said, "not protected while agents run"); n != 1 {
		t.Errorf("it is said %d times\n%s", n, said)
	}
}

// A dry run shows all that was named, as it would be.
func TestADryRunShowsAll(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.sh(`printf '%s\n' '- [x] AC-01: a' '- [x] AC-02: b' '- [x] AC-03: c' '- [ ] AC-04: d' > body.md && warp issue new --title Second --body-file body.md --label req --label approved && rm body.md`)
	exit, said := p.warp("drive", "1", "2", "--level", "2", "--dry-run")
	if exit != 0 || !strings.Contains(said, "#1 Mail") || !strings.Contains(said, "#2 Second") || !strings.Contains(said, "feature/issue-2-second") || strings.Contains(said, "the approach") {
		t.Errorf("%d\n%s", exit, said)
	}
	if exit, said := p.warp("drive", "1", "--worktree", "--level", "2", "--dry-run"); exit != 0 || !strings.Contains(said, "feature/issue-1-mail") {
		t.Errorf("%d\n%s", exit, said)
	}
	if exit, said := p.warp("drive", "1", "--level", "2", "--dry-run"); exit != 0 || !strings.Contains(said, "feature/issue-1-mail") {
		t.Errorf("on the main branch the drive makes its own: %d\n%s", exit, said)
	}
	p.sh("git switch -q -c mine")
	if exit, said := p.warp("drive", "1", "--level", "2", "--dry-run"); exit != 0 || !strings.Contains(said, "the one that is checked out") {
		t.Errorf("%d\n%s", exit, said)
	}
	if exit, said := p.warp("drive", "1", "7", "--level", "2", "--dry-run"); exit != 2 || !strings.Contains(said, "there is no issue 7") {
		t.Errorf("%d\n%s", exit, said)
	}
}
