package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/learning"
	"warp/internal/core/scope"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

const (
	stuckAt     = 3    // failing iterations before the supervisor is asked
	mostLessons = 2000 // bytes of lessons in a prompt
)

// loop iterates a task until its criteria are met without objection.
type loop struct{ *job }

// iterate runs the iterations. The error is a *PausedError if the task waits for a person.
func (l loop) iterate(ctx context.Context) (workflowstate.Criteria, error) {
	if l.base() == "" {
		if err := l.uncommit(ctx); err != nil {
			return nil, err
		}
		if err := l.beginHere(ctx); err != nil {
			return nil, err
		}
	}
	from, err := step.FactAs(l.mem, factFrom, func() (int, error) { return l.run.now().PendingTasks.Progress(l.ID).Iterations, nil })
	if err != nil {
		return nil, err
	}
	defer l.hold.renewClaim(ctx)()
	if err := supervisor(l).check(ctx, workflowstate.PreTask, from); err != nil {
		return nil, err
	}
	for n := from + 1; ; n++ { // iterations finished before a crash are reused
		if n > l.lastIteration(l.run.now()) {
			if err := l.run.pauseWhere(l.ID, l.pauseWhenUsedUp(n)); err != nil {
				return nil, err
			}
		}
		t, err := step.FactAs(l.mem, fmt.Sprint("iteration-", n), func() (iterationResult, error) { return l.runIteration(ctx, n) })
		if late := (*judge.OutOfTimeError)(nil); errors.As(err, &late) {
			if err = l.run.outOfTime(l.ID, late); err == nil {
				n--
				continue
			}
		}
		if l.why, l.unasked = t.Why, t.Unasked; err != nil {
			return nil, err
		}
		if there, err := l.hasResult(t); err != nil || t.OK && there {
			return t.Met, err
		}
		if t.OK {
			l.why = "the verified files have changed"
		}
	}
}

// pauseWhenUsedUp returns the reason to pause if iteration n exceeds the limit.
func (l loop) pauseWhenUsedUp(n int) func(*workflowstate.State) (reason, why string) {
	return func(s *workflowstate.State) (string, string) {
		most := l.lastIteration(s)
		if n <= most {
			return "", ""
		}
		return workflowstate.PausedIterations, fmt.Sprintf("task %s has used its %s: %s; warp workflow extend --iterations raises the limit and continues", l.ID, text.Count(most-s.PendingTasks.Progress(l.ID).Before, "iteration"), text.Opening(l.why))
	}
}

// hasResult reports whether an iteration's result is present, uncommitted or committed: after a
// kill the work tree may be gone or changed before the commit.
func (l loop) hasResult(t iterationResult) (bool, error) {
	if !t.OK || t.Tree == "" || t.Tree == noTree { // an earlier version did not record it
		return true, nil
	}
	commit, err := l.land.Find(l.workTrailer(), l.run.now().Base)
	if err != nil || commit != "" {
		return commit != "", err
	}
	now, err := l.snapshot()
	return now == t.Tree, err
}

// lastIteration returns the number of the task's last iteration: its own limit plus the workflow's
// extension, after the iterations from before it was redone.
func (l loop) lastIteration(s *workflowstate.State) int {
	limit, before := s.SafetyBounds.Limits().Iterations, s.PendingTasks.Progress(l.ID).Before
	if l.Iterations == 0 {
		return before + limit
	}
	return before + min(limit, l.Iterations+max(0, limit-l.run.plan().Bounds.Iterations))
}

// iterationResult is the result of an iteration. It is saved, because the files may have changed
// since.
type iterationResult struct {
	Met []workflowstate.Criterion `json:"met,omitempty"`
	OK  bool                      `json:"ok"` // criteria met, and no objection
	// Tree is the verified git tree.
	Tree string `json:"tree,omitempty"`
	Why  string `json:"why,omitempty"`
	// Unasked is what the work holds that no one asked for, after it was sent back.
	Unasked []scope.Point `json:"unasked,omitempty"`
}

// runIteration implements, verifies, reviews, records lessons and decides.
func (l loop) runIteration(ctx context.Context, n int) (t iterationResult, err error) {
	if err := l.hold.claimOrWait(ctx, l.Files, question{kind: workflowstate.TaskExecutor, round: n}); err != nil {
		return t, err
	}
	if err := l.run.record("iteration_began", func(s *workflowstate.State) { s.IterationBegun(l.ID, n) }); err != nil {
		return t, err
	}
	l.run.tell(Note{Kind: Iterated, Phase: l.Phase, Task: l.ID, Text: fmt.Sprintf("iteration %d", n)})
	now, err := l.snapshot()
	if err != nil {
		return t, err
	}
	task := l.Task
	task.Criteria = numbered(l.Criteria, l.Criteria)
	q := question{name: implementing(n), kind: workflowstate.TaskExecutor, round: n, allows: l.allows(), Task: agent.Task{
		Role: agent.Code, Work: agent.Work{Door: agent.Door{Faulted: l.why != "", Works: l.guard != nil && (now == l.base() || l.why != "")}}, Criteria: taskdoc.Keys(task.Criteria), Prompt: prompt.Render("code", l.run.aboutTests(textValues{
			"Plan": l.run.plan(), "Task": task, "Wanted": l.description(), "Lessons": l.lessons(), "Why": l.why, "Round": n}))}}
	if len(l.Task.Agents) > 0 {
		q.agent = l.Task.Agents[0]
	}
	a, err := l.ask(ctx, q)
	if err != nil {
		return t, err
	}
	if a.Failed() {
		l.why = fmt.Sprintf("the agent gave no result: %s %s", a.End, a.Why)
		return iterationResult{Why: l.why}, l.recordLessons(n, a, nil, l.why)
	}
	if a.Unread == step.Asks {
		return t, l.pauseAsking(n, lastWords(a))
	}
	if asked := decisionIn(a); asked != "" {
		return t, l.pauseAsking(n, asked)
	}
	l.stood = ""
	met, why, err := verifier(l).verify(ctx, verifying(n), n, l.Criteria)
	if err != nil {
		return t, err
	}
	if why != "" && l.stood != "" {
		return t, l.pauseAsking(n, "the agent changed nothing, and objects again to the verdict, which stood when it was judged once more: "+text.Opening(l.stood)+" What is missing: "+text.Opening(why))
	}
	if why != "" && a.Unread != "" && len(a.Changed) == 0 {
		return t, l.pauseAsking(n, lastWords(a)+" What is missing: "+text.Opening(why))
	}
	l.why = why
	done, back := met.AllMet() && why == "", ""
	if done {
		back, err = l.sendBackUnasked(ctx, n)
	}
	if err != nil {
		return t, err
	}
	if back != "" {
		done, l.why = false, back
	} else if done {
		err = supervisor(l).check(ctx, workflowstate.PostTask, n)
		if err == nil && l.why == "" {
			l.why, err = verifier(l).whyUncommittable(ctx, l.base())
		}
	} else if n%stuckAt == 0 {
		err = supervisor(l).check(ctx, workflowstate.OnDemand, n)
	}
	if err != nil {
		return t, err
	}
	tree, err := l.snapshot()
	if err != nil {
		return t, err
	}
	failed := l.why
	if back != "" {
		failed = "" // it is no lesson
	}
	return iterationResult{Met: met, OK: done && l.why == "", Tree: tree, Why: l.why, Unasked: l.unasked}, l.recordLessons(n, a, met, failed)
}

// recordLessons records an iteration's lessons and its end. A crashed run teaches nothing
// about the work.
func (l loop) recordLessons(n int, a step.Answer, met workflowstate.Criteria, failed string) error {
	var said struct {
		Learnings []learning.Said `json:"learnings"`
		Lessons   []learning.Said `json:"lessons"`
	}
	if a.Result != nil {
		_ = json.Unmarshal(a.Result, &said) // unreadable: no lessons
	}
	kind := learning.Insight
	if met != nil && met.AllMet() {
		kind = learning.Pattern
	}
	about := learning.Learning{Timestamp: workflowstate.Stamp(l.run.Now()), Task: l.ID, Iteration: n, Type: kind, Context: l.Name, Workflow: l.run.now().ID, Files: l.Files}
	list := learning.From(about, append(said.Learnings, said.Lessons...), l.run.Redact)
	if failed != "" && !a.Failed() {
		about.Type = learning.Antipattern
		list = append(list, learning.From(about, learning.Texts("this did not work: "+failed), l.run.Redact)...)
	}
	if len(list) > 0 {
		kept, err := l.run.learnings().Add(list)
		if err != nil {
			return err
		}
		list = kept
		l.run.pass("learnings_written")
	}
	return l.run.record("iteration_done", func(s *workflowstate.State) {
		for _, lesson := range list {
			if s.Learnings.Add(lesson) {
				l.run.tell(Note{Kind: Learned, Task: l.ID, Text: lesson.Lesson})
			}
		}
		s.IterationDone(l.ID, n, 0, l.run.elapsed())
	})
}

// lessons returns the project's lessons that are relevant to the task.
func (l loop) lessons() string {
	known, err := l.run.learnings().Read()
	if err != nil {
		l.run.remark("the earlier lessons cannot be read: %v", err)
		return ""
	}
	about := learning.About{Workflow: l.run.now().ID, Task: l.ID, Name: l.Name, Files: l.Files, Text: l.Description}
	var b strings.Builder
	for _, lesson := range learning.Relevant(known.Lessons(), about, mostLessons) {
		fmt.Fprintf(&b, "- (%s) %s\n", lesson.Type, lesson.Text())
	}
	return b.String()
}

// What is known of a running task is in .claude/state, which a person may delete at any time. Then
// the task continues from its checkpoint: whatever changed since is its work.

// isLost reports whether the task was started and its memory is gone. After a checkpoint was
// restored, it has not started.
func (j *job) isLost() bool {
	return j.base() == "" && j.mem.Facts[factAgain] == "" && j.run.now().PendingTasks.Progress(j.ID).Iteration > 0
}

// startingTree returns the work tree without the task's work. Where no person works, everything
// uncommitted is the task's.
func (j *job) startingTree(ctx context.Context, head string) (string, error) {
	switch {
	case j.own:
		return j.guard.SnapshotOf(ctx, head)
	case !j.isLost():
		return j.snapshot()
	}
	tree, err := j.run.keeper().Tree(ctx, j.point)
	if err != nil {
		return "", err
	}
	return j.guard.SnapshotOf(ctx, tree)
}

// uncommit takes the task's commits off its branch and keeps their files, if its memory is lost: an
// existing commit would be taken for all of the task's work.
func (j *job) uncommit(ctx context.Context) error {
	if !j.isLost() {
		return nil
	}
	s, repo := j.run.now(), j.tree.Repo()
	to, err := j.run.keeper().Head(ctx, j.point)
	if err != nil {
		return err
	}
	head, err := repo.Head()
	if err != nil || head == to {
		return err
	}
	list, err := repo.Commits(head, to)
	if err != nil {
		return err
	}
	own := []string{trailerOf(trailerTask, s.ID, j.ID, ""), trailerOf(trailerFix, s.ID, j.ID, "")}
	if slices.ContainsFunc(list, func(c git.Commit) bool {
		return !strings.Contains(c.Message, "\n"+own[0]) && !strings.Contains(c.Message, "\n"+own[1])
	}) {
		return nil // a person's or other tasks' commits must stay
	}
	j.run.remark("the record of task %s is gone: continuing with the changes since its checkpoint", j.ID)
	if err := j.taker(ctx).FindPersonChanges(ctx, j.scope(nil)); err != nil {
		return err
	}
	kept := fmt.Sprintf("workflow/%s/%s-reset", s.ID, j.ID)
	if err := j.run.Work.Keep(ctx, kept, head); err != nil {
		return err
	}
	if err := j.guard.MoveRef(j.refs[0], func() (string, error) {
		return to, j.tree.Move(ctx, strings.TrimPrefix(j.refs[0], "refs/heads/"), to, head)
	}); err != nil {
		return err
	}
	if _, err := repo.Must(ctx, git.Call{Args: []string{"reset", "-q"}}); err != nil {
		return err
	}
	return j.guard.Settle(ctx)
}

// verifying names the step in which an agent judges a task.
func verifying(round int) string { return fmt.Sprint("verify-", round) }

// implementing names the step in which an agent works on a task.
func implementing(round int) string { return fmt.Sprint("implement-", round) }
