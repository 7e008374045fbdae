package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/trust"
	"warp/internal/sys/written"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func get(a *app.App) *cobra.Command {
	return a.WithJSON("print the value as JSON", &cobra.Command{
		Use:   "get <key>",
		Short: "Print the effective value of one setting",
		Args:  app.Exactly(1, "a setting's name"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			k := config.Find(args[0])
			if k == nil {
				_, _, err := config.Read(args[0], nil, "")
				return &app.UsageError{Err: err}
			}
			s, err := d.Project.Settings()
			if err != nil {
				return err
			}
			v, source := inForce(d, s, k)
			return a.Show(jsonValue{v}, func() {
				a.Printf("%s\n", render.Printable(spell(v)))
				if source == detected {
					a.Note("%s is not set; this was detected from the project's files", k.Name)
				}
			})
		}),
		ValidArgsFunction: completeKeys,
	})
}

func set(a *app.App) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "set [--user] <key> <value>...",
		Short: "Change one setting and nothing else in the file",
		Long: `Change one setting and nothing else in the file. Lists take several values, and
a command line takes one that is split as a shell would. KEY.PART sets one part of
model, effort and reasoning_budget. --user sets it for all your projects.`,
		Example: `  warp config set level 3
  warp config set --user model sonnet
  warp config set model.verify haiku
  warp config set agent_command my-agent --flag "two words"
  warp config set verification_gates '{"code_complete": ["make lint"]}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return app.WrongUsage("expected a setting's name and a value, got %s", text.Count(len(args), "argument"))
			}
			return nil
		},
		RunE: app.Run(func(_ context.Context, args []string) error {
			if user {
				return setForUser(a, args[0], args[1:])
			}
			d, err := a.Project()
			if err != nil {
				return err
			}
			return setInProject(a, d, args[0], args[1:])
		}),
		ValidArgsFunction: completeKeys,
	}
	c.Flags().BoolVar(&user, "user", false, "in your own settings, for all projects")
	c.Flags().SetInterspersed(false) // everything after the key is its value, even --flag
	return c
}

func setInProject(a *app.App, d *turnstile.Drive, name string, typed []string) error {
	before, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return err
	}
	k, v, err := config.Read(name, inFile(before, config.Section), typed...)
	if err != nil {
		return &app.UsageError{Err: err}
	}
	if err := d.Project.SetSetting(k.Name, v); err != nil {
		return err
	}
	if err := Vouch(a, d, before); err != nil {
		return err
	}
	a.Printf("%s = %s\n", k.Name, render.Printable(spell(v)))
	return nil
}

func setForUser(a *app.App, name string, typed []string) error {
	file, before, err := readUserFile(a)
	if err != nil {
		return err
	}
	k, v, err := config.Read(name, inFile(before), typed...)
	if err != nil {
		return &app.UsageError{Err: err}
	}
	after, err := lossless.Set(before, v, k.Name)
	if err != nil {
		return fmt.Errorf("%s cannot be edited, nothing was changed: %w", file, err)
	}
	if err := writeUserFile(file, after); err != nil {
		return err
	}
	a.Printf("%s = %s (%s)\n", k.Name, render.Printable(spell(v)), shortPath(a, file))
	return nil
}

// inFile returns a lookup of what a file sets; it finds nothing in an invalid document.
func inFile(text []byte, section ...string) func(*config.Key) *lossless.Value {
	return func(k *config.Key) *lossless.Value {
		doc, err := lossless.Parse(text)
		if err != nil {
			return nil
		}
		for _, s := range section {
			doc = doc.Get(s)
		}
		return doc.Get(k.Name)
	}
}

var errNoUserFile = errors.New("your settings are in your home folder, but HOME is not set: set HOME or XDG_CONFIG_HOME")

// Vouch trusts what a person has just set, unless the settings hold commands that no one has
// reviewed.
func Vouch(a *app.App, d *turnstile.Drive, before []byte) error {
	after, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return err
	}
	if err := written.Add(d.Project.Home(), config.File, after); err != nil { // otherwise a guard would blame an agent
		return err
	}
	trusted, err := trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Carry(d.Project.SettingsPath(), before, after)
	if err == nil && !trusted {
		a.Note("%s has other commands that are not trusted yet: run warp trust --show", config.File)
	}
	return err
}

// completeKeys completes settings, then the values of one.
func completeKeys(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	switch {
	case len(args) == 0:
		for _, k := range config.Keys() {
			names = append(names, k.Name+"\t"+k.Purpose)
		}
	case len(args) == 1 && c.Name() == "set":
		key, _, _ := strings.Cut(args[0], ".")
		if k := config.Find(key); k != nil {
			names = k.Choices
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
