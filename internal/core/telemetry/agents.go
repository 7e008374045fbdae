package telemetry

import (
	"slices"

	"warp/internal/core/lossless"
)

// running is the status of a working agent.
const running = "running"

// Agents is the document agents/active.json.
type Agents struct {
	Agents         []Agent                `json:"agents"`
	TotalSpawned   int                    `json:"total_spawned"`
	TotalCompleted int                    `json:"total_completed"`
	SessionID      string                 `json:"session_id"` // the newest of the sessions that share the file
	TotalFailed    int                    `json:"total_failed,omitempty"`
	Sessions       map[string]AgentCounts `json:"sessions,omitempty"` // each session's share of the totals
}

// Agent is a working agent.
type Agent struct {
	lossless.Origin
	ID         string `json:"id"`
	Type       string `json:"type"`
	Task       string `json:"task"`
	Started    string `json:"started"`
	Status     string `json:"status"`
	ParentTask string `json:"parent_task"`
	Session    string `json:"session,omitempty"`
}

// AgentCounts counts one session's agents. Failed ones are completed too.
type AgentCounts struct {
	Spawned   int `json:"spawned"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
}

// Start adds a working agent. An agent reported twice counts once.
func (a *Agents) Start(agent Agent, session string) {
	a.SessionID = session
	agent.Session = session
	if agent.Status == "" {
		agent.Status = running
	}
	if at := a.find(agent.ID); at >= 0 {
		agent.Origin = a.Agents[at].Origin
		a.Agents[at] = agent
		return
	}
	a.Agents = append(a.Agents, agent)
	a.count(session, AgentCounts{Spawned: 1})
}

// Stop removes a working agent and counts it as completed, and as failed if it did. It returns
// false for an agent that never started: compacting a context ends one whose start was not seen.
func (a *Agents) Stop(id string, failed bool) (Agent, bool) {
	at := a.find(id)
	if at < 0 {
		return Agent{}, false
	}
	agent := a.Agents[at]
	a.Agents = slices.Delete(a.Agents, at, at+1)
	n := AgentCounts{Completed: 1}
	if failed {
		n.Failed = 1
	}
	a.count(agent.Session, n)
	return agent, true
}

// Clear removes the agents and totals of a session that ended, and reports whether there were any.
// An agent that other programs recorded belongs to the session named in the document.
func (a *Agents) Clear(session string) bool {
	n, counted := a.Sessions[session]
	newest := session != "" && a.SessionID == session
	was := len(a.Agents)
	a.Agents = slices.DeleteFunc(a.Agents, func(g Agent) bool {
		return g.Session == session || g.Session == "" && newest
	})
	if !newest && !counted && len(a.Agents) == was {
		return false
	}
	a.TotalSpawned = max(0, a.TotalSpawned-n.Spawned)
	a.TotalCompleted = max(0, a.TotalCompleted-n.Completed)
	a.TotalFailed = max(0, a.TotalFailed-n.Failed)
	delete(a.Sessions, session)
	if newest {
		a.SessionID = ""
	}
	if len(a.Agents)+len(a.Sessions) == 0 {
		a.TotalSpawned, a.TotalCompleted, a.TotalFailed = 0, 0, 0
	}
	return true
}

// Counts returns a session's agent counts.
func (a *Agents) Counts(session string) AgentCounts { return a.Sessions[session] }

func (a *Agents) find(id string) int {
	return slices.IndexFunc(a.Agents, func(g Agent) bool { return g.ID == id })
}

func (a *Agents) count(session string, n AgentCounts) {
	a.TotalSpawned += n.Spawned
	a.TotalCompleted += n.Completed
	a.TotalFailed += n.Failed
	if session == "" {
		return // an agent that another program recorded
	}
	if a.Sessions == nil {
		a.Sessions = map[string]AgentCounts{}
	}
	was := a.Sessions[session]
	a.Sessions[session] = AgentCounts{was.Spawned + n.Spawned, was.Completed + n.Completed, was.Failed + n.Failed}
}
