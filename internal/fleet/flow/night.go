package flow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
)

// NightFlow names the workflow that begins a night, by hand or by a schedule; PlanNight names its
// activity, which any worker can run.
const (
	NightFlow = "night"      // NightRequest -> NightPlan
	PlanNight = "plan-night" // NightRequest -> NightPlan
)

// NightRequest selects the work of a night.
type NightRequest struct {
	Fleet string
	Night string   // its name; if "", from the date, noon to noon
	Want  []string `json:",omitempty"` // repositories and repo#issue; empty for everything
	// Scheduled means that no person began it.
	Scheduled bool `json:",omitempty"`
}

// NightPlan lists the work submitted for a night, and the problems met.
type NightPlan struct {
	Submitted []Submission
	Problems  []string `json:",omitempty"`
}

// NameNight returns the name of the night that a time belongs to.
func NameNight(t time.Time) string { return t.Add(-12 * time.Hour).Format(time.DateOnly) }

func runNight(ctx workflow.Context, q NightRequest) (NightPlan, error) {
	if q.Night == "" { // only a schedule names none
		q.Night, q.Scheduled = NameNight(workflow.Now(ctx)), true
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 30 * time.Minute, ScheduleToCloseTimeout: 6 * time.Hour,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 5 * time.Second, MaximumInterval: 5 * time.Minute}})
	var plan NightPlan
	err := workflow.ExecuteActivity(ctx, PlanNight, q).Get(ctx, &plan)
	return plan, err
}

// Wants returns the wanted issues of a repository, or that all are wanted.
func (q NightRequest) Wants(repo string) (issues []string, all bool) {
	for _, w := range q.Want {
		name, issue, one := strings.Cut(w, "#")
		switch {
		case name != repo:
		case one:
			issues = append(issues, issue)
		default:
			all = true
		}
	}
	return issues, all || len(q.Want) == 0
}

// Unknown returns a problem for each wanted repository that the fleet does not have.
func (q NightRequest) Unknown(repos []fleetfile.Repository) (problems []string) {
	for _, w := range q.Want {
		name, _, _ := strings.Cut(w, "#")
		if !slices.ContainsFunc(repos, func(r fleetfile.Repository) bool { return r.Name == name }) {
			problems = append(problems, fmt.Sprintf("the fleet has no repository %q: see warp-fleet status, or add it to fleet.yaml", name))
		}
	}
	return problems
}

// Add adds the wanted ones of a repository's approved issues.
func (p *NightPlan) Add(q NightRequest, list []Submission, issues []string, all bool) {
	for _, s := range list {
		if all || slices.Contains(issues, s.Issue) {
			s.Title, s.Scheduled = text.ClipRunes(s.Title, mostTitle), q.Scheduled
			p.Submitted = append(p.Submitted, s)
			issues = slices.DeleteFunc(issues, func(i string) bool { return i == s.Issue })
		}
	}
	for _, i := range issues {
		p.Problems = append(p.Problems, fmt.Sprintf("issue %s is not open and approved with the labels that the fleet wants", i))
	}
}
