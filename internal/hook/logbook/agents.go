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

// Subagents is the part of the logbook about subagents.
type Subagents struct {
	store *durable.Store
	now   func() time.Time
}

// RecordStart records that a subagent has started.
func (b Subagents) RecordStart(a telemetry.Agent, session string) error {
	err := b.store.Append(event.AgentBegan, lossless.Record("session", session, "id", a.ID, "type", a.Type, "task", a.Task, "parent_task", a.ParentTask))
	if err != nil {
		return err
	}
	return change(openAgents(b.store), func(d *telemetry.Agents) { d.Start(a, session) }, nil)
}

// ReadActive returns the subagents at work.
func (b Subagents) ReadActive() (*telemetry.Agents, error) { return read(openAgents(b.store)) }

// RecordEnd stores a subagent's result. A given task replaces the recorded one, since more is
// known at the end. It adds an agent that is not on record, because the record may have been
// removed, but ignores one without a type: compacting a context ends an agent that never started.
func (b Subagents) RecordEnd(agent telemetry.Agent, session string, stop telemetry.StopFacts) (*telemetry.Result, error) {
	id := agent.ID
	var r *telemetry.Result
	var before telemetry.Result // the result of an agent that was sent back to work after its end
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
	err = b.store.Append(event.AgentEnded, lossless.Record("session", session, "id", id, "status", r.Status, "issues_found", r.Metrics.IssuesFound))
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

// unreadFile names the sessions with unread findings of subagents, so that the calls of others pay
// only for one look at it.
const unreadFile = AgentsFolder + "/unread"

// HasUnread reports whether a session has unread findings of its subagents.
func (b Subagents) HasUnread(session string) bool {
	text, err := b.store.ReadFile(unreadFile)
	return err == nil && slices.Contains(strings.Fields(string(text)), session)
}

// markRead removes a session from the unread file unless another of its subagents has ended
// meanwhile: an agent writes its findings before it adds its session to the file.
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

// ListResults returns the results of a session's subagents; "" selects all sessions.
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

// TakeFindings returns the results of a session's subagents that their parent has not seen, and
// marks them as seen. If the hook is killed meanwhile, the rest stays unread.
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
