package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/engine/contain"
	"warp/internal/engine/prompt"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Confined is an adapter that knows what its agent needs in a sandbox.
type Confined interface {
	Needs(t Task, environ []string) contain.Needs
}

// Holds returns how well this runner's agents are confined.
func (r *Runner) Holds() sandbox.Holds {
	if r == nil || r.Walls == nil {
		return sandbox.Not
	}
	return r.Walls.Box.Holds()
}

// surroundings tells an agent what its sandbox denies it, unless the conversation has that already:
// agents tried refused downloads again in each run.
func (r *Runner) surroundings(t Task) string {
	if !t.Boxed || t.Session != "" {
		return ""
	}
	reach, limited := r.Walls.Reach()
	git := r.Walls.IsGitReadOnly()
	if !limited && !git {
		return ""
	}
	return prompt.Render("sandbox", map[string]any{"Git": git, "Limited": limited, "Reach": text.Clip(text.VisibleLine(reach), maxReach), "Decides": (t.Role == Code || t.Role == Fix) && !t.ReadOnly})
}

// maxReach bounds the list of hosts in a prompt, in characters.
const maxReach = 200

// confine puts a run into its sandbox. The work tree and the folder for the answer are writable;
// git's folder and warp's own are not, since warp commits.
func (r *Runner) confine(c proc.Cmd, a Adapter, t Task, answer string, refused func(host string)) (*contain.Run, error) {
	if r.Walls == nil {
		return &contain.Run{Cmd: c}, nil
	}
	if r.Holds() == sandbox.Not {
		if t.ReadOnly {
			c.Env = r.Walls.WithPrivateCaches(c.Env, "look-"+a.Name())
		}
		return r.Walls.Unconfined(c, append([]string{t.Dir}, t.Write...)), nil
	}
	o := contain.Order{Name: "agent-" + a.Name(), Session: t.Session, Top: t.Dir, ReadOnly: t.ReadOnly, Write: append([]string{answer}, t.Write...), Refused: refused}
	switch { // who judges an agent's work does not share its home, nor do those who write its tests
	case t.ReadOnly:
		o.Name = "look-" + a.Name()
	case t.Role == Check:
		o.Name = "check-" + a.Name()
	}
	if n, ok := a.(Confined); ok {
		o.Needs = n.Needs(t, c.Env)
		o.ReadOnly = o.ReadOnly || o.Needs.ReadOnly
	}
	if at, ok := git.Locate(t.Dir); ok {
		o.Top, o.Git, o.Frozen = at.Top, at.Common(), []string{filepath.Join(at.Top, ".git"), at.Common(), at.GitDir(), filepath.Join(at.Top, ".claude")}
		inner, err := at.Submodules(context.Background())
		if err != nil {
			return nil, fmt.Errorf("listing submodules: %w", err)
		}
		for _, name := range inner { // git obeys the settings there, no matter who calls it
			own := filepath.Join(at.Top, filepath.FromSlash(name), ".git")
			if _, err := os.Lstat(own); err == nil {
				o.Frozen = append(o.Frozen, own)
			}
		}
	}
	// A missing folder cannot be read-only: an agent would create it. Git does not see an empty
	// one.
	own := filepath.Join(t.Dir, ".claude")
	if err := os.MkdirAll(own, 0o755); err != nil {
		return nil, fmt.Errorf("keeping %s from the agent: %w", own, err)
	}
	o.Frozen = append(o.Frozen, own)
	if store := r.Store.Dir(); strings.HasPrefix(store, o.Top+string(filepath.Separator)) {
		o.Frozen = append(o.Frozen, store)
	}
	return r.Walls.Confine(c, o)
}
