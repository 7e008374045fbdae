package agentcmd

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/agent"
)

// lookTime is how long an agent may take to print its version.
const lookTime = 20 * time.Second

// Seen is an agent in warp agent list.
type Seen struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
	Path      string `json:"path,omitempty"`
	Version   string `json:"version,omitempty"`
	LoggedIn  *bool  `json:"logged_in"` // null: unknown
	Do        string `json:"do,omitempty"`
}

func list(a *app.App) *cobra.Command {
	return a.WithJSON("print the list as JSON", &cobra.Command{
		Use:   "list",
		Short: "List the agents, whether each is installed and logged in, and what to do next",
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			all, err := Look(ctx, a)
			if err != nil {
				return err
			}
			rows := [][]string{{"AGENT", "INSTALLED", "LOGGED IN", "VERSION", "PATH", "WHAT TO DO"}}
			for _, s := range all {
				rows = append(rows, []string{s.Name, yesNo(&s.Installed), yesNo(s.LoggedIn), cmp.Or(s.Version, "-"), cmp.Or(s.Path, "-"), cmp.Or(s.Do, "-")})
			}
			return app.ShowList(a, all, rows, "")
		}),
	})
}

// Look queries all agents concurrently, since each may have to start a program.
func Look(ctx context.Context, a *app.App) ([]Seen, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	w, broken := configuredAgent(a)
	if broken != nil {
		a.Note("%v", broken)
	}
	all := make([]Seen, len(kinds))
	errs := make([]error, len(kinds))
	var done sync.WaitGroup
	for i, k := range kinds {
		done.Go(func() {
			adapter, err := k.make(w)
			if err != nil {
				errs[i] = err
				return
			}
			all[i] = k.see(adapter.Check(ctx))
			if k.name == "command" && broken != nil {
				all[i].Do = "correct the settings: " + broken.Error()
			}
		})
	}
	done.Wait()
	return all, errors.Join(errs...)
}

// see returns what is known of an agent; the login of a missing one is unknown.
func (k kind) see(h agent.Health) Seen {
	s := Seen{Name: k.name, Installed: h.Installed, Path: h.Path, Version: h.Version, LoggedIn: h.LoggedIn, Do: h.Advice}
	if !h.Installed {
		s.LoggedIn = nil
	}
	if h.Broken != "" {
		s.Do = h.Do()
	}
	return s
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return "?"
	case *b:
		return "yes"
	}
	return "no"
}
