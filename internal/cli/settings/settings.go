// Package settings is warp config, and warp level: how much a drive may do without a person. Setting a
// level writes exactly the permission rules that a drive needs for it; the user's rules stay.
package settings

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/engine/detect"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := a.WithJSON("print the settings as JSON", &cobra.Command{
		Use:   "config",
		Short: "Show the workflow settings, their defaults and where each comes from",
		Long: `Show the settings, their defaults and where each comes from. The project's are in
.claude/settings.local.json under _workflow; yours, for every project, are in
~/.config/warp/settings.json ($XDG_CONFIG_HOME). The project's settings override yours,
and flags of commands override both.

An unknown key is a warning; an invalid value is an error, and no drive moves until it
is fixed.`,
		Example: `  warp config
  warp config get test_command
  warp config set --user model sonnet
  warp config set model.verify haiku
  warp config set agent_command my-agent --flag "two words"
  warp config edit --user`,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			return show(a, d)
		}),
	})
	c.AddCommand(get(a), set(a), edit(a))
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

// jsonValue makes encoding/json print a value unchanged.
type jsonValue struct{ v *lossless.Value }

// MarshalJSON returns null for an unset value.
func (j jsonValue) MarshalJSON() ([]byte, error) {
	if j.v == nil {
		return []byte("null"), nil
	}
	return lossless.AppendCompact(nil, j.v), nil
}

func show(a *app.App, d *turnstile.Drive) error {
	s, err := d.Project.Settings()
	a.Notes(s.Warnings)
	if err != nil {
		return err
	}
	list := make([]setting, len(config.Keys()))
	for i, k := range config.Keys() {
		v, source := inForce(d, s, k)
		list[i] = setting{k.Name, jsonValue{v}, jsonValue{k.Default}, source, k.Purpose, k.Accepts, v}
	}
	return a.Show(struct {
		Level    int       `json:"level"`
		Remote   bool      `json:"remote"`
		Settings []setting `json:"settings"`
	}{s.Level, s.Remote, list}, func() {
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
			rows = append(rows, []string{x.Key, spell(x.value), spell(x.Default.v), shortPath(a, x.Source), x.Purpose})
		}
		render.Table(a.Out, rows)
	})
}

// spell formats a value as a person would type it.
func spell(v *lossless.Value) string {
	switch {
	case v == nil:
		return "-"
	case v.Kind == lossless.String:
		return v.Text()
	}
	return string(lossless.AppendCompact(nil, v))
}

// detected is the source of a value that is not set but was found in the project.
const detected = "detected"

// inForce returns the effective value of a setting and its source.
func inForce(d *turnstile.Drive, s config.Settings, k *config.Key) (*lossless.Value, string) {
	v := s.Value(k)
	if v == nil && k.Name == "test_command" {
		if found := detect.FindTests(detect.ReadProject(d.Root())); found != "" {
			return lossless.NewString(found), detected
		}
	}
	return v, s.Source(k)
}

// shortPath abbreviates the home folder in a path.
func shortPath(a *app.App, path string) string {
	if home := a.Getenv("HOME"); home != "" && strings.HasPrefix(path, home+"/") {
		return "~" + strings.TrimPrefix(path, home)
	}
	return path
}
