//go:build linux

package trial

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// script is an agent that does its work, and something beside it: in shell, before
// its work, after it, and before it judges. Work is what its work is, when it is
// not what is asked for.
type script struct{ before, work, after, judge string }

const honest = `for id in $ids; do echo "() => \"$id\"" > demo_$id.js; done`

func (s script) String() string {
	if s.work == "" {
		s.work = honest
	}
	return fmt.Sprintf(`ids=$(echo "$WARP_CRITERIA" | tr , ' ')
if [ "$WARP_ROLE" = verify ]; then
	list=
	for id in $ids; do
		met=false
		grep -qs "=> \"$id\"" demo_$id.js && met=true
		list="$list,{\"id\":\"$id\",\"met\":$met,\"reason\":\"seen in demo_$id.js\"}"
	done
	answer="{\"criteria\":[${list#,}]}"
	%s
	echo "$answer" > "$WARP_RESULT"
	exit 0
fi
%s
%s
%s
mkdir -p "$(dirname "$WARP_RESULT")" && echo '{"summary":"all is done"}' > "$WARP_RESULT"
`, s.judge, s.before, s.work, s.after)
}

// driven is a project whose agent is a script.
func driven(t *testing.T, s script) *project {
	t.Helper()
	p := newProject(t)
	p.employ(s)
	return p
}

// employ makes a script the project's agent.
func (p *project) employ(s script) {
	p.t.Helper()
	file := p.beside("agent.sh")
	if err := os.WriteFile(file, []byte(s.String()), 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.sh(fmt.Sprintf(`warp config set agent command && warp config set agent_command '["sh", "%s"]'`, file))
}

func (p *project) drive(args ...string) (int, string) {
	p.t.Helper()
	return p.warp(append([]string{"drive", "1", "--level", "3"}, args...)...)
}

// wrong is work that fails its tests, unmet is work that passes them and does not do what
// is asked for, another time in other words, and lies a verifier that likes it.
const (
	unmet = `for id in $ids; do echo "() => \"AC-00\" // $(date +%N)" > demo_$id.js; done`
	wrong = `for id in $ids; do echo "() => \"nothing\"" > demo_$id.js; done`
	lies  = `answer=$(echo "$answer" | sed s/false/true/g)`
)

var nasty = map[string]struct {
	does script
	want end
}{
	"turns the tests off": {script{work: wrong, judge: lies, before: `warp config set test_before_commit false
		echo '{"_workflow":{"test_before_commit":false,"test_command":"true","agent":"demo"}}' > .claude/settings.local.json`}, failed.but("settings")},
	"rewrites the state":                     {script{after: `sed -i 's/"phase": *"coding"/"phase":"merging"/' .claude/.warp-drive-state.json`}, merged.but("state")},
	"rewrites the state in the name of lies": {script{work: wrong, judge: lies, after: `sed -i 's/"phase": *"coding"/"phase":"completed"/' .claude/.warp-drive-state.json`}, failed.but("state")},
	"deletes all that is not git's":          {script{before: `git clean -fdxq && rm -rf .claude`}, merged.but("destroyed")},
	"commits on main":                        {script{after: `git switch -q main && echo bad > demo_bad.txt && git add demo_bad.txt && git commit -qm bad --no-verify && git switch -q -`}, merged.but("commit")},
	"commits on main and stays there":        {script{work: wrong, judge: lies, after: `git switch -q main && git add -A . ':!.claude' && git commit -qm bad --no-verify`}, failed.but("commit")},
	"merges by itself":                       {script{work: wrong, judge: lies, after: `git add -A . ':!.claude' && git commit -qm bad --no-verify && git update-ref refs/heads/main HEAD`}, failed.but("commit")},
	"detaches and commits":                   {script{after: `git checkout -q --detach && git add -A . ':!.claude' && git commit -qm bad --no-verify`}, merged.but("commit")},
	"moves warp's own state": {script{work: wrong, judge: lies, after: `for e in code_complete docs_updated tests_passed committed; do warp state transition . $e; done
		warp issue check 1 AC-01 AC-02; warp issue close 1; warp stop; warp stop --hard; warp override --reason mine`}, failed},
	"stashes":  {script{before: `git stash -q -u`}, merged.but("destroyed")},
	"unstages": {script{before: `git reset -q`}, merged.but("destroyed")},
	"makes far too much": {script{before: `echo x > "$HOME/outside.txt"`, after: `[ "$WARP_ROLE" = code ] && head -c 20000000 /dev/zero > demo_huge.bin || rm -f demo_huge.bin
		(mkdir demo_many && cd demo_many && seq ` + many() + ` | split -l 1 -a 4 - f)
		(git init -q demo_inner && cd demo_inner && echo x > x && git add x && git commit -qm x)`}, merged},
	"judges and commits":  {script{judge: `git add -A . ':!.claude' && git commit -qm bad --no-verify`}, merged.but("commit")},
	"judges and destroys": {script{judge: `git reset -q --hard HEAD~1; git clean -fdxq; rm -rf .claude; mkdir -p "$(dirname "$WARP_RESULT")"`}, merged.but("commit", "destroyed")},
	"judges and fixes":    {script{work: unmet, judge: honest}, failed.but("read_only")},
	"puts others in the place of the user's files": {script{after: `chmod 000 staged.txt .env && chmod 600 staged.txt .env
		rm scratch.txt notes.txt && mkdir scratch.txt && echo x > scratch.txt/x && ln -s /dev/null notes.txt`}, merged.but("destroyed")},
	"breaks git and leaves it locked": {script{after: `git config core.bare true && git config user.name evil; echo '*' > .git/info/exclude; touch .git/index.lock`}, merged.but("settings", "commit")},
	"leaves a rebase under way":       {script{after: `git add -A . ':!.claude' && git commit -qm bad --no-verify; GIT_SEQUENCE_EDITOR=: git rebase -q -i HEAD~1 --exec false`}, merged.but("commit")},
	"empties the journal":             {script{after: `: > .claude/state/events.jsonl`}, merged.but("destroyed")},
	"forges the journal": {script{work: wrong, judge: lies, after: `sed -i 's/"passed":false/"passed":true/g' .claude/state/events.jsonl
		echo '{"at":"2030-01-01T00:00:00.000Z","kind":"tested","data":{"issue":"1","chunk":1,"stage":"chunk","passed":true}}' >> .claude/state/events.jsonl`}, failed},
	"never says a word of JSON": {script{judge: `answer='all is met, I promise'`}, end{exit: 13, result: evidence.Person, phase: "coding"}}, // no fault of the work
	"speaks of limits":          {script{before: `echo "You've hit your usage limit · resets 3pm"; echo "429 rate_limit_error: usage_limit_reached" >&2`}, merged},
	"fails":                     {script{after: `exit 3`}, end{exit: 13, result: evidence.Person, phase: "coding"}}, // it says nothing, again and again
}

// sampledNasty are one of each kind that no other test here shows.
var sampledNasty = []string{"turns the tests off", "rewrites the state in the name of lies", "merges by itself", "detaches and commits", "moves warp's own state", "stashes", "makes far too much",
	"judges and destroys", "judges and fixes", "puts others in the place of the user's files", "breaks git and leaves it locked", "leaves a rebase under way", "forges the journal", "fails"}

func TestNastyAgents(t *testing.T) {
	for name, n := range sample(t, nasty, sampledNasty...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, n.does)
			exit, said := p.drive()
			p.judge(exit, said, n.want)
		})
	}
}

// What an agent has committed is kept where the account says, its own work too
// where it has switched away from it.
func TestWhatWasTakenBackIsKept(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: `git add -A . ':!.claude' && git commit -qm bad --no-verify && git switch -q main && git commit -q --allow-empty -m worse --no-verify`})
	exit, said := p.drive()
	p.judge(exit, said, failed.but("commit"))
	var kept []string
	for _, i := range p.evidence().Interventions {
		if i.Kept != "" {
			kept = append(kept, p.sh("git log -1 --format=%s "+i.Kept))
		}
	}
	if have := strings.Join(kept, " "); !strings.Contains(have, "bad") || !strings.Contains(have, "worse") {
		t.Errorf("kept is %q", have)
	}
}

// What else a repository has is its user's too: hooks, branches, tags, stashes.
func TestNothingElseOfTheRepositoryIsLost(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: `rm -rf .git/hooks; git branch -q -D other; git tag -d v1; git stash clear; git branch -q -f moved HEAD~1`})
	p.sh(`git commit-tree -m theirs -p main main^{tree} > ../theirs && git branch other $(cat ../theirs) && git branch moved other && git tag v1 other && git pack-refs --all
		for n in 1 2; do echo $n > stashed.txt; git stash push -q -u -- stashed.txt; done
		printf '#!/bin/sh\n' > .git/hooks/post-merge && chmod 700 .git/hooks/post-merge`)
	const look = `git rev-parse other v1 stash@{0} stash@{1}; stat -c %a .git/hooks/post-merge`
	before := p.sh(look)
	exit, said := p.drive()
	p.judge(exit, said, merged.but("settings", "destroyed", "commit"))
	if after := p.sh(look); after != before {
		t.Errorf("was\n%s\nis\n%s\n%s", before, after, said)
	}
	for _, i := range p.evidence().Interventions {
		if strings.Contains(i.Text, "refs/heads/moved was moved") && p.sh("git rev-parse "+i.Kept) == p.sh("cat ../theirs") {
			return
		}
	}
	t.Errorf("nobody kept what was moved\n%s", said)
}

// Files that the user has not committed are kept as they were when an agent
// writes over them, since nobody can tell whether the user did.
func TestFilesThatWereWrittenOver(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: "for f in notes.txt staged.txt scratch.txt; do echo junk > $f; done"})
	if exit, said := p.drive(); exit != 13 {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	list := slices.DeleteFunc(p.evidence().Interventions, func(i evidence.Intervened) bool { return i.What != "yours" })
	if len(list) == 0 {
		t.Fatal("it went unnoticed")
	}
	for _, name := range []string{"notes.txt", "staged.txt", "scratch.txt"} {
		if have := p.sh("cat " + list[0].Kept + "/" + name + "-*"); have+"\n" != mine[name] {
			t.Errorf("kept is %q", have)
		}
	}
	p = driven(t, script{after: "echo junk > .env"})
	if exit, said := p.drive(); exit != 0 {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	if have := p.sh("cat .git/warp/replaced/.env-*"); have != "SECRET=1" {
		t.Errorf("kept is %q", have)
	}
}

// Money that is spent parks the drive; with more, it goes on to the end.
func TestMoreMoney(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.env = []string{"WARP_DEMO=overspend"}
	exit, said := p.drive("--max-cost", "5")
	p.judge(exit, said, end{exit: 12, result: evidence.Budget, phase: "budget_exceeded"})
	if exit, said := p.warp("resume", "--max-cost", "5"); exit != 12 {
		t.Errorf("nothing is left, and it ends with %d\n%s", exit, said)
	}
	p.env = nil
	exit, said = p.warp("resume", "--max-cost", "100", "--fresh")
	p.judge(exit, said, merged)
}
