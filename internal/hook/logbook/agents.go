package logbook

import (
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// Subagents is the part of the logbook that subagents of sessions fill.
type Subagents struct {
	store *durable.Store
	now   func() time.Time
}

// RecordStart notes that a subagent is at work.
func (b Subagents) RecordStart(a telemetry.Agent, session string) error {
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
	return change(openAgents(b.store), func(d *telemetry.Agents) { d.Start(a, session) }, nil)
}

// ReadActive returns the subagents at work.
func (b Subagents) ReadActive() (*telemetry.Agents, error) { return read(openAgents(b.store)) }

// RecordEnd keeps what came of a subagent. With a task the record of the beginning is
// repaired: more is known at the end. One that is not on record is put there, since its
// record may have been removed; one without a type is ignored: compacting a context ends
// one that was never started.
func (b Subagents) RecordEnd(agent telemetry.Agent, session string, stop telemetry.StopFacts) (*telemetry.Result, error) {
	id := agent.ID
	var r *telemetry.Result
	var before telemetry.Result // of an agent that was sent back to work after it had ended
	again := text.ValidName(id) && lossless.Decode(readRaw(b.store, ResultsFolder+"/"+id+".json"), &before) == nil
	err := change(openAgents(b.store), func(d *telemetry.Agents) {
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
	if err := writeFile(b.store, ResultsFolder+"/"+id+".json", r); err != nil || len(r.Findings)+len(r.Recommendations) == 0 {
		return r, err
	}
	return r, b.store.EditFile(unreadFile, func(old []byte) ([]byte, error) {
		if slices.Contains(strings.Fields(string(old)), session) {
			return nil, durable.ErrUnchanged
		}
		return append(old, session+"\n"...), nil
	})
}

// unreadFile names the sessions whose subagents found something that was not put before
// them yet. Looking for it is all that the calls of others pay.
const unreadFile = AgentsFolder + "/unread"

// HasUnread tells whether subagents of a session found something that was not put before it.
func (b Subagents) HasUnread(session string) bool {
	text, err := b.store.ReadFile(unreadFile)
	return err == nil && slices.Contains(strings.Fields(string(text)), session)
}

// markRead takes a session from those that have something to read, unless another of its
// subagents has ended meanwhile: that one has written what it found before it said so.
func (b Subagents) markRead(session string) error {
	if text, err := b.store.ReadFile(unreadFile); err != nil || len(text) == 0 {
		return err
	}
	return b.store.EditFile(unreadFile, func(text []byte) ([]byte, error) {
		all, err := b.ListResults(session)
		if err != nil || slices.ContainsFunc(all, func(r telemetry.Result) bool { return !r.Offered }) {
			return text, err
		}
		left := slices.DeleteFunc(strings.Fields(string(text)), func(s string) bool { return s == session })
		return []byte(strings.Join(append(left, ""), "\n")), nil
	})
}

// ListResults lists what came of a session's subagents; "" is all sessions.
func (b Subagents) ListResults(session string) ([]telemetry.Result, error) {
	names, err := b.store.List(ResultsFolder)
	var out []telemetry.Result
	for _, n := range names {
		if !strings.HasSuffix(n, ".json") {
			continue
		}
		var r telemetry.Result
		if v := readRaw(b.store, ResultsFolder+"/"+n); v == nil || lossless.Decode(v, &r) != nil || session != "" && r.Session != session {
			continue
		}
		out = append(out, r)
	}
	return out, err
}

// TakeFindings returns what came of a session's subagents and was not offered to their
// parent yet, and notes that it is now. A hook that is killed on the way leaves the rest unread.
func (b Subagents) TakeFindings(session string) (fresh []telemetry.Result, err error) {
	all, err := b.ListResults(session)
	for _, r := range all {
		if r.Offered {
			continue
		}
		fresh = append(fresh, r)
		r.Offered = true
		if err := writeFile(b.store, ResultsFolder+"/"+r.AgentID+".json", &r); err != nil {
			return fresh, err
		}
	}
	if err != nil {
		return fresh, err
	}
	return fresh, b.markRead(session)
}
