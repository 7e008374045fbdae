package settings

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/sys/written"
	"warp/internal/turnstile"
)

// NewLevel returns the command.
func NewLevel(a *app.App) *cobra.Command {
	return a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "level [2|3]",
		Short: "Show or set the automation level, with the permission rules it needs",
		Long: `Show or set the automation level.

  2   a drive ends in a pull request; pushes to the main branch are denied
  3   a drive merges to the main branch

Setting it writes narrow permission rules for Claude Code: file edits, the
warp and git commands that a model needs for a drive, and the project's test
command are allowed; force pushes, reset --hard and clean are denied; decisions of
a person (warp issue approve, warp answer, warp drive, warp init, …) and every push
ask first. Your own rules stay. Claude Code accepts a project's permissions only
once you have trusted its folder.`,
		Example: "  warp level\n  warp level 2",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return app.WrongUsage("expected one level, 2 or 3, got %d arguments", len(args))
			}
			if len(args) == 1 && args[0] != "2" && args[0] != "3" {
				return app.WrongUsage("%q: %w", args[0], turnstile.ErrLevel)
			}
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			if len(args) == 0 {
				return showLevel(a, d)
			}
			return setLevel(a, d, int(args[0][0]-'0'))
		}),
		ValidArgs: []string{"2\tpull request", "3\tmerge"},
	})
}

// endsAtLevel describes how a drive ends, by level.
var endsAtLevel = map[int]string{2: "pull request", 3: "merge to the main branch"}

func showLevel(a *app.App, d *turnstile.Drive) error {
	s, err := d.Project.Settings()
	a.Notes(s.Warnings)
	if err != nil {
		return err
	}
	return a.Show(struct {
		Level int `json:"level"`
	}{s.Level}, func() {
		if s.Level == 0 {
			a.Printf("not set (warp level 2 or warp level 3)\n")
			return
		}
		a.Printf("%d (%s)\n", s.Level, endsAtLevel[s.Level])
	})
}

func setLevel(a *app.App, d *turnstile.Drive, n int) error {
	before, note, err := readRecord(d)
	if err != nil {
		return err
	}
	p, err := PrepareLevel(d, before, n)
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if p.Apply != nil {
		if err := p.Apply(); err != nil {
			return err
		}
		for _, file := range []string{config.File, ".claude/settings.json"} {
			text, err := d.Project.Home().ReadFile(file)
			if err == nil {
				err = written.Add(d.Project.Home(), file, text)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := writeRecord(d, before, p.Ours); err != nil {
		return err
	}
	if note != "" {
		p.Notes = append(p.Notes, note)
	}
	a.Notes(p.Notes)
	return reportLevel(a, p, n)
}

func reportLevel(a *app.App, p LevelPlan, n int) error {
	return a.Show(struct {
		Level  int          `json:"level"`
		File   string       `json:"file"`
		Action string       `json:"action"`
		Now    config.Rules `json:"rules"`
		Gone   config.Rules `json:"removed"`
	}{n, p.Path, p.Action, p.Now, p.Gone}, func() {
		a.Printf("level = %d (%s)\n%-9s  %s\n", n, endsAtLevel[n], p.Action, p.Path)
		for _, list := range config.Lists {
			for _, rule := range p.Gone[list] {
				a.Printf("- %-5s %s\n", list, rule)
			}
			for _, rule := range p.Now[list] {
				sign := "+"
				if !slices.Contains(p.New[list], rule) {
					sign = " "
				}
				a.Printf("%s %-5s %s\n", sign, list, rule)
			}
		}
	})
}
