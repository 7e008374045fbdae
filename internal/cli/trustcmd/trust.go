// Package trustcmd is warp trust: a person decides which of a project's commands may run on this
// machine.
package trustcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/devconfig"
	"warp/internal/core/trustledger"
	engine "warp/internal/engine/trust"
	"warp/internal/ui/render"
)

type options struct {
	show, revoke bool
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "trust [file]...",
		Short: "Allow the commands in this project's files to run on this machine",
		Long: `Allow the commands in this project's files to run on this machine: dev.json, the
pipeline files, and the gates, the test command and the agent command of
.claude/settings.local.json. Commands that came with a clone do not run until then.

Trust applies to a file's current content: a changed file needs to be trusted again.
It is stored in your home folder, never in the project. What warp config set, warp
init and warp dev init write for you is trusted at once.`,
		Example: `  warp trust --show          what there is, and what changed since it was trusted
  warp trust                 allow all of it
  warp trust dev.json        allow one file
  warp trust --revoke        revoke trust`,
		Args: cobra.ArbitraryArgs,
		RunE: app.Run(func(_ context.Context, args []string) error { return o.run(a, args) }),
	})
	c.Flags().BoolVar(&o.show, "show", false, "show what would run, and change nothing")
	c.Flags().BoolVar(&o.revoke, "revoke", false, "revoke trust")
	return c
}

// status is a file and whether its commands may run.
type status struct {
	Path   string `json:"path"`
	Status string `json:"status"` // trusted, changed, untrusted or harmless
	Now    string `json:"now"`    // what in it can start something
	Then   string `json:"then,omitempty"`
}

func (o options) run(a *app.App, args []string) error {
	if o.show && o.revoke {
		return app.WrongUsage("--show and --revoke cannot be combined")
	}
	store := engine.Open(a.Getenv, a.Env.Now, a.Env.PID)
	files, err := find(a, store, args)
	if err != nil {
		return err
	}
	var all []status
	for _, f := range files {
		switch {
		case o.revoke:
			_, err = store.Revoke(f)
		case !o.show:
			var text []byte
			if text, err = engine.Read(f); err == nil {
				err = store.Allow(f, text)
			}
		}
		if err != nil {
			return err
		}
		s, err := look(store, f)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	return o.print(a, all)
}

// find returns the named files, else all of the project's.
func find(a *app.App, store *engine.Store, args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		path := app.Path(a, arg)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q cannot be trusted: %w", arg, err)
		case info.IsDir():
			files = append(files, engine.Files(path)...)
		default:
			files = append(files, path)
		}
	}
	if len(args) > 0 {
		return files, nil
	}
	d, err := a.Project()
	if err != nil {
		return nil, err
	}
	home := filepath.Dir(d.Project.Home().Dir())
	return append(engine.Files(home), linkedTreeFiles(store, home, d.Root())...), nil
}

// linkedTreeFiles returns files of linked work trees that would run other commands than the main
// one's: the current work tree's and those of drives. They share the main one's settings.
func linkedTreeFiles(store *engine.Store, home, root string) (files []string) {
	trees, _ := filepath.Glob(filepath.Join(home, ".claude", "worktrees", "*")) // the pattern is valid
	if root != home && !slices.Contains(trees, root) {
		trees = append(trees, root)
	}
	for _, tree := range trees {
		file := filepath.Join(tree, devconfig.File)
		if text, err := engine.Read(file); errors.Is(err, engine.ErrTooLarge) || err == nil && store.Check(filepath.Join(home, devconfig.File), text) != nil {
			files = append(files, file)
		}
	}
	return files
}

func look(store *engine.Store, path string) (status, error) {
	name, err := engine.Name(path)
	if err != nil {
		return status{}, err
	}
	text, err := engine.Read(path)
	if errors.Is(err, engine.ErrTooLarge) { // the others are still shown
		return status{Path: name, Status: "untrusted", Now: engine.ErrTooLarge.Error()}, nil
	}
	if err != nil {
		return status{}, fmt.Errorf("reading what would run: %w", err)
	}
	l, err := store.Ledger()
	if err != nil {
		return status{}, err
	}
	s := status{Path: name, Status: "trusted", Now: string(trustledger.Subject(name, text))}
	var not *trustledger.Untrusted
	switch err := l.Check(name, text); {
	case errors.As(err, &not) && not.Changed:
		e, _ := l.Find(name)
		s.Status, s.Then = "changed", e.Text
	case err != nil:
		s.Status = "untrusted"
	case s.Now == "":
		s.Status = "harmless"
	}
	return s, nil
}

func (o options) print(a *app.App, all []status) error {
	if a.AsJSON {
		return a.JSON(struct {
			Files []status `json:"files"`
		}{append([]status{}, all...)})
	}
	if len(all) == 0 {
		a.Printf("there is nothing to trust: the project has no dev.json, no pipeline files and no settings\n")
	}
	for _, s := range all {
		a.Printf("%-9s  %s\n", s.Status, render.Printable(s.Path))
		switch {
		case s.Status == "changed":
			indent(a, trustledger.Diff(s.Then, s.Now))
		case !o.revoke:
			indent(a, s.Now)
		}
	}
	return nil
}

// indent prints a file's content, set off from warp's output.
func indent(a *app.App, text string) {
	for line := range strings.Lines(text) {
		a.Printf("    %s\n", render.Printable(strings.TrimRight(line, "\r\n")))
	}
}
