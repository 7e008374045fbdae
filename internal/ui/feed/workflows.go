package feed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/turnstile/documents"
)

// addWorkflows adds the workflow of each work tree, and its archived ones.
func (g readPass) addWorkflows(roots []string) {
	for _, root := range roots {
		store := g.tree(root).drive.Store()
		if err := documents.RecogniseOld(store); err != nil { // reading would set it aside
			g.feed.Notes = append(g.feed.Notes, err.Error())
		} else if v, err := documents.OpenWorkflow(store).Read(); err == nil {
			g.feed.Items = append(g.feed.Items, g.workflow(root, v.Doc, g.holders(store)[workflowstate.Lease]))
		} else if !durable.IsMissing(err) {
			g.feed.Notes = append(g.feed.Notes, err.Error())
		}
		files, _ := filepath.Glob(filepath.Join(store.Dir(), workflowstate.Archive, "*", workflowstate.File)) // the pattern is valid
		for _, path := range files {
			info, err := os.Lstat(path)
			if err != nil {
				continue
			}
			i, known := g.known(path, info)
			if !known {
				s, err := readArchived(path)
				if err != nil {
					continue // it is only displayed
				}
				i = g.workflow(root, s, 0)
				i.Archived = true
				g.keep(path, info, i)
			}
			g.feed.Items = append(g.feed.Items, i)
		}
	}
}

func readArchived(path string) (*workflowstate.State, error) {
	text, err := durable.ReadPlain(path)
	if err != nil {
		return nil, err
	}
	v, err := lossless.Parse(text)
	if err != nil {
		return nil, err
	}
	var s workflowstate.State
	return &s, lossless.Decode(v, &s)
}

var steps = map[workflowstate.Status]string{
	workflowstate.Planning: "waiting for the plan's approval", workflowstate.Executing: "working", workflowstate.Reviewing: "reviewing the whole",
}

var limitReasons = []string{workflowstate.PausedCost, workflowstate.PausedTime, workflowstate.PausedIterations}

func (g readPass) workflow(root string, s *workflowstate.State, pid int) Item {
	o := s.Orchestrator
	i := Item{Kind: Workflow, Name: strings.TrimSuffix(filepath.Base(o.TaskDoc), ".md"), Title: o.TaskDoc, Root: root, Branch: s.Branch, Level: s.Level, PID: pid,
		Started: ParseTime(o.StartTime), Ended: ParseTime(deref(o.EndTime)), Cost: g.feed.Book.SpentBy("workflow "+s.ID, ParseTime(o.StartTime)),
		Doing: steps[o.Status], work: "workflow " + s.ID}
	if i.Cost.Runs == 0 {
		i.Cost.MicroUSD, i.Cost.Tokens, i.Cost.Unpriced = s.SafetyBounds.MicroUSD, s.SafetyBounds.Tokens, s.SafetyBounds.Unpriced
	}
	done, all := len(s.CompletedTasks), len(s.CompletedTasks)+len(s.PendingTasks)
	i.Since = i.Started
	if o.Status == workflowstate.Executing {
		i.Doing = fmt.Sprintf("phase %d of %d, %d of %d tasks done", o.CurrentPhase+1, o.TotalPhases, done, all)
		for _, p := range s.PendingTasks {
			if p.Began != "" {
				i.Doing += ", at " + p.Task + " " + p.Name
				i.Since = ParseTime(p.Began)
				break
			}
		}
	}
	switch {
	case o.Status == workflowstate.Completed:
		i.State, i.Doing, i.Result = Done, "", fmt.Sprintf("%d of %d tasks", done, all)
		if len(s.Red) > 0 {
			i.Why = evidence.RedAsBefore + ": " + text.Quote(s.Red, 5)
		}
	case o.Status == workflowstate.Failed:
		i.State, i.Doing = Failed, ""
		if s.Failure != nil {
			i.Why, i.Result = s.Failure.Why, string(s.Failure.Reason)
			if s.Failure.Reason == workflowstate.Aborted {
				i.State = Stopped
			}
		}
	case s.Paused != nil:
		g.paused(&i, s.Paused)
	case pid == 0:
		i.State, i.Why, i.Do = Interrupted, "its process has ended", "warp resume "+i.Name
	default:
		i.State = Running
		if q := g.planQuestion(root); o.Status == workflowstate.Planning && q != nil && !q.Taken {
			i.State, i.Question, i.Do = Waiting, q, "warp answer "+q.ID
		}
	}
	if i.State == Running && slices.ContainsFunc(s.ActiveAgents, func(a workflowstate.Agent) bool { return a.Status == workflowstate.Blocked }) {
		i.Why = "an agent needs a person: warp workflow status"
	}
	return i
}

// paused fills in why a workflow waits, and what to do.
func (g readPass) paused(i *Item, p *workflowstate.Pause) {
	i.State, i.Since, i.Why, i.Result, i.Do = Parked, ParseTime(p.At), p.Why, p.Reason, "warp resume "+i.Name
	switch {
	case p.Reason == workflowstate.PausedPerson:
		i.State = Paused
		i.Do = "warp continue " + i.Name
	case p.Reason == workflowstate.PausedIterations:
		i.Do = "warp workflow extend --iterations 5"
	case slices.Contains(limitReasons, p.Reason):
		i.Do = "warp workflow extend --cost 5 --time 1h"
	case p.Reason == workflowstate.PausedPlan:
		if q := g.planQuestion(i.Root); q != nil {
			i.Question, i.Do = q, "warp answer "+q.ID+", then warp resume "+i.Name
		}
	}
}

// planQuestion returns the question whether to approve the plan of a work tree's workflow, or
// nil.
func (g readPass) planQuestion(root string) *Question {
	for _, q := range slices.Backward(g.feed.Questions) {
		if q.Root == root && q.Issue == "" && q.title == questions.AboutWorkflow {
			return &q
		}
	}
	return nil
}
