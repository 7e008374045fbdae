package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/fleet/flow"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
)

// listIssue takes the place of an issue in the name of the clone for listing issues.
const listIssue = "list"

// leastUrgent is the priority of an issue labelled p3; a fleet takes the highest first.
const leastUrgent = 3

// PlanNight is an activity: it submits the approved issues of the wanted repositories to the fleet,
// which accepts none twice.
func (w *Worker) PlanNight(ctx context.Context, q flow.NightRequest) (flow.NightPlan, error) {
	fleet, err := w.askFleet(ctx)
	if err != nil {
		return flow.NightPlan{}, err
	}
	var plan flow.NightPlan
	for _, r := range fleet.File.Repositories {
		issues, all := q.Wants(r.Name)
		if !all && len(issues) == 0 {
			continue
		}
		list, old, err := w.listWork(ctx, r, fleet.File.Repositories)
		if err != nil {
			plan.Problems = append(plan.Problems, err.Error())
			continue
		}
		if old != nil {
			plan.Problems = append(plan.Problems, old.Error())
		}
		plan.Add(q, list, issues, all)
	}
	plan.Problems = append(plan.Problems, q.Unknown(fleet.File.Repositories)...)
	if err := w.Client.SignalWorkflow(ctx, flow.FleetID(w.Fleet), "", flow.NewNight, q.Night); err != nil {
		return plan, err
	}
	for batch := range slices.Chunk(plan.Submitted, flow.MostSubmitted) {
		if err := w.Client.SignalWorkflow(ctx, flow.FleetID(w.Fleet), "", flow.Submit, batch); err != nil {
			return plan, err
		}
	}
	return plan, nil
}

// listWork lists the approved issues of a repository. old tells why the list may be out of date:
// issues that are files come with the repository.
func (w *Worker) listWork(ctx context.Context, repo fleetfile.Repository, known []fleetfile.Repository) (list []flow.Submission, old, err error) {
	w.listing.Lock() // one user of the clone at a time
	defer w.listing.Unlock()
	work := flow.Work{Repository: repo, Issue: listIssue}
	dir, err := w.prepareClone(ctx, work)
	if err != nil {
		return nil, nil, err
	}
	err = refreshClone(ctx, dir)
	if moved := new(gitwrite.NotFastForward); errors.As(err, &moved) { // it holds no work
		if err = durable.RemoveFolder(dir); err == nil {
			_, err = w.prepareClone(ctx, work)
		}
	}
	if err != nil {
		old = fmt.Errorf("the issues of %s may be out of date, because fetching on %s failed: %s", repo.Name, w.Name, firstLine(err))
	}
	list, err = w.listIn(ctx, dir, repo, known)
	return list, old, err
}

// refreshClone fast-forwards a clone to its remote branch.
func refreshClone(ctx context.Context, dir string) error {
	tree, err := gitwrite.Open(dir)
	if err != nil {
		return err
	}
	branch, err := tree.Repo().Branch()
	if err != nil {
		return err
	}
	tips, err := tree.Remotes().Fetch(ctx, "origin", branch)
	if err != nil {
		return err
	}
	if tips[branch] == "" {
		return fmt.Errorf("the remote no longer has the branch %s", branch)
	}
	return tree.FastForward(ctx, branch, tips[branch])
}

// listIn lists the approved issues in a clone's tracker.
func (w *Worker) listIn(ctx context.Context, dir string, repo fleetfile.Repository, known []fleetfile.Repository) ([]flow.Submission, error) {
	argv := []string{w.Warp, "issue", "list", "--json", "--label", "req", "--label", "approved"}
	for _, label := range repo.Labels {
		argv = append(argv, "--label", label)
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: withoutFleet(w.Environ), Keep: 64 << 20})
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Number     int
		Title      string
		Priority   int
		ApprovedBy string   `json:"approved_by"`
		WaitsFor   []int    `json:"waits_for"`
		Elsewhere  []string `json:"waits_for_elsewhere"`
	}
	if err := json.Unmarshal(res.Stdout, &rows); err != nil || res.Exit != 0 {
		return nil, fmt.Errorf("list the approved issues of %s: %s", repo.Name, text.LastLine(string(res.Stderr)))
	}
	list := []flow.Submission{}
	for _, r := range rows {
		if r.ApprovedBy == "" {
			continue
		}
		s := flow.Submission{Repo: repo.Name, Issue: fmt.Sprint(r.Number), Title: r.Title, Priority: leastUrgent - r.Priority}
		for _, n := range r.WaitsFor {
			s.Needs = append(s.Needs, fmt.Sprintf("%s#%d", repo.Name, n))
		}
		for _, other := range r.Elsewhere {
			s.Needs = append(s.Needs, nameNeed(other, known))
		}
		list = append(list, s)
	}
	return list, nil
}

// nameNeed turns owner/repo#7 into the fleet's name of that repository and #7. It keeps an unknown
// name: the dependant waits, and the status names what it waits for.
func nameNeed(need string, known []fleetfile.Repository) string {
	path, number, _ := strings.Cut(need, "#")
	for _, r := range known {
		url := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(r.URL, "/"), ".git"))
		if strings.HasSuffix(url, "/"+path) || strings.HasSuffix(url, ":"+path) {
			return r.Name + "#" + number
		}
	}
	return need
}
