//go:build unix

package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nightAgent does what the issue wants of it: it writes a file, breaks the tests, asks,
// crashes, or changes a file that the user is changing.
const nightAgent = `cat > "$WARP_RESULT.prompt"
case $WARP_ROLE in
plan) exit ;;
verify) echo "{\"criteria\":[{\"id\":\"$WARP_CRITERIA\",\"met\":true,\"reason\":\"it is there\"}]}" > "$WARP_RESULT"; exit ;;
esac
echo "issue $WARP_ISSUE" > "issue$WARP_ISSUE.txt"
case $WARP_ISSUE in
1) echo 'segmentation fault' >&2; kill -SEGV $$ ;;
3) echo broken $$ > issue3.txt ;;
4) rm issue4.txt; echo '{"decision":{"question":"Red or blue?","options":["red","blue"]}}' > "$WARP_RESULT"; exit ;;
6) echo six >> notes.txt ;;
esac
echo '{"summary":"done"}' > "$WARP_RESULT"
`

// nightIssues are the issues of the night, from #1 on.
var nightIssues = []struct{ title, body string }{
	{"Crashing", "- [ ] AC-01: it crashes"},
	{"Good", "- [ ] AC-02: it is good"},
	{"Failing", "- [ ] AC-03: it fails"},
	{"Asking", "- [ ] AC-04: it asks"},
	{"Vague", "Make it nicer."},
	{"Overlapping", "- [ ] AC-05: it is noted"},
	{"Depending", "Depends on #2.\n\n- [ ] AC-06: it comes later"},
}

// night is a project with seven issues, whose user is in the middle of something.
func night(t *testing.T, level string) *project {
	t.Helper()
	p := &project{t: t, root: real(t), remote: real(t), home: real(t)}
	p.write("../"+filepath.Base(p.home)+"/agent.sh", nightAgent)
	p.write("test.sh", "! grep -q broken *.txt || { echo 'FAIL: issue3.txt is broken'; exit 1; }\n")
	p.write("notes.txt", "one\n")
	p.sh("git init -q --bare -b main " + p.remote + `
		git init -q -b main && git config user.name t && git config user.email t@example.invalid && git remote add origin ` + p.remote + `
		git add . && git commit -q -m 'chore: begin' && git push -q origin main
		warp config set test_command 'sh test.sh'
		warp config set agent command
		warp config set agent_command 'sh ` + p.home + `/agent.sh'
		warp config set report_as issue
		warp config set level ` + level)
	for _, i := range nightIssues {
		p.write("../"+filepath.Base(p.home)+"/body.md", i.body)
		p.sh("warp issue new --title " + i.title + " --body-file " + p.home + "/body.md --label req --label approved")
	}
	p.write("notes.txt", "of the user\n")
	p.write("mine.txt", "of the user\n")
	p.write("staged.txt", "of the user\n")
	p.sh("git add staged.txt")
	return p
}

// nightEnds are what is left in the morning.
var nightEnds = map[string]struct{ account, open, merged, branches string }{
	"3": {
		account: `2 merged, 2 failed, 2 need you, 1 passed over, 1 question for you: cost unknown
? #1 Crashing: needs you, cost unknown: three agent runs in a row did nothing: command: it exited with code 139: segmentation fault (crashed)
    find the cause with warp agent check, then warp resume
✓ #2 Good: merged, cost unknown
    warp evidence 2
✗ #3 Failing: failed, cost unknown: chunk 1: sh test.sh failed with exit code 1 (4 attempts)
    warp evidence 3 shows what failed; warp drive 3 tries again
✗ #4 Asking: failed, cost unknown: chunk 1: a decision is needed: Red or blue?
    warp evidence 4 shows what failed; warp drive 4 tries again
? #6 Overlapping: needs you, cost unknown: main is checked out, and your uncommitted changes overlap with what it would get: "notes.txt"
    commit or stash them, then warp resume merges
✓ #7 Depending: merged, cost unknown
    warp evidence 7
· #5 Vague: passed over: it has no acceptance criteria (checkboxes such as - [ ] AC-01: …)
    warp issue edit 5
? #4 q1 asks: Red or blue?
    warp answer q1`,
		open: `Crashing
Failing
Asking
Vague
Overlapping
warp-drive: #3 chunk 1/1 given up
todo: Red or blue?
warp-drive: #4 chunk 1/1 given up
warp-drive: #6 chunk 1/1
warp-drive: session summary: 2 merged, 2 failed, 2 need you, 1 passed over, 1 question for you: cost unknown`,
		merged:   "feat: Depending (#7)\nfeat: Good (#2)\nchore: begin",
		branches: "feature/issue-6-overlapping\nmain",
	},
	"2": {
		account: `2 in pull requests, 2 failed, 1 needs you, 2 passed over, 1 question for you: cost unknown
? #1 Crashing: needs you, cost unknown: three agent runs in a row did nothing: command: it exited with code 139: segmentation fault (crashed)
    find the cause with warp agent check, then warp resume
✓ #2 Good: pull request open, cost unknown: .claude/pulls/1.md
    review and merge it: git merge feature/issue-2-good
✗ #3 Failing: failed, cost unknown: chunk 1: sh test.sh failed with exit code 1 (4 attempts)
    warp evidence 3 shows what failed; warp drive 3 tries again
✗ #4 Asking: failed, cost unknown: chunk 1: a decision is needed: Red or blue?
    warp evidence 4 shows what failed; warp drive 4 tries again
✓ #6 Overlapping: pull request open, cost unknown: .claude/pulls/2.md
    review and merge it: git merge feature/issue-6-overlapping
· #5 Vague: passed over: it has no acceptance criteria (checkboxes such as - [ ] AC-01: …)
    warp issue edit 5
· #7 Depending: passed over: it waits for #2
    warp evidence 2
? #4 q1 asks: Red or blue?
    warp answer q1`,
		open: `Crashing
Good
Failing
Asking
Vague
Overlapping
Depending
warp-drive: stopped, a person is needed
warp-drive: #2 chunk 1/1
warp-drive: #3 chunk 1/1 given up
todo: Red or blue?
warp-drive: #4 chunk 1/1 given up
warp-drive: #6 chunk 1/1
warp-drive: session summary: 2 in pull requests, 2 failed, 1 needs you, 2 passed over, 1 question for you: cost unknown`,
		merged:   "chore: begin",
		branches: "feature/issue-2-good\nfeature/issue-6-overlapping\nmain",
	},
}

// took is a duration at the end of a price.
var took = regexp.MustCompile(`(cost unknown), [0-9.]+ (s|min( [0-9]+ s)?)`)

// What can be merged is merged, each of the others has its reason, and the user finds
// everything as it was. The sample of make test has each level and each way once.
func TestANightOfSevenIssues(t *testing.T) {
	for _, c := range []struct {
		level    string
		detached bool
	}{{"3", false}, {"2", true}, {"3", true}, {"2", false}} {
		name := "level " + c.level + map[bool]string{true: " detached"}[c.detached]
		t.Run(name, func(t *testing.T) {
			if (c.level == "3") == c.detached && !wholeMatrix() {
				t.Skip("one of each is the sample; make agents runs all four")
			}
			t.Parallel()
			p, want := night(t, c.level), nightEnds[c.level]
			out := p.spend(c.detached)
			if n := strings.Count(out, "1 question for you: "); n != 2 { // on the terminal, and as the title of the summary
				t.Errorf("the account is there %d times:\n%s", n, out)
			}
			_, account, _ := strings.Cut(out, "\n\n")
			p.same("the account", took.ReplaceAllString(strings.TrimSpace(account), "$1"), want.account)
			p.same("what is open", took.ReplaceAllString(p.sh("warp issue list --json | jq -r 'sort_by(.number)[] | .title'"), "$1"), want.open)
			p.same("main", p.sh("git log --format=%s main; git fetch -q; git rev-parse main >a; git rev-parse origin/main | cmp - a; rm a"), want.merged)
			p.same("what is on the remote", p.sh("git -C "+p.remote+" branch --format='%(refname:short)'"), want.branches)
			p.same("the user's work", p.sh("git branch --show-current; git status --porcelain -- . ':!.claude'; cat notes.txt mine.txt staged.txt; git stash list"),
				"main\n M notes.txt\nA  staged.txt\n?? mine.txt\nof the user\nof the user\nof the user")
		})
	}
}

// spend drives the night to its end, and is what it has said.
func (p *project) spend(detached bool) string {
	p.t.Helper()
	if detached {
		said := p.sh("WARP_SANDBOX=off warp drive --detach")
		pid := regexp.MustCompile(`process (\d+)`).FindStringSubmatch(said)
		if pid == nil {
			p.t.Fatalf("it says %q", said)
		}
		p.sh("while kill -0 " + pid[1] + " 2>/dev/null; do sleep 0.1; done")
		return p.sh("cat .claude/state/night.out")
	}
	out, err := p.try("WARP_SANDBOX=off warp drive")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		p.t.Errorf("it ended with %v, want 3", err)
	}
	return out
}

func (p *project) same(what, have, want string) {
	p.t.Helper()
	if diff := cmp.Diff(want, have); diff != "" {
		p.t.Errorf("%s (-want +have):\n%s", what, diff)
	}
}
