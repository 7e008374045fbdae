package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

func edit(a *app.App) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "edit [--user]",
		Short: "Open the settings in your editor",
		Long: `Open the project's settings, or with --user your own, in $VISUAL or $EDITOR. They are
checked before they are used: invalid ones change nothing, and your text is kept in a
file, whose name is printed.`,
		Example: "  warp config edit\n  EDITOR='code --wait' warp config edit --user",
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			if user {
				return editUser(ctx, a)
			}
			d, err := a.Project()
			if err != nil {
				return err
			}
			return editProject(ctx, a, d)
		}),
	}
	c.Flags().BoolVar(&user, "user", false, "your own settings, for all projects")
	return c
}

func editProject(ctx context.Context, a *app.App, d *turnstile.Drive) error {
	before, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return err
	}
	template := fmt.Sprintf("{\n  %q: {\n  }\n}\n", config.Section)
	return edited(ctx, a, before, template, func(text []byte) (config.Settings, error) { return config.Parse(text) }, func(text []byte) error {
		err := d.Project.EditSettings(func(now []byte) ([]byte, error) {
			if string(now) != string(before) {
				return nil, errors.New(config.File + " was changed in the meantime")
			}
			return text, nil
		})
		if err != nil {
			return err
		}
		return Vouch(a, d, before)
	})
}

func editUser(ctx context.Context, a *app.App) error {
	file, before, err := readUserFile(a)
	if err != nil {
		return err
	}
	return edited(ctx, a, before, "{\n}\n", func(text []byte) (config.Settings, error) { return config.ParseOver(file, text, nil) }, func(text []byte) error {
		if _, now, err := readUserFile(a); err != nil || string(now) != string(before) {
			return errors.Join(err, errors.New(file+" was changed in the meantime"))
		}
		return writeUserFile(file, text)
	})
}

// edited lets a person edit a text and saves it if it is valid. Otherwise the error says where
// the text is.
func edited(ctx context.Context, a *app.App, before []byte, template string, check func([]byte) (config.Settings, error), save func([]byte) error) error {
	text := cmp.Or(string(before), template)
	draft, err := app.OpenDraft(ctx, a, "settings.json", text, "use warp config set KEY VALUE")
	if err != nil && draft.Path != "" {
		return fmt.Errorf("nothing was changed; your text is in %s: %w", draft.Path, err)
	}
	if err != nil {
		return err
	}
	if draft.Text == text {
		a.Printf("Nothing was changed.\n")
		return draft.Discard()
	}
	after := []byte(draft.Text)
	s, err := check(after)
	if err == nil {
		a.Notes(s.Warnings)
		err = save(after)
	}
	if err != nil {
		return fmt.Errorf("nothing was changed; your text is in %s: %w", draft.Path, err)
	}
	a.Printf("The settings are saved.\n")
	return draft.Discard()
}

func readUserFile(a *app.App) (file string, text []byte, err error) {
	if file = a.Env.UserSettings; file == "" {
		return "", nil, errNoUserFile
	}
	text, err = os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("reading your settings: %w", err)
	}
	return file, text, err
}

// writeUserFile replaces the file; if it is a link, as dotfile managers create, it stays one.
func writeUserFile(file string, text []byte) error {
	if at, err := filepath.EvalSymlinks(file); err == nil {
		file = at
	}
	if err := durable.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("writing your settings: %w", err)
	}
	return nil
}
