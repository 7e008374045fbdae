package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/checkpoint"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile/documents"
)

// opening creates or resumes the state of a workflow.
type opening struct{ run *run }

func (o opening) begin(ctx context.Context, path string) error {
	r := o.run
	if err := documents.RecogniseOld(r.Store); err != nil {
		return err
	}
	if n, under, err := (checkpoint.Keeper{Store: r.Store}).Interrupted(); err != nil || under {
		return errors.Join(err, &checkpoint.InterruptedError{N: n})
	}
	v, err := r.state.Doc.Read()
	if err != nil && !durable.IsMissing(err) {
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	o.finishKilled(ctx, v.Doc)
	unfinished, err := findUnfinished(v.Doc, path)
	switch {
	case err != nil:
		return err
	case unfinished && path != "":
		return o.reopen(ctx, v.Doc)
	case unfinished:
		o.noteEdited(ctx, v.Doc)
		return o.resume(ctx, v.Doc, nil)
	case path == "":
		return &NothingError{"there is no unfinished workflow here: warp workflow run TASK.md starts one"}
	}
	file, err := durable.ReadPlain(path)
	if err != nil {
		return err
	}
	doc, defects := taskdoc.Parse(file)
	if len(defects) > 0 {
		return &taskdoc.Defects{File: path, List: defects}
	}
	if v.Doc != nil {
		if err := o.archive(ctx, v.Doc); err != nil {
			return err
		}
	}
	return o.create(ctx, path, file, doc)
}

// finishKilled leaves the work tree of a finished workflow whose engine was killed before it could.
func (o opening) finishKilled(ctx context.Context, s *workflowstate.State) {
	if s == nil || !s.Orchestrator.Status.Ended() || s.Place == "" || !o.run.places.Exists(s.Place) {
		return
	}
	o.run.state.Set(s)
	o.run.leaveWorkTree(ctx)
}

// create starts a workflow: its branch, its plan, its state.
func (o opening) create(ctx context.Context, path string, file []byte, doc *taskdoc.Document) error {
	r := o.run
	branch, base, err := o.nameBranch(ctx, doc)
	if err != nil {
		return err
	}
	p := planOf(doc)
	p.ID, p.TaskDoc, p.Level, p.Branch, p.Base, p.Target = o.newID(), path, r.Level, branch, base, r.target
	if p.Text, err = o.keepText(ctx, p.ID, file); err != nil {
		return err
	}
	if r.InPlace {
		p.BeganOn, err = o.switchBranch(ctx, branch, base)
	} else {
		p.Place = homeOf(p.ID)
	}
	if err != nil {
		return err
	}
	s := workflowstate.Begin(p, r.Now())
	s.Document = lossless.Encode(doc, nil)
	r.document.Store(doc)
	r.state.Set(s)
	if err := r.state.Update("began", func(s *workflowstate.State) error { return s.Allow(r.Total) }); err != nil {
		return err
	}
	r.tell(Note{Kind: Began, Text: doc.Title})
	return r.enterWorkTree(ctx)
}

// planOf returns the state's view of a document.
func planOf(doc *taskdoc.Document) workflowstate.Plan {
	p := workflowstate.Plan{Phases: len(doc.Phases), Supervised: doc.Supervisor.Enabled,
		Limits: workflowstate.Limits{Iterations: doc.Bounds.Iterations, MicroUSD: doc.Bounds.MicroUSD, Time: doc.Bounds.Time}}
	for _, t := range doc.Tasks() {
		p.Tasks = append(p.Tasks, workflowstate.Planned{Phase: t.Phase, Task: t.ID, Name: t.Name})
	}
	return p
}

// resume takes over an unfinished workflow: agents that died with their engine are no longer at
// work, and git is compared with the state. edited is the document as a person changed it; nil
// keeps the plan.
func (o opening) resume(ctx context.Context, s *workflowstate.State, edited *editedDocument) error {
	r := o.run
	doc, err := o.readPlan(s)
	if err != nil {
		return fmt.Errorf("reading the plan of the workflow: %w; warp workflow abort ends it", err)
	}
	if r.target, err = (target{r}).ofWorkflow(ctx, s); err != nil {
		return err
	}
	r.document.Store(doc)
	r.state.Set(s)
	r.elapsedBefore = s.SafetyBounds.Elapsed()
	if err := r.enterWorkTree(ctx); err != nil {
		return err
	}
	moved, err := o.matchGit(s)
	if err == nil {
		err = r.pauseForPerson(r.recoverKilled(ctx)) // puts a deleted journal back, and undoes what was written since
	}
	if err != nil {
		return err
	}
	if err := o.clearGone(ctx, edited); err != nil {
		return err
	}
	var gone []workflowstate.Agent
	err = r.state.Update("resumed", func(s *workflowstate.State) error {
		for task, commit := range moved {
			s.CompletedTasks.SetCommit(task, commit)
		}
		s.Resume()
		gone = s.ActiveAgents.RemoveGone(func(workflowstate.Agent) bool { return false }) // we hold the lease, so none has an engine
		s.Document = lossless.Encode(doc, nil)
		if err := edited.takeOver(s, doc); err != nil {
			return err
		}
		return s.Allow(r.Total)
	})
	if edited != nil && err == nil {
		doc = edited.doc
		r.document.Store(doc)
	}
	for _, d := range s.CompletedTasks {
		if m, bad := r.memory(d.Task, 0); bad == nil {
			m.Forget()
		}
		if err == nil && r.places.Exists(placeOf(s.ID, d.Task)) {
			sides{r}.removeWorkTree(ctx, d.Task)
		}
	}
	for _, a := range gone {
		r.remark("the %s of task %s ended with its engine; repeating what it had not finished", a.Type, a.Task)
	}
	r.tell(Note{Kind: Began, Text: "resumed"})
	return err
}

// readPlan reads the plan from the state. Older versions kept it in a file.
func (o opening) readPlan(s *workflowstate.State) (*taskdoc.Document, error) {
	plan := s.Document
	if plan == nil {
		file, err := durable.ReadPlain(o.run.path(oldPlan))
		if err == nil {
			plan, err = lossless.Parse(file)
		}
		if err != nil {
			return nil, err
		}
	}
	doc := &taskdoc.Document{}
	return doc, lossless.Decode(plan, doc)
}

// nameBranch chooses the branch for the work's commits. It starts at the main branch, whatever the
// person has checked out.
func (o opening) nameBranch(ctx context.Context, doc *taskdoc.Document) (branch, base string, err error) {
	r, repo := o.run, o.run.Work.Repo()
	if err := r.Work.Identity(ctx); err != nil {
		return "", "", err
	}
	if head, err := repo.Head(); err != nil || head == "" {
		return "", "", cmp.Or(err, errors.New("the repository has no commit yet: make a first one, then run the workflow"))
	}
	if r.target, err = (target{r}).find(ctx); err != nil {
		return "", "", err
	}
	if base, err = repo.Ref("refs/heads/" + r.target); err != nil {
		return "", "", fmt.Errorf("finding the merge target %s: %w", r.target, err)
	}
	remote, _, err := r.Work.Remotes().Choose(ctx)
	if err != nil {
		return "", "", err
	}
	trees, err := r.Work.Worktrees(ctx)
	if err != nil {
		return "", "", err
	}
	taken := func(ref string) bool { // another workflow's leftovers must not be merged with this one
		tip, err := repo.Ref(ref)
		return err == nil && tip != base || slices.ContainsFunc(trees, func(w gitwrite.Worktree) bool { return "refs/heads/"+w.Branch == ref })
	}
	branch = firstFree("workflow/"+text.Slug(doc.Title, 50), func(branch string) bool {
		return taken("refs/heads/"+branch) || taken("refs/remotes/"+remote+"/"+branch)
	})
	return branch, base, nil
}

// switchBranch checks out a branch in the person's work tree, and returns the previous one.
func (o opening) switchBranch(ctx context.Context, branch, base string) (beganOn string, err error) {
	r := o.run
	if beganOn, err = o.findCheckedOut(); err != nil {
		return "", err
	}
	if strings.HasPrefix(beganOn, "workflow/") {
		beganOn = r.target // a workflow that was aborted left the tree there
	}
	if err := r.Work.Branch(ctx, branch, base); err != nil {
		return "", fmt.Errorf("making the branch %s: %w", branch, err)
	}
	return beganOn, nil
}

// matchGit compares the state with git: the right branch is checked out and has the commits of the
// completed tasks. Rebased commits are found by their trailers, and returned.
func (o opening) matchGit(s *workflowstate.State) (moved map[string]string, err error) {
	repo := o.run.home.tree.Repo()
	on, err := repo.Branch()
	if err != nil {
		return nil, err
	}
	if s.Branch != "" && on != s.Branch {
		return nil, fmt.Errorf("the workflow works on %s, but %s is checked out: git -C %s switch %s, then warp workflow resume",
			s.Branch, cmp.Or(on, "no branch"), o.run.home.dir, s.Branch)
	}
	head, err := repo.Head()
	if err != nil {
		return nil, err
	}
	moved = map[string]string{}
	for _, d := range s.CompletedTasks {
		if !git.IsHash(d.Commit) {
			continue
		}
		if in, err := repo.Descends(head, d.Commit); err == nil && in {
			continue
		}
		trailer := trailerOf(trailerTask, s.ID, d.Task, workflowstate.WorkOf(d.Round))
		if ours, err := land.FindIn(repo, d.Commit, trailer, s.Base); err == nil && ours == "" {
			continue // an agent's own commit, made by an older version, which cannot be found again
		}
		hash, err := land.FindIn(repo, head, trailer, s.Base)
		if err != nil || hash == "" {
			return nil, fmt.Errorf("the state does not match git: the commit %s of task %s is not on %s; warp checkpoint list shows what you can restore",
				text.Hash(d.Commit), d.Task, s.Branch)
		}
		moved[d.Task] = hash
	}
	return moved, nil
}
