package agentcmd

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/agent"
	"warp/internal/ui/render"
)

// lookTime bounds how long an agent may take to print its version.
const lookTime = 20 * time.Second

// Seen is an agent as warp agent list shows it.
type Seen struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
	Path      string `json:"path,omitempty"`
	Version   string `json:"version,omitempty"`
	LoggedIn  *bool  `json:"logged_in"` // null: unknown
	Do        string `json:"do,omitempty"`
}

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the agents, whether each is installed and logged in, and what to do next",
		Args:  cobra.NoArgs,
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			all, err := Look(ctx, a)
			if err != nil {
				return err
			}
			if asJSON {
				return a.JSON(all)
			}
			rows := [][]string{{"AGENT", "INSTALLED", "LOGGED IN", "VERSION", "PATH", "WHAT TO DO"}}
			for _, s := range all {
				rows = append(rows, []string{s.Name, yesNo(&s.Installed), yesNo(s.LoggedIn), cmp.Or(s.Version, "-"), cmp.Or(s.Path, "-"), cmp.Or(s.Do, "-")})
			}
			render.Table(a.Out, rows)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

// Look asks all agents at once: each may take a program's start to answer.
func Look(ctx context.Context, a *app.App) ([]Seen, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	w, broken := configured(a)
	if broken != nil {
		a.Notes([]string{broken.Error()})
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
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// see is what is known of an agent. Of one that is not there, nothing is.
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
