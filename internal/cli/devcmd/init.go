package devcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

func initialise(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write dev.json and seed templates for the detected stack",
		Long: `Write dev.json and seed templates for the detected stack: SvelteKit, Next, Vite and
other Node projects, Rails, Django, FastAPI, Flask, Go. Existing files are left
alone. What it writes is trusted. Review it and adapt it (then run warp trust
dev.json).`,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			t := devconfig.Suggest(func(path string) ([]byte, bool) { return content(d.Root(), path) })
			a.Printf("%s: %s\n", t.Stack, t.Why)
			for _, f := range t.Files {
				wrote := false
				if _, err := os.Lstat(filepath.Join(d.Root(), filepath.FromSlash(f.Path))); os.IsNotExist(err) {
					wrote = true
					if err := d.Store().EditFile(f.Path, func([]byte) ([]byte, error) { return []byte(f.Text), nil }); err != nil {
						return err
					}
				}
				if !wrote {
					a.Printf("%-9s  %s\n", "unchanged", f.Path)
					continue
				}
				a.Printf("%-9s  %s\n", "created", f.Path)
				if f.Path != devconfig.File {
					continue
				}
				home := filepath.Join(filepath.Dir(d.Project.Home().Dir()), devconfig.File)
				if err := trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Allow(home, []byte(f.Text)); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// content returns the content of a file, or the names in a folder.
func content(root, path string) ([]byte, bool) {
	full := filepath.Join(root, filepath.FromSlash(path))
	info, err := os.Stat(full)
	if err != nil {
		return nil, false
	}
	if info.IsDir() {
		entries, err := os.ReadDir(full)
		var names []string
		for _, e := range entries {
			if e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
		return []byte(strings.Join(names, "\n")), err == nil
	}
	text, err := durable.ReadPlain(full)
	return text, err == nil
}

// changes returns the files that differ from a commit, including untracked ones.
func changes(ctx context.Context, root, base string) ([]string, error) {
	repo, err := git.Open(root)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(base, "-") {
		return nil, app.WrongUsage("%q is not a commit", base)
	}
	var all []string
	for _, args := range [][]string{
		{"diff", "--name-only", "--relative", "-z", base, "--"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := repo.Must(ctx, git.Call{Args: args})
		if err != nil {
			return nil, fmt.Errorf("comparing with %s: %w", base, err)
		}
		all = append(all, git.Split(out)...)
	}
	return all, nil
}
