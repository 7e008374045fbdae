package live

import (
	"slices"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// drives are the reported drives, in the order they began.
type drives struct{ list []*watched }

// watched is the state of one drive, from its notes.
type watched struct {
	issue, title, branch string
	phase                string
	chunk, total         int
	criteria             []drive.Criterion
	agent                string
	role                 agent.Role
	tool, input          string // current tool call of the agent
	words                string // last words of the agent
	tests                string // running tests
	why                  string // reason for the wait
	until                time.Time
	tokens               int64
	microUSD             int64
	unpriced             bool // a part of the cost is unknown
	began                time.Time
	left                 time.Duration // session time left at leftAt
	leftAt               time.Time
	ended                bool
}

// take applies a note and returns the drive before and after.
func (ds *drives) take(n drive.Note) (old watched, now *watched) {
	i := slices.IndexFunc(ds.list, func(d *watched) bool { return d.issue == n.Issue })
	if i < 0 {
		i = len(ds.list)
		ds.list = append(ds.list, &watched{issue: n.Issue, began: n.At})
	}
	now = ds.list[i]
	old = *now
	now.take(n)
	return old, now
}

// running returns the running drives. One without an issue yet counts only if it is the only one.
func (ds *drives) running() (out []*watched) {
	for _, d := range ds.list {
		if !d.ended && d.issue != "" {
			out = append(out, d)
		}
	}
	if i := slices.IndexFunc(ds.list, func(d *watched) bool { return d.issue == "" && !d.ended }); i >= 0 && len(out) == 0 {
		out = ds.list[i : i+1]
	}
	return out
}

func (d *watched) take(n drive.Note) {
	set(&d.title, n.Title)
	set(&d.branch, n.Branch)
	set(&d.phase, string(n.Phase))
	set(&d.tokens, n.Tokens)
	set(&d.microUSD, n.MicroUSD)
	if n.Total > 0 {
		d.chunk, d.total = n.Chunk, n.Total
	}
	if n.Left > 0 {
		d.left, d.leftAt = n.Left, n.At
	}
	switch n.Kind {
	case drive.Began:
		if d.ended { // it began again
			*d = watched{issue: d.issue, title: d.title, branch: d.branch, phase: string(n.Phase), chunk: n.Chunk, total: n.Total, tokens: n.Tokens, microUSD: n.MicroUSD,
				began: n.At, left: n.Left, leftAt: n.At}
		}
	case drive.AgentBegan:
		d.agent, d.role, d.tool, d.input, d.words = n.Agent, n.Role, "", "", ""
	case drive.AgentSaid:
		d.hear(n)
	case drive.AgentEnded:
		d.unpriced = d.unpriced || n.Unpriced
		d.agent, d.tool, d.input, d.words = "", "", "", ""
	case drive.Phased:
		d.tests = ""
	case drive.Tested:
		if d.tests = ""; n.Passed == nil {
			d.tests = flat(n.Text)
		}
	case drive.Waiting:
		if left, known := d.remaining(n.At); known {
			d.left, d.leftAt = left, n.At
		}
		d.why, d.until = n.Text, n.Until
	case drive.Ended:
		d.ended = true
		d.unpriced = d.unpriced || n.Spent.Cost.Unpriced > 0 // runs before it was resumed
	}
	if n.Criteria != nil {
		d.criteria = slices.Clone(n.Criteria)
	}
}

// hear applies an agent's activity.
func (d *watched) hear(n drive.Note) {
	set(&d.agent, n.Agent)
	set(&d.role, n.Role)
	if n.Said == nil {
		return
	}
	switch n.Said.Kind {
	case "tool":
		d.tool, d.input = flat(n.Said.Tool), flat(n.Said.Text)
	case "text", "thinking":
		set(&d.words, flat(n.Said.Text))
	}
}

func (d *watched) waits() bool { return !d.until.IsZero() }

// remaining returns the session time left, which a wait does not use up.
func (d *watched) remaining(now time.Time) (time.Duration, bool) {
	left := d.left
	if !d.waits() {
		left -= now.Sub(d.leftAt)
	}
	return max(left, 0), !d.leftAt.IsZero()
}

// set assigns a value unless it is zero.
func set[T comparable](to *T, value T) {
	var none T
	if value != none {
		*to = value
	}
}
