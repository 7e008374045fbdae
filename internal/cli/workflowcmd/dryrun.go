package workflowcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func (o options) forEngine(settings config.Settings) workflow.Options {
	return workflow.Options{Level: o.level, Parallel: o.parallel, Yes: o.yes, Total: o.total, InPlace: o.inPlace || settings.InPlace, Replan: o.replan, AsPlanned: o.planned}
}

// previewed is the result of a dry run as JSON.
type previewed struct {
	workflow.Preview
	Agents     []string          `json:"agents"`
	Parallel   int               `json:"parallel"`
	Iterations int               `json:"max_iterations_per_task"`
	MicroUSD   int64             `json:"max_cost_micro_usd"`
	Seconds    int64             `json:"max_seconds"`
	Tokens     int64             `json:"max_tokens,omitempty"`
	Document   *taskdoc.Document `json:"document"`
}

// dryRun shows what a run would do, and fails if it would refuse. It starts nothing.
func dryRun(ctx context.Context, a *app.App, d *turnstile.Drive, path string, doc *taskdoc.Document, o options) error {
	settings, tree, err := checkStart(ctx, a, d, &o)
	if err != nil {
		return err
	}
	a.Notes(settings.Warnings)
	if engine, _, runs := app.FindEngine(d, a, workflowstate.Lease); runs {
		return engine.Locked(a.Env.Now())
	}
	e := &workflow.Engine{Stores: workflow.Stores{Store: d.Store(), Home: d.Project.Home()}, Trees: workflow.Trees{Root: d.Root(), Work: tree},
		Tell: func(workflow.Note) {}, Redact: strings.Clone, Passed: func(string) {}, Now: a.Env.Now, Checks: newChecks(settings), Options: o.forEngine(settings)}
	p, err := e.Preview(ctx, path, doc)
	if err != nil {
		return exitError(err)
	}
	agents, err := checkAgents(ctx, a, d, settings, doc.Tasks(), o)
	if err != nil {
		return err
	}
	if used := cost.DayUsed(a, d, settings.Workflow, 0); used != nil {
		if why, err := used(ctx); err != nil || why != "" {
			a.Note("%s", why)
			return errors.Join(err, &app.Silent{Code: app.Budget})
		}
	}
	if o.json {
		return a.JSON(previewed{p, agents, o.parallel, p.Limits.Iterations, p.Limits.MicroUSD, int64(p.Limits.Time.Seconds()), settings.SessionTokens, doc})
	}
	verb := "do"
	if p.Resumes {
		verb = "continue with"
	}
	todo := text.Count(len(doc.Tasks())-len(p.Done), "task")
	a.Printf("A dry run changes nothing. warp workflow run would %s %s of %s:\n\n%s\n", verb, todo, text.Count(len(doc.Phases), "phase"), indented(workflow.Plan(doc)))
	render.Table(a.Out, previewRows(p, agents, settings, o))
	return nil
}

func previewRows(p workflow.Preview, agents []string, settings config.Settings, o options) [][]string {
	ends := map[int]string{2: "opens a pull request for you to merge into ", 3: "merges into "}[p.Level] + p.Target
	caps := fmt.Sprintf("%s, %s, %s each", evidence.Dollars(p.Limits.MicroUSD), text.Span(p.Limits.Time.Seconds()), text.Count(p.Limits.Iterations, "iteration"))
	if settings.SessionTokens > 0 {
		caps += fmt.Sprintf(", %d tokens", settings.SessionTokens)
	}
	rows := [][]string{
		{"Level", fmt.Sprintf("%d: %s", p.Level, ends)},
		{"Branch", p.Branch},
		{"Agent", strings.Join(agents, ", then ")},
		{"Parallel", text.Count(o.parallel, "task")},
		{"Tests", cmp.Or(p.Tests, "none were found: the criteria alone decide")},
		{"Caps", caps},
	}
	if p.Resumes {
		rows = append(rows, []string{"Done", cmp.Or(strings.Join(p.Done, ", "), "none")})
	} else if p.Level == 2 && !o.yes {
		rows = append(rows, []string{"Approval", "you are asked about the plan first (--yes approves it)"})
	}
	return rows
}

// checkAgents requires the settings' agent and every one of the tasks to be installed and logged in,
// and returns their programs. Otherwise it says what to do.
func checkAgents(ctx context.Context, a *app.App, d *turnstile.Drive, settings config.Settings, tasks []taskdoc.Task, o options) (programs []string, err error) {
	names := []string{""}
	for _, t := range tasks {
		names = append(names, t.Agents...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		r, err := findAgent(a, d, settings, o, name)
		if err == nil {
			err = r.CheckInstalled()
		}
		if err == nil {
			err = r.CheckLogin(ctx)
		}
		if missing, is := errors.AsType[*agent.MissingError](err); is {
			a.Note("needs a person: %v", missing)
			a.Note("%s", cmp.Or(missing.Do, "warp agent list shows what is missing"))
			return nil, &app.Silent{Code: app.Human}
		}
		if err != nil {
			return nil, err
		}
		for _, adapter := range r.Adapters {
			if !slices.Contains(programs, adapter.Name()) {
				programs = append(programs, adapter.Name())
			}
		}
	}
	return programs, nil
}

// findAgent returns the runner for the agent a document names, or for "" the default.
func findAgent(a *app.App, d *turnstile.Drive, settings config.Settings, o options, name string) (*agent.Runner, error) {
	if !slices.Contains(agentcmd.Names(), name) { // the document names a part, such as backend, not a program
		name = o.agent
	}
	return agentcmd.OpenRunner(a, d, settings, name, "")
}
