package logbook

import (
	"errors"
	"slices"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
)

// RecordAgentStart notes that a subagent is at work.
func (b Book) RecordAgentStart(a telemetry.Agent, session string) error {
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

// RecordAgentEnd keeps what came of a subagent. With a task the record of the beginning is
// repaired: more is known at the end. One that is not on record is put there, since its
// record may have been removed; one without a type is ignored: compacting a context ends
// one that was never started.
func (b Book) RecordAgentEnd(agent telemetry.Agent, session string, stop telemetry.StopFacts) (*telemetry.Result, error) {
	id := agent.ID
	var r *telemetry.Result
	var before telemetry.Result // of an agent that was sent back to work after it had ended
	again := text.ValidName(id) && lossless.Decode(b.readRaw(ResultsFolder+"/"+id+".json"), &before) == nil
	err := change(b.agents(), func(d *telemetry.Agents) {
		a, began := d.Stop(id, stop.Failed())
		switch {
		case began:
		case agent.Type == "":
			return
		case again:
			a, a.Started, a.Task = agent, before.Started, before.Task
		default:
			agent.Started = telemetry.Stamp(b.now())
			d.Start(agent, session)
			a, _ = d.Stop(id, stop.Failed())
		}
		if agent.Task != "" {
			a.Task = agent.Task
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
	if !text.ValidName(id) {
		return r, ErrName
	}
	if err := b.write(ResultsFolder+"/"+id+".json", r); err != nil || len(r.Findings)+len(r.Recommendations) == 0 {
		return r, err
	}
	return r, b.store.EditFile(unreadFile, func(old []byte) ([]byte, error) {
		if slices.Contains(strings.Fields(string(old)), session) {
			return old, nil
		}
		return append(old, session+"\n"...), nil
	})
}

// unreadFile names the sessions whose subagents found something that was not put before
// them yet. Looking for it is all that the calls of others pay.
const unreadFile = AgentsFolder + "/unread"

// HasUnreadFindings tells whether subagents of a session found something that was not put before it.
func (b Book) HasUnreadFindings(session string) bool {
	text, err := b.store.ReadFile(unreadFile)
	return err == nil && slices.Contains(strings.Fields(string(text)), session)
}

// markRead takes a session from those that have something to read.
func (b Book) markRead(session string) error {
	text, err := b.store.ReadFile(unreadFile)
	if err != nil || len(text) == 0 {
		return err
	}
	left := slices.DeleteFunc(strings.Fields(string(text)), func(s string) bool { return s == session })
	if len(left) == 0 {
		return b.store.RemoveFile(unreadFile)
	}
	return b.store.EditFile(unreadFile, func([]byte) ([]byte, error) { return []byte(strings.Join(left, "\n") + "\n"), nil })
}

// Results are what came of a session's subagents; "" is all sessions.
func (b Book) Results(session string) ([]telemetry.Result, error) {
	names, err := b.store.List(ResultsFolder)
	var out []telemetry.Result
	for _, n := range names {
		if !strings.HasSuffix(n, ".json") {
			continue
		}
		var r telemetry.Result
		if v := b.readRaw(ResultsFolder + "/" + n); v == nil || lossless.Decode(v, &r) != nil || session != "" && r.Session != session {
			continue
		}
		out = append(out, r)
	}
	return out, err
}

// TakeFindings returns what came of a session's subagents and was not offered to their
// parent yet, and notes that it is now.
func (b Book) TakeFindings(session string) ([]telemetry.Result, error) {
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
	return fresh, errors.Join(err, b.markRead(session))
}
