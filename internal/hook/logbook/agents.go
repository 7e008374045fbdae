package logbook

import (
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/name"
	"warp/internal/core/telemetry"
)

// AgentBegan notes that a subagent is at work.
func (b Book) AgentBegan(a telemetry.Agent, session string) error {
	err := b.store.Append(event.AgentBegan, struct {
		Session    string `json:"session"`
		ID         string `json:"id"`
		Type       string `json:"type"`
		Task       string `json:"task"`
		ParentTask string `json:"parent_task"`
	}{session, a.ID, a.Type, a.Task, a.ParentTask})
	if err != nil {
		return err
	}
	return change(b.agents(), func(d *telemetry.Agents) { d.Start(a, session) }, nil)
}

// Agents returns the subagents at work.
func (b Book) Agents() (*telemetry.Agents, error) { return read(b.agents()) }

// AgentEnded keeps what came of a subagent. One that never began is passed
// over: compacting a context ends one that nobody started. With a task the
// record of the beginning is mended: more is known at the end.
func (b Book) AgentEnded(id, session, task string, stop telemetry.StopFacts) (*telemetry.Result, error) {
	var r *telemetry.Result
	err := change(b.agents(), func(d *telemetry.Agents) {
		a, began := d.Stop(id, stop.Failed())
		if !began {
			return
		}
		if task != "" {
			a.Task = task
		}
		came := telemetry.NewResult(a, stop, b.now())
		came.Session = session
		r = &came
	}, nil)
	if err != nil || r == nil {
		return nil, err
	}
	err = b.store.Append(event.AgentEnded, struct {
		Session string `json:"session"`
		ID      string `json:"id"`
		Status  string `json:"status"`
		Found   int    `json:"issues_found"`
	}{session, id, r.Status, r.Metrics.IssuesFound})
	if err != nil {
		return nil, err
	}
	if !name.Valid(id) {
		return r, ErrName
	}
	return r, b.write(ResultsFolder+"/"+id+".json", r)
}

// Results are what came of a session's subagents; "" is everybody's.
func (b Book) Results(session string) ([]telemetry.Result, error) {
	names, err := b.store.List(ResultsFolder)
	var out []telemetry.Result
	for _, n := range names {
		if !strings.HasSuffix(n, ".json") {
			continue
		}
		var r telemetry.Result
		if v := b.raw(ResultsFolder + "/" + n); v == nil || lossless.Decode(v, &r) != nil || session != "" && r.Session != session {
			continue
		}
		out = append(out, r)
	}
	return out, err
}

// Offer returns what came of a session's subagents and was not offered to their
// parent yet, and notes that it is now.
func (b Book) Offer(session string) ([]telemetry.Result, error) {
	all, err := b.Results(session)
	var fresh []telemetry.Result
	for _, r := range all {
		if r.Offered {
			continue
		}
		fresh = append(fresh, r)
		r.Offered = true
		if err := b.write(ResultsFolder+"/"+r.AgentID+".json", &r); err != nil {
			return fresh, err
		}
	}
	return fresh, err
}
