package drive

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"warp/internal/core/criteria"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/filing"
)

// Preview describes what a drive would do.
type Preview struct {
	Issue   string             `json:"issue,omitempty"`
	Title   string             `json:"title,omitempty"`
	Level   int                `json:"level"`
	Ends    string             `json:"ends"`
	Branch  string             `json:"branch,omitempty"`
	Agents  []string           `json:"agents"`
	Tests   string             `json:"tests"`
	Plan    []PreviewChunk     `json:"chunks"`
	Caps    agent.Budget       `json:"caps"`
	Minutes int                `json:"minutes"`
	Files   []string           `json:"files"`
	Notes   []string           `json:"notes,omitempty"`
	Most    int                `json:"-"` // chunks that a session may have
	Past    []nightreport.Past `json:"-"` // cost and time of earlier requirements
}

// PreviewChunk is one chunk of a preview.
type PreviewChunk struct {
	IDs   []string `json:"ids"`
	Texts []string `json:"texts"`
}

// Outline returns the part of a preview that holds for every issue of a night. It changes nothing.
func (e *Engine) Outline() (Preview, error) {
	cfg, err := e.Drive.Project.Settings()
	if err != nil {
		return Preview{}, err
	}
	e.assemble()
	e.cfg = cfg
	p := Preview{Caps: e.Budget, Minutes: cfg.Limits.SessionMinutes, Most: cfg.Limits.TotalChunks}
	if p.Level, err = chooseLevel(e, cfg.Level); err != nil {
		return p, err
	}
	for _, a := range e.Agents.Adapters {
		p.Agents = append(p.Agents, a.Name())
	}
	if p.Tests, err = testCommand(e); err != nil {
		p.Tests = err.Error()
	}
	if !cfg.TestBeforeCommit {
		p.Tests = "not run (test_before_commit is false)"
	}
	p.Ends = "opens a pull request for you to merge"
	if p.Level == 3 && cfg.AutoMerge {
		p.Ends = "merges into the main branch and closes the issue"
	}
	p.Past, err = e.History()
	return p, err
}

// Preview returns what a drive of one issue would do. It changes nothing.
func (e *Engine) Preview(ctx context.Context) (Preview, error) {
	p, err := e.Outline()
	if err != nil {
		return p, err
	}
	e.Tell = func(n Note) { p.Notes = append(p.Notes, n.Text) }
	i, err := findWork(ctx, e, e.Issue)
	if err != nil || i.Number == 0 {
		return p, err
	}
	p.Issue, p.Title = strconv.Itoa(i.Number), i.Title
	p.Branch = i.Branch()
	if p.Level == 2 && !e.Own {
		on, err := e.lander.CheckedOut()
		main, unknown := e.repo().MainBranch()
		if err == nil && unknown == nil && on != "" && on != main {
			p.Branch = "the one that is checked out"
		}
	}
	list, err := criteria.Parse(i.Body)
	if err != nil {
		return p, err
	}
	open := p.addChunks(list, e.cfg.Limits.ACsPerCommit)
	switch e.cfg.ReportAs {
	case filing.AsComment:
		p.Files = append(p.Files, fmt.Sprintf("one comment on #%d, kept up to date, with reports, lessons and decisions", i.Number))
	case filing.AsIssue:
		p.Files = append(p.Files, fmt.Sprintf("%s, a session summary, lessons and decisions (labels %s, %s, %s, %s)",
			text.Count(len(p.Plan), "chunk report"), filing.Drive, filing.Summary, filing.Lesson, filing.Decision))
	}
	p.Files = append(p.Files,
		fmt.Sprintf("%s for a chunk that is given up, %s for what needs you", filing.Bug, filing.Todo))
	if open > fewCriteria || isArchitectural(newSubject(i, list)) {
		p.Files = append(p.Files, "the approach, as a comment; it may group the criteria differently")
	}
	return p, nil
}

// addChunks adds the chunks of the open criteria, and returns how many are open.
func (p *Preview) addChunks(list []criteria.Criterion, most int) int {
	var open []criteria.Criterion
	text := map[string]string{}
	for _, c := range list {
		if !c.Done {
			open = append(open, c)
			text[c.ID] = c.ID + ": " + c.Text
		}
	}
	for _, ids := range criteria.Split(open, nil, most) {
		c := PreviewChunk{IDs: ids}
		for _, id := range ids {
			c.Texts = append(c.Texts, text[id])
		}
		p.Plan = append(p.Plan, c)
	}
	return len(open)
}

// Fit returns why an issue cannot be worked on; nil if it can.
func (e *Engine) Fit(ctx context.Context) *evidence.Outcome {
	e.assemble()
	return e.outcomeOf(checkFit(ctx, e))
}

// outcomeOf turns an error that keeps work from starting into an outcome; nil for no error.
func (e *Engine) outcomeOf(err error) *evidence.Outcome {
	if err == nil {
		return nil
	}
	var p *parked
	if !errors.As(err, &p) {
		p = &parked{evidence.Person, err.Error(), "fix it, then try again"}
	}
	o := evidence.Outcome{Issue: e.Issue, Result: p.result, Why: e.Redact(p.why), Do: e.Redact(p.do)}
	e.tell(Note{Kind: Ended, Outcome: &o})
	return &o
}

// Next returns the number of the next issue to work on, or "". Each is returned once.
func (e *Engine) Next(ctx context.Context) (string, error) {
	e.assemble()
	// Work that is nearly merged goes first: other issues may wait for it.
	if issue, err := e.nextFollow(ctx); err != nil || issue != "" {
		return issue, err
	}
	i, err := findNext(ctx, e)
	if err != nil || i.Number == 0 {
		return "", err
	}
	e.tried[i.Number] = "it is worked on"
	return strconv.Itoa(i.Number), nil
}
