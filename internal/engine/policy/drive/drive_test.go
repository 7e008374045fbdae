package drive_test

import (
	"context"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
)

const (
	one  = "## Acceptance criteria\n\n- [ ] AC-01: there is AC-01.txt\n"
	four = "## Acceptance criteria\n\n- [ ] AC-01: a\n- [ ] AC-02: b\n- [ ] AC-03: c\n- [ ] AC-04: d\n"
	two  = "## Acceptance criteria\n\n- [ ] AC-01: there is AC-01.txt\n- [ ] AC-02: there is AC-02.txt\n"
)

func TestAnIssueIsMerged(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	e := s.engine(drive.Options{Issue: "1"})
	ends, err := e.Run(t.Context())
	s.must(err)
	s.results(ends, evidence.Merged)
	s.want("the target", s.sh("git log --format=%s -2 main"), "feat: Thing 1 (#1)\nchore: begin")
	s.want("the remote", s.sh("git -C ../origin.git rev-parse main"), ends[0].Commit)
	s.want("checked out", s.sh("git branch --show-current; git status --porcelain"), "main")
	s.want("what was asked", s.roles(), "code verify")
	s.filed("warp-drive")
	s.told(1, "**Merged as ", "report #1.1 ")
	if i := s.issue(1); i.Open || !strings.Contains(i.Body, "- [x] AC-01") {
		t.Errorf("%+v", i)
	}
	b := s.book()
	if len(b.Runs) != 2 || len(b.Verdicts) != 1 || len(b.Commits) != 1 || len(b.Outcomes) != 1 || b.Commits[0].Row.Hash != ends[0].Commit {
		t.Errorf("the book: %d runs, %d verdicts, %+v, %+v", len(b.Runs), len(b.Verdicts), b.Commits, b.Outcomes)
	}
	var stages []string
	for _, row := range b.Tests {
		stages = append(stages, row.Row.Stage)
	}
	s.want("the tests", strings.Join(stages, " "), "baseline chunk final")
	if u := e.Spent(); u.MicroUSD != 2*cost || len(e.Windows()) != 1 {
		t.Errorf("spent %+v, windows %v", u, e.Windows())
	}
}

func TestAPlanMakesTheChunks(t *testing.T) {
	t.Parallel()
	s := newScene(t, four)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Plan {
			return map[string]any{"approach": "with hunter2", "chunks": [][]string{{"AC-01", "AC-02"}, {"AC-03", "AC-04"}}}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the commits", s.sh("git log --format=%s -2 main"), "feat: Thing 1 (#1, part 2 of 2)\nfeat: Thing 1 (#1, part 1 of 2)")
	s.want("what was asked", s.roles(), "plan code verify code verify")
	if last := s.asked[3]; !strings.Contains(last.Prompt, "with ***") || strings.Contains(last.Prompt, "AC-01: a\nAC-02") {
		t.Errorf("%s", last.Prompt)
	}
	for _, c := range s.issue(1).Comments {
		if strings.Contains(c.Body, "hunter2") {
			t.Error("a secret was filed")
		}
	}
}

func TestAPlanThatIsNoneIsDoneWithout(t *testing.T) {
	t.Parallel()
	s := newScene(t, "An architectural thing.\n\n"+one)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Plan {
			return "echo planned > code.txt; exit 3"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.says("no approach was drafted")
	s.want("a planner's change", s.sh("cat code.txt"), "one")
}

func TestALevelTwoDriveOpensAPullRequest(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.sh("git switch -q -c mine")
	ends := s.drive(drive.Options{Issue: "1", Level: 2}, evidence.Pull)
	s.want("the target", s.sh("git log --format=%s main"), "chore: begin")
	s.want("the branch on the remote", s.sh("git -C ../origin.git rev-parse mine"), ends[0].Commit)
	p, err := s.Pull(t.Context(), 1)
	s.must(err)
	if p.Head != "mine" || p.Base != "main" || !s.issue(1).Open || ends[0].Pull != p.URL {
		t.Errorf("%+v, %+v", p, ends[0])
	}
}

func TestWithoutAutoMergeAPullRequestIsOpened(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"auto_merge": false, "test_before_commit": false})
	s.drive(drive.Options{Issue: "1"}, evidence.Pull)
	s.want("checked out", s.sh("git branch --show-current"), "main")
	s.says("test_before_commit is false")
}

// named is a tracker of another name.
type named struct{ forge.Tracker }

func (named) Name() string { return "elsewhere" }

func TestAPullRequestNeedsARemote(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.Tracker = named{s.Tracker}
	s.sh("git switch -q -c mine")
	s.drive(drive.Options{Issue: "1", Level: 2}, evidence.Person)
	s.says("a pull request needs a remote")
	s.sh("git init -q --bare -b main ../origin.git && git remote add origin ../origin.git && git push -q origin main")
	s.drive(drive.Options{Only: true}, evidence.Pull)
}

func TestRequirementsAreTakenInOneSession(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, "Depends on #1\n\n"+strings.ReplaceAll(one, "AC-01", "AC-02"))
	s.drive(drive.Options{}, evidence.Merged, evidence.Merged)
	s.want("the commits", s.sh("git log --format=%s -2 main"), "feat: Thing 2 (#2)\nfeat: Thing 1 (#1)")
	s.filed("session-summary")
	s.told(1, "**Merged")
	s.told(2, "**Merged", "- **AC-02** met")
	s.drive(drive.Options{}, evidence.NoWork)
	s.drive(drive.Options{Once: true}, evidence.NoWork)
}

func TestOnceIsOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, strings.ReplaceAll(one, "AC-01", "AC-02"))
	s.drive(drive.Options{Once: true}, evidence.Merged)
	if !s.issue(2).Open {
		t.Error("the second was driven, too")
	}
}

func TestWhatCannotBeDrivenIsSaid(t *testing.T) {
	t.Parallel()
	s := newScene(t, "Depends on #2\n\n"+one, one, "nothing to do", strings.ReplaceAll(one, "[ ]", "[x]"), one)
	s.must(s.Label(t.Context(), 2, nil, []string{"approved"}))
	s.must(s.Close(t.Context(), 5))
	for issue, why := range map[string]string{
		"1": "#1 waits for #2", "2": "it is not labelled approved", "3": "it has no acceptance criteria", "4": "every criterion is checked off already",
		"5": "it is closed", "x": "is not an issue number", "77": "77",
	} {
		o := s.engine(drive.Options{Issue: issue}).Fit(t.Context())
		if o == nil || !strings.Contains(o.Why, why) {
			t.Errorf("%s: %+v", issue, o)
		}
		ends := s.drive(drive.Options{Issue: issue}, evidence.Person)
		if !strings.Contains(ends[0].Why, why) {
			t.Errorf("%s: %+v", issue, ends)
		}
	}
	if s.exists(".claude/.warp-drive-state.json") {
		t.Error("a session is left behind")
	}
	next, err := s.engine(drive.Options{}).Next(t.Context())
	if next != "" || err != nil {
		t.Errorf("the next is %q, %v", next, err)
	}
	s.says("skipping #1: it waits for #2", "skipping #3", "skipping #4")
	s.want("what was asked", s.roles(), "")
}

func TestPreview(t *testing.T) {
	t.Parallel()
	s := newScene(t, four, one)
	p, err := s.engine(drive.Options{Budget: agent.Budget{MicroUSD: 5}}).Preview(t.Context())
	s.must(err)
	if p.Issue != "1" || p.Level != 3 || len(p.Plan) != 2 || len(p.Files) != 3 || p.Tests != "sh test.sh" || p.Most != 20 || p.Branch != "feature/issue-1-thing-1" || p.Caps.MicroUSD != 5 {
		t.Errorf("%+v", p)
	}
	s.settings(map[string]any{"test_before_commit": false})
	p, err = s.engine(drive.Options{Issue: "2", Level: 2}).Preview(t.Context())
	s.must(err)
	if p.Branch != "feature/issue-2-thing-2" || len(p.Plan) != 1 || !strings.Contains(p.Tests, "not run") {
		t.Errorf("%+v", p)
	}
	if _, err := s.engine(drive.Options{Level: 1}).Preview(t.Context()); err == nil {
		t.Error("level 1 is previewed")
	}
	s.settings(map[string]any{"test_command": ""})
	p, err = s.engine(drive.Options{Issue: "1"}).Preview(t.Context())
	if err == nil && !strings.Contains(p.Tests, "no test command") {
		t.Errorf("%+v", p)
	}
	s.want("git", s.sh("git branch; git status --porcelain"), "* main")
	if s.exists(".claude/.warp-drive-state.json") {
		t.Error("a preview begins a session")
	}
}

func TestNextGivesEachIssueOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, one)
	e := s.engine(drive.Options{})
	var have string
	for range 3 {
		n, err := e.Next(context.Background())
		s.must(err)
		have += n + ","
	}
	s.want("they", have, "1,2,,")
}

func TestASessionIsBegunOnlyWhereItCanBe(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	for level, fits := range map[int]bool{1: false, 2: true, 3: true} {
		if o := s.engine(drive.Options{Issue: "1", Level: level}).Fit(t.Context()); (o == nil) != fits {
			t.Errorf("level %d: %+v", level, o)
		}
	}
	if _, err := s.engine(drive.Options{Only: true}).Run(t.Context()); err == nil || err.Error() != (&drive.Nothing{}).Error() {
		t.Errorf("nothing to resume: %v", err)
	}
	s.settings(map[string]any{"test_command": "no-such-program-at-all"})
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.says("the tests do not run, before any change")
	s.settings(nil)
	if _, err := s.engine(drive.Options{Issue: "7"}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "#1 is unfinished here") {
		t.Errorf("another issue: %v", err)
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
}
