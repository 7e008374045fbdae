package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/scope"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/gate"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// What no one asked for is sent back to the task's agent once, in an iteration that does not count.
// What is left after that is merged by a person.

// factTold holds what the agent of a task was asked to take back.
const factTold = "unasked"

// told is what the agent was asked to take back, and the iteration in which that was found: it is
// told in the next one.
type told struct {
	Round  int           `json:"round"`
	Points []scope.Point `json:"points"`
}

// toldBefore returns what the agent was asked to take back before an iteration. What the iteration
// itself found, before a kill, it has not been told yet.
func (j *job) toldBefore(round int) (t told, is bool) {
	if json.Unmarshal([]byte(j.mem.Facts[factTold]), &t) != nil || t.Round >= round {
		return told{}, false
	}
	return t, true
}

// asked returns what the document asks for. A path that a task claims is asked for, a pattern is not.
func asked(t taskdoc.Task, d *taskdoc.Document, prefix string) scope.Asked {
	a := scope.Asked{Criteria: criteriaTexts(t, d), Issue: strings.Join([]string{d.Title, d.Goal, d.Context}, "\n"), Prefix: prefix}
	add := func(t taskdoc.Task) {
		a.Issue += "\n" + t.Name + "\n" + t.Description + "\n" + strings.Join(t.Files, "\n")
		for _, file := range t.Files {
			if !strings.ContainsAny(file, "*?[{") {
				a.Criteria = append(a.Criteria, file)
			}
		}
	}
	if t.ID != workflowstate.OuterTask {
		add(t)
		return a
	}
	for _, t := range d.Tasks() { // its own files are those that were changed
		add(t)
	}
	return a
}

func (j *job) asked() scope.Asked {
	t := j.Task
	t.Description = j.description()
	return asked(t, j.run.plan(), j.tree.Root().Folder())
}

// findUnasked returns what no one asked for in the work between two trees: what warp sees, and what
// the verifier named of it.
func (j *job) findUnasked(ctx context.Context, base, now string) ([]scope.Point, error) {
	if j.guard == nil {
		return nil, nil
	}
	points, err := gate.FindUnasked(ctx, j.tree.Repo(), base, now, j.asked())
	if err != nil {
		return nil, err
	}
	own := path.Join(j.tree.Root().Folder(), ".claude") + "/"
	points = slices.DeleteFunc(points, func(p scope.Point) bool { return strings.HasPrefix(p.File, own) }) // never committed
	return scope.Merge(points, j.judged), nil
}

// readUnasked keeps what the verifier said no one asked for, as far as the work has it; nil: it said
// nothing about it. Of a file that a criterion names, it means a part.
func (j *job) readUnasked(a step.Answer, now string) error {
	var said struct {
		Unasked *[]scope.Point `json:"unasked"`
	}
	j.judged = nil
	if !a.Read(&said) || said.Unasked == nil {
		return nil
	}
	changes, err := j.tree.Repo().Trees().Changes(j.base(), now)
	if err != nil {
		return err
	}
	asked, paths := j.asked(), git.Paths(changes)
	j.judged = []scope.Point{}
	for _, p := range *said.Unasked {
		if p.File = scope.FindPath(p.File, asked.Prefix, paths); p.File != "" {
			j.judged = scope.Merge(j.judged, []scope.Point{{File: p.File, Why: j.run.Redact(text.Opening(p.Why)), By: a.Agent, Named: asked.Allows(p.File)}})
		}
	}
	return nil
}

// toldLeft returns what the agent was asked to take back, as far as the work still has the file.
func (j *job) toldLeft(round int, now string) (string, error) {
	t, is := j.toldBefore(round)
	if !is {
		return "", nil
	}
	changes, err := j.tree.Repo().Trees().Changes(j.base(), now)
	paths := git.Paths(changes)
	return scope.Describe(slices.DeleteFunc(t.Points, func(p scope.Point) bool { return !slices.Contains(paths, p.File) })), err
}

// claim returns why the agent keeps what it was asked to take back: the objection in its answer to
// that, which is from iteration at. Objections of later iterations are about verdicts.
func (j *job) claim(round int) (why string, at int) {
	t, is := j.toldBefore(round)
	for n := t.Round + 1; is && n <= round; n++ {
		if a, ok := j.mem.Answers[implementing(n)]; ok && !a.Failed() {
			return objectionIn(a), n
		}
	}
	return "", 0
}

// objectionIn returns what an agent objects to.
func objectionIn(a step.Answer) string {
	var said struct{ Objection string }
	a.Read(&said)
	return strings.TrimSpace(said.Objection)
}

// sendBackUnasked returns what the agent has to take back, the first time that work is done and has
// it; "" if there is nothing to take back, or the agent was asked before. A reason that the verifier
// has heard clears what the agent was asked about, and nothing that came after.
func (l loop) sendBackUnasked(ctx context.Context, n int) (why string, err error) {
	l.unasked = nil
	now, err := l.snapshot()
	if err != nil {
		return "", err
	}
	points, err := l.findUnasked(ctx, l.base(), now)
	if err != nil {
		return "", err
	}
	t, asked := l.toldBefore(n)
	if claim, _ := l.claim(n); claim != "" && l.judged != nil {
		points = slices.DeleteFunc(points, func(p scope.Point) bool { return slices.Contains(t.Points, p) && !scope.Has(l.judged, p.File) })
	}
	if len(points) == 0 || asked {
		l.unasked = points
		if len(points) > 0 {
			l.run.remark("no one asked for this, and the agent of task %s left it: a person has to merge it:\n%s", l.ID, scope.Describe(points))
		}
		return "", nil
	}
	why = "No one asked for this. Take it back, or answer with \"objection\" and say which criterion needs it: then the verifier decides.\n" + scope.Describe(points)
	l.run.tell(Note{Kind: Verified, Task: l.ID, Text: why, Passed: new(false)})
	if err := l.run.record("sent_back", func(s *workflowstate.State) { s.IterationSentBack(l.ID, n) }); err != nil {
		return "", err
	}
	text, err := json.Marshal(told{n, points})
	if err != nil {
		return "", err
	}
	return why, l.setFact(factTold, string(text))
}

// explainStray returns what no one asked for in a change apart from the task's own work; "" if there
// is no such thing.
func (j *job) explainStray(ctx context.Context, base, now, what string) (string, error) {
	if j.guard == nil {
		return "", nil
	}
	a := j.asked()
	a.Criteria = append(a.Criteria, what)
	points, err := gate.FindUnasked(ctx, j.tree.Repo(), base, now, a)
	if err != nil || len(points) == 0 {
		return "", err
	}
	return "no one asked for " + scope.Describe(points), nil
}

// mayMerge reports whether the work is merged: at level 3, unless it holds what no one asked for.
// Then it becomes a pull request; without a forge a person has to decide.
func (l *landing) mayMerge(ctx context.Context) (bool, error) {
	s := l.run.now()
	tip, err := l.readTip(s.Branch)
	if err != nil {
		return false, err
	}
	if l.unasked, err = l.findLeft(ctx, tip); err != nil || s.Level == 2 || len(l.unasked) == 0 {
		return s.Level != 2, err
	}
	if onto, err := l.land.Tip(l.run.target); err == nil && onto != "" {
		if in, err := l.tree.Repo().Descends(onto, tip); err != nil || in {
			return true, err // a person has merged it
		}
	}
	why := "it holds what no one asked for: " + strings.ReplaceAll(scope.Describe(l.unasked), "\n", "; ")
	if l.run.remote != nil && l.run.Tracker.Name() != "local" {
		l.run.remark("a pull request instead of a merge, since %s", why)
		return false, nil
	}
	return false, fmt.Errorf("%s; take that back in a commit on %s, or accept it with git merge %[2]s", why, s.Branch)
}

// findLeft returns what no one asked for in the work to merge.
func (l *landing) findLeft(ctx context.Context, tip string) (list []scope.Point, err error) {
	points, err := l.job.findUnasked(ctx, l.run.now().Base, tip)
	if err != nil {
		return nil, err
	}
	changes, err := l.tree.Repo().Trees().Changes(l.run.now().Base, tip)
	if err != nil {
		return nil, err
	}
	a, paths, tasks := l.asked(), git.Paths(changes), l.run.now().CompletedTasks
	points = slices.DeleteFunc(points, func(p scope.Point) bool { // a task's verifier found that it is needed
		return slices.ContainsFunc(tasks, func(d workflowstate.Done) bool { return slices.Contains(d.FilesModified, p.File) }) &&
			!slices.ContainsFunc(tasks, func(d workflowstate.Done) bool { return scope.Has(d.Unasked, p.File) })
	})
	for _, d := range tasks {
		for _, p := range d.Unasked {
			if p.By != "" && slices.Contains(paths, p.File) && (p.Named || !a.Allows(p.File)) {
				points = scope.Merge(points, []scope.Point{p})
			}
		}
	}
	return points, nil
}
