package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// Left is an agent that is running, or was left behind by a dead parent.
type Left struct {
	ID      string `json:"id"`
	PID     int    `json:"pid"`
	Stamp   string `json:"pid_stamp,omitempty"`
	Host    string `json:"host,omitempty"`
	Agent   string `json:"agent"`
	Role    Role   `json:"role"`
	Dir     string `json:"dir"`
	Mark    string `json:"mark"`
	Session string `json:"session,omitempty"` // once the agent has reported it
	Started string `json:"started"`
	// Parent is the process that started it; while it lives, it manages the agent.
	Parent      int    `json:"parent"`
	ParentStamp string `json:"parent_stamp,omitempty"`
}

// RunningFolder holds a record of each running agent, under the store. No process survives a power
// cut, so nothing is synced. Each record has its own file, so that parallel agents do not wait for
// each other.
const RunningFolder = "state/agents/running"

// Running reads the records of a store's agents. An unreadable record's writer was killed while
// writing it, before there was an agent.
func Running(store *durable.Store) ([]Left, error) {
	dir := runningDir(store)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for agents that run: %w", err)
	}
	var list []Left
	for _, e := range entries {
		var l Left
		id, ok := strings.CutSuffix(e.Name(), ".json")
		text, err := durable.ReadPlain(filepath.Join(dir, e.Name()))
		if ok && err == nil && json.Unmarshal(text, &l) == nil && l.ID == id {
			list = append(list, l)
		}
	}
	return list, nil
}

func runningDir(store *durable.Store) string {
	return filepath.Join(store.Dir(), filepath.FromSlash(RunningFolder))
}

type record struct {
	mu   sync.Mutex
	file string
	left Left
}

// record records an agent that is about to start. If that fails, the agent runs anyway: it still
// ends with us.
func (r *Runner) record(l Left) *record {
	l.Started, l.Host, l.Parent = drivestate.Stamp(r.Now()), r.Host, r.PID
	l.ParentStamp, _ = r.Started(r.PID)
	dir := runningDir(r.Store)
	_ = os.MkdirAll(dir, 0o700)
	c := &record{file: filepath.Join(dir, l.ID+".json"), left: l}
	c.change(func(*Left) {})
	return c
}

// change updates an agent's record.
func (c *record) change(fn func(*Left)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn(&c.left)
	if text, err := json.Marshal(c.left); err == nil {
		_ = durable.WriteNote(c.file, text)
	}
}

func (c *record) forget() { _ = durable.RemoveFiles(c.file) }

func (r *Runner) forget(id string) {
	_ = durable.RemoveFiles(filepath.Join(runningDir(r.Store), id+".json"))
}

// elsewhere is how long the record of another machine's agent is kept.
const elsewhere = 7 * 24 * time.Hour

// EndLeftBehind ends the agents of dead parents, with everything they started, and returns them.
func (r *Runner) EndLeftBehind() ([]Left, error) {
	list, err := Running(r.Store)
	if err != nil {
		return nil, err
	}
	var ended []Left
	for _, l := range list {
		if l.Host != r.Host {
			// Another machine's agent, which that machine ends; no run takes a week.
			if at, err := time.Parse(time.RFC3339, l.Started); err == nil && r.Now().Sub(at) > elsewhere {
				r.forget(l.ID)
			}
			continue
		}
		if !r.Started.IsGone(l.Parent, l.ParentStamp) {
			continue // its parent manages it
		}
		if !r.Started.IsGone(l.PID, l.Stamp) {
			proc.EndGroup(l.PID)
		}
		proc.EndMarked(l.Mark)
		ended = append(ended, l)
		r.forget(l.ID)
	}
	return ended, nil
}
