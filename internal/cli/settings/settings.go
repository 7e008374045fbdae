// Package settings is warp config.
package settings

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/engine/trust"
	"warp/internal/sys/written"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the workflow settings, their defaults and where each comes from",
		Long: `Show the workflow settings, their defaults and where each comes from. They
are in .claude/settings.local.json under _workflow. An unknown key is a warning; an
invalid value is an error, and nothing moves until it is fixed.`,
		Example: "  warp config\n  warp config get max_phase_minutes\n  warp config set phase_timeout_enforcement block",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			return show(a, d, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the settings as JSON")
	c.AddCommand(get(a), set(a))
	return c
}

type setting struct {
	Key     string          `json:"key"`
	Value   jsonValue       `json:"value"`
	Default jsonValue       `json:"default"`
	Source  string          `json:"source"`
	Purpose string          `json:"purpose"`
	Accepts string          `json:"accepts"`
	value   *lossless.Value // for the table
}

// jsonValue lets encoding/json print a value as it stands.
type jsonValue struct{ v *lossless.Value }

// MarshalJSON prints null for what is not set.
func (j jsonValue) MarshalJSON() ([]byte, error) {
	if j.v == nil {
		return []byte("null"), nil
	}
	return lossless.AppendCompact(nil, j.v), nil
}

func show(a *app.App, d *turnstile.Drive, asJSON bool) error {
	s, err := d.Project.Settings()
	a.Notes(s.Warnings)
	if err != nil {
		return err
	}
	list := make([]setting, len(config.Keys()))
	for i, k := range config.Keys() {
		list[i] = setting{k.Name, jsonValue{s.Value(k)}, jsonValue{k.Default}, s.Source(k), k.Purpose, k.Accepts, s.Value(k)}
	}
	if asJSON {
		return a.JSON(struct {
			Level    int       `json:"level"`
			Remote   bool      `json:"remote"`
			Settings []setting `json:"settings"`
		}{s.Level, s.Remote, list})
	}
	level := "not set (warp config set level 2)"
	if s.Level != 0 {
		level = fmt.Sprint(s.Level)
	}
	remote := "off"
	if s.Remote {
		remote = "on"
	}
	a.Printf("Automation level: %s\nRemote mode (RDB): %s\n\n", level, remote)
	rows := [][]string{{"SETTING", "VALUE", "DEFAULT", "SOURCE", "PURPOSE"}}
	for _, x := range list {
		rows = append(rows, []string{x.Key, spell(x.value), spell(x.Default.v), x.Source, x.Purpose})
	}
	render.Table(a.Out, rows)
	return nil
}

// spell prints a value as a person would type it.
func spell(v *lossless.Value) string {
	switch {
	case v == nil:
		return "-"
	case v.Kind == lossless.String:
		return v.Text()
	}
	return string(lossless.AppendCompact(nil, v))
}

func get(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "get <key>",
		Short: "Print the effective value of one setting",
		Args:  app.Exactly(1, "a setting's name"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			k := config.Find(args[0])
			if k == nil {
				_, _, err := config.Read(args[0], "")
				return &app.UsageError{Err: err}
			}
			s, err := d.Project.Settings()
			if err != nil {
				return err
			}
			if asJSON {
				return a.JSON(jsonValue{s.Value(k)})
			}
			a.Printf("%s\n", render.Printable(spell(s.Value(k))))
			return nil
		}),
		ValidArgsFunction: keys,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the value as JSON")
	return c
}

func set(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "set <key> <value>",
		Short: "Set one setting; the rest of the file stays as it is",
		Example: `  warp config set level 3
  warp config set verification_gates '{"code_complete": ["make lint"]}'`,
		Args: app.Exactly(2, "a setting's name and a value"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			k, v, err := config.Read(args[0], args[1])
			if err != nil {
				return &app.UsageError{Err: err}
			}
			before, err := d.Project.Home().ReadFile(config.File)
			if err == nil {
				err = d.Project.SetSetting(k.Name, v)
			}
			if err != nil {
				return err
			}
			if err := Vouch(a, d, before); err != nil {
				return err
			}
			a.Printf("%s = %s\n", k.Name, render.Printable(spell(v)))
			return nil
		}),
		ValidArgsFunction: keys,
	}
}

// Vouch trusts what a person has just set, unless the settings hold commands
// that no person has reviewed.
func Vouch(a *app.App, d *turnstile.Drive, before []byte) error {
	after, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return err
	}
	if err := written.Add(d.Project.Home(), config.File, after); err != nil { // else a guard takes it for an agent's doing
		return err
	}
	trusted, err := trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Carry(d.Project.SettingsPath(), before, after)
	if err == nil && !trusted {
		a.Notes([]string{config.File + " has other commands that are not trusted yet: run warp trust --show"})
	}
	return err
}

func keys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, k := range config.Keys() {
			names = append(names, k.Name+"\t"+k.Purpose)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
