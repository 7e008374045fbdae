package drive_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
)

// guarded is a tracker to which not everybody may write.
type guarded struct {
	forge.Tracker
	writers []string
}

func (g guarded) MayWrite(_ context.Context, who string) (bool, error) {
	return slices.Contains(g.writers, who), nil
}

// open are the numbers of the open issues with a label.
func (s *scene) open(label string) (numbers []int) {
	s.Helper()
	list, err := s.List(s.Context(), forge.Query{Labels: []string{label}})
	s.must(err)
	for _, i := range list {
		numbers = append(numbers, i.Number)
	}
	return numbers
}

// Questions about what is done are withdrawn, chunk by chunk; the answer to one about a chunk that
// was given up still counts.
func TestQuestionsAboutWorkThatIsOverAreWithdrawn(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	open := map[string][]string{"of AC-01": {"AC-01"}, "of AC-02": {"AC-02"}, "of the issue": nil}
	var gone []string
	s.change = func(e *drive.Engine) {
		e.Ask = func(context.Context, drive.Question) (drive.Answer, bool) { return drive.Answer{}, false }
		e.Withdraw = func(issue string, over func(int, []string) bool) {
			for name, criteria := range open {
				if issue == "1" && over(0, criteria) {
					gone = append(gone, name)
					delete(open, name)
				}
			}
		}
	}
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Chunk == 1 {
			return map[string]any{"decision": map[string]any{"question": "which colour?"}}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Partly)
	s.want("what is withdrawn", strings.Join(gone, ", "), "of AC-02, of the issue")
	s.does = nil
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what is withdrawn", strings.Join(gone, ", "), "of AC-02, of the issue, of AC-01")
}

// undecided is a drive that wants to know a colour, which nobody tells it.
func undecided(t *testing.T) *scene {
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Chunk == 1 && !strings.Contains(t.Prompt, "paint it red") {
			return map[string]any{"decision": map[string]any{"question": "which colour?"}}
		}
		return nil
	}
	s.change = func(e *drive.Engine) {
		e.Ask = func(context.Context, drive.Question) (drive.Answer, bool) { return drive.Answer{ID: "q7"}, false }
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Partly)
	if len(s.open("todo")) != 1 || len(s.open("bug-deferred")) != 1 {
		t.Fatalf("todo %v, bugs %v", s.open("todo"), s.open("bug-deferred"))
	}
	return s
}

// What someone with write access says in the issue, or in the todo that asks for it, is
// the decision; the todo and the bug are closed when they are settled.
func TestACommentIsADecision(t *testing.T) {
	for name, where := range map[string]func(*scene) int{
		"in the todo":  func(s *scene) int { return s.open("todo")[0] },
		"in the issue": func(*scene) int { return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := undecided(t)
			todo, bug := s.issue(s.open("todo")[0]), s.open("bug-deferred")[0]
			for _, want := range []string{"warp answer q7", "#1", "warp drive 1"} {
				if !strings.Contains(todo.Body, want) {
					t.Errorf("%q is not in %s", want, todo.Body)
				}
			}
			settled := ""
			ask := s.change
			s.change = func(e *drive.Engine) {
				ask(e)
				e.Settle = func(issue string, d drive.Decided) { settled += issue + " " + d.Question + " " + d.By }
			}
			s.must(s.Comment(t.Context(), where(s), forge.NewComment{Body: "Please paint it red, hunter2"}))
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			if len(s.open("todo"))+len(s.open("bug-deferred")) > 0 {
				t.Errorf("open: todo %v, bugs %v", s.open("todo"), s.open("bug-deferred"))
			}
			for n, want := range map[int]string{todo.Number: "Please paint it red, ***", bug: "AC-01"} {
				said := s.issue(n).Comments
				if len(said) == 0 || !strings.Contains(said[len(said)-1].Body, want) {
					t.Errorf("#%d was closed with %+v", n, said)
				}
			}
			s.want("the inbox", settled, "1 which colour? t")
			s.says("which colour? → Please paint it red, ***")
			s.filed("decision")
			s.told(1, "`which colour?`: `Please paint it red, ***`")
		})
	}
}

// Those who may not write decide nothing, and neither does warp itself.
func TestACommentOfAReaderIsNone(t *testing.T) {
	t.Parallel()
	s := undecided(t)
	s.must(s.Comment(t.Context(), 1, forge.NewComment{Body: "paint it red"}))
	s.must(s.Comment(t.Context(), s.open("todo")[0], forge.NewComment{Body: "paint it red"}))
	s.Tracker = guarded{s.Tracker, nil}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	if n := len(s.open("todo")); n != 1 {
		t.Errorf("%d todos are open", n)
	}
	for _, asked := range s.asked {
		if strings.Contains(asked.Prompt, "paint it red") {
			t.Errorf("it reached the prompt: %s", asked.Prompt)
		}
	}
}

// What people say before anybody asks reaches the prompt as well, warp's own words do not.
func TestCommentsReachThePrompt(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.must(s.Comment(t.Context(), 1, forge.NewComment{Body: "Use the old parser."}))
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	n := 0
	for _, asked := range s.asked {
		if asked.Role != agent.Code {
			continue
		}
		n++
		if !strings.Contains(asked.Prompt, "Use the old parser.") || strings.Contains(asked.Prompt, "Taken up by warp") {
			t.Errorf("%s", asked.Prompt)
		}
	}
	if rows := s.book().Decisions; n != 2 || len(rows) != 1 || rows[0].Row.By != "t" {
		t.Errorf("%d runs, %+v", n, rows)
	}
	s.filed("decision") // it stands in the issue already
}

// A question that was answered elsewhere is settled, too.
func TestATodoIsClosedWhenItsQuestionWasAnswered(t *testing.T) {
	t.Parallel()
	s := undecided(t)
	s.change = func(e *drive.Engine) {
		e.Late = func(_ string, chunk int, _ []string) []drive.Decided {
			if chunk == 1 {
				return []drive.Decided{{Question: "which colour?", Answer: "paint it red", By: "ann"}}
			}
			return nil
		}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if n := len(s.open("todo")); n != 0 {
		t.Errorf("%d todos are open", n)
	}
}

// A pull request closes the bugs with the issue when a person merges it.
func TestAPullRequestSettlesBugs(t *testing.T) {
	t.Parallel()
	s := undecided(t)
	s.settings(map[string]any{"max_acs_per_commit": 1, "auto_merge": false})
	s.must(s.Comment(t.Context(), 1, forge.NewComment{Body: "paint it red"}))
	bug := s.open("bug-deferred")[0]
	s.drive(drive.Options{Issue: "1"}, evidence.Pull)
	if have := s.open("bug-deferred"); len(have) != 1 {
		t.Errorf("before it is merged: %v", have)
	}
	if text := s.sh("cat .claude/pulls/*"); !strings.Contains(text, "Closes #"+strconv.Itoa(bug)) {
		t.Errorf("%s", text)
	}
}

// A chunk that is given up is not called met, though its boxes were ticked for an attempt.
func TestTheCriteriaOfABugAreNotMet(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = coding("echo AC-01 > AC-01.txt; touch broken; date >> noise.txt")
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	body := s.issue(s.open("bug-deferred")[0]).Body
	if strings.Contains(body, "** met") || !strings.Contains(body, "** given up") {
		t.Errorf("%s", body)
	}
}

// failing is a tracker that does not close the first report.
type failing struct{ forge.Tracker }

func (f failing) Close(ctx context.Context, number int) error {
	if number == 2 {
		return errors.New("the tracker is away")
	}
	return f.Tracker.Close(ctx, number)
}

// What the tracker would not close when it was merged is closed by the next drive.
func TestWhatCouldNotBeClosedIsClosedByTheNextDrive(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"report_as": "issue"})
	s.change = func(e *drive.Engine) { e.Tracker = failing{s.Tracker} }
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	isSettled := func() bool {
		_, ok := evidence.Last(s.book().Filed, func(f evidence.Filed) bool { return f.What == evidence.FiledSettled })
		return ok
	}
	if left := s.open("warp-drive"); !slices.Equal(left, []int{2}) || isSettled() {
		t.Fatalf("open are %v, settled: %v", left, isSettled())
	}
	s.change = nil
	if _, err := s.engine(drive.Options{Only: true}).Run(t.Context()); !errors.As(err, new(*drive.Nothing)) {
		t.Fatal(err)
	}
	if left := s.open("warp-drive"); len(left) > 0 || !isSettled() {
		t.Errorf("open are %v, settled: %v", left, isSettled())
	}
}
