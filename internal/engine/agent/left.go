package agent

import (
	"time"

	"warp/internal/core/drive"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// Left is an agent that runs, or was left behind by a parent that is gone.
type Left struct {
	ID      string `json:"id"`
	PID     int    `json:"pid"`
	Stamp   string `json:"pid_stamp,omitempty"`
	Host    string `json:"host,omitempty"`
	Agent   string `json:"agent"`
	Role    Role   `json:"role"`
	Dir     string `json:"dir"`
	Mark    string `json:"mark"`
	Session string `json:"session,omitempty"` // once the agent has told it
	Started string `json:"started"`
	// Parent is who started it; while it lives, the agent is its own business.
	Parent      int    `json:"parent"`
	ParentStamp string `json:"parent_stamp,omitempty"`
}

// Running is the document state/agents/running.json: the agents that warp has
// started itself.
type Running struct {
	Agents []Left `json:"agents"`
}

func (r *Runner) running() *durable.Doc[Running] {
	return durable.Open(r.Store, "state/agents/running.json", durable.Kind[Running]{Name: "running"})
}

func (r *Runner) change(fn func([]Left) []Left) error {
	_, err := r.running().Update(func(tx *durable.Tx[Running]) error {
		if tx.Doc == nil {
			tx.Doc = &Running{}
		}
		tx.Doc.Agents = fn(tx.Doc.Agents)
		return nil
	})
	return err
}

// record notes an agent that is about to start. A record that cannot be written
// does not stop it: the agent is ended with us all the same.
func (r *Runner) record(l Left) {
	l.Started, l.Host, l.Parent = drive.Stamp(r.Now()), r.Host, r.PID
	l.ParentStamp, _ = r.Started(r.PID)
	_ = r.change(func(list []Left) []Left { return append(list, l) })
}

// began adds the process to the record of an agent that has started.
func (r *Runner) began(id string, pid int) {
	stamp, _ := r.Started(pid)
	_ = r.change(func(list []Left) []Left {
		for i := range list {
			if list[i].ID == id {
				list[i].PID, list[i].Stamp = pid, stamp
			}
		}
		return list
	})
}

// learn adds the session to the record of an agent that runs.
func (r *Runner) learn(id, session string) {
	_ = r.change(func(list []Left) []Left {
		for i := range list {
			if list[i].ID == id {
				list[i].Session = session
			}
		}
		return list
	})
}

func (r *Runner) forget(id string) {
	_ = r.change(func(list []Left) []Left {
		var rest []Left
		for _, l := range list {
			if l.ID != id {
				rest = append(rest, l)
			}
		}
		return rest
	})
}

// elsewhere is how long the record of another machine's agent is kept.
const elsewhere = 7 * 24 * time.Hour

// EndLeftBehind ends the agents of parents that are gone, with everything that
// they started, and returns them.
func (r *Runner) EndLeftBehind() ([]Left, error) {
	v, err := r.running().Read()
	if durable.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ended []Left
	for _, l := range v.Doc.Agents {
		if l.Host != r.Host {
			// Another machine's, which is to end it; no run takes a week.
			if at, err := time.Parse(time.RFC3339, l.Started); err == nil && r.Now().Sub(at) > elsewhere {
				r.forget(l.ID)
			}
			continue
		}
		if r.same(l.Parent, l.ParentStamp) {
			continue // its parent looks after it
		}
		if l.PID > 0 && r.same(l.PID, l.Stamp) {
			proc.EndGroup(l.PID)
		}
		proc.EndMarked(l.Mark)
		ended = append(ended, l)
		r.forget(l.ID)
	}
	return ended, nil
}

// same tells whether a process is still the one that was recorded.
func (r *Runner) same(pid int, stamp string) bool {
	now, alive := r.Started(pid)
	return alive && (stamp == "" || now == "" || now == stamp)
}
