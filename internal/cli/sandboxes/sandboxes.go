// Package sandboxes creates the sandboxes for a project's runs, as its settings and the command
// line say. It is also warp sandbox, which tries one and shows what agents see in it.
package sandboxes

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/contain"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// OpenWay opens the ways out of a sandbox. Only warp-net sets it: it links HTTP, which would
// slow down every start of warp.
var OpenWay func(a *app.App, dir string, w contain.Way) (io.Closer, error)

// Chosen returns the sandbox of the command line, else of the environment, else of the settings.
func Chosen(a *app.App, s config.Settings) sandbox.Kind {
	return sandbox.Kind(cmp.Or(a.Sandbox, a.Getenv(app.SandboxVariable), s.Sandbox.Kind, string(sandbox.Auto)))
}

// Open returns the walls of a project. If they do not contain, why says what a better sandbox
// lacks.
func Open(a *app.App, root string, s config.Settings) (w *contain.Walls, why string, err error) {
	if s.Refused != nil {
		return nil, "", s.Refused
	}
	self, err := os.Executable()
	if err != nil {
		return nil, "", fmt.Errorf("finding the warp executable, which starts every sandbox: %w", err)
	}
	box, why, err := sandbox.Open(sandbox.Options{Kind: Chosen(a, s), Self: sandboxProgram(self), Container: s.Sandbox.Container})
	if err != nil {
		return nil, "", &app.UsageError{Err: err}
	}
	state, err := trust.Folder(a.Getenv)
	if err != nil && box.Holds() != sandbox.Not {
		return nil, "", fmt.Errorf("finding the user's state folder, which holds the home folders of sandboxes: %w", err)
	}
	b := s.Sandbox
	w = &contain.Walls{
		Box: box, Root: root, State: state, Environ: os.Environ(), Programs: ownPrograms(self),
		Settings: contain.Settings{
			Network: sandbox.Network(b.Network), Read: resolvePaths(root, b.Read), Write: resolvePaths(root, b.Write), Env: b.Env, Hosts: b.Hosts, PrivateGit: b.Git == "private",
			Limits: sandbox.Limits{Processes: b.Processes, MemoryMB: b.MemoryMB, FileMB: b.FileMB, DiskMB: b.DiskMB, OutputMB: b.OutputMB},
		},
	}
	if OpenWay != nil {
		w.Open = func(dir string, way contain.Way) (io.Closer, error) { return OpenWay(a, dir, way) }
	}
	return w, why, nil
}

// sandboxProgram returns the program that starts a sandbox: warp itself, which starts twice as
// fast as warp-net.
func sandboxProgram(self string) string {
	warp := filepath.Join(filepath.Dir(self), "warp")
	if st, err := os.Stat(warp); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
		return warp
	}
	return self
}

// ownPrograms returns warp's own programs, which hooks and agents call.
func ownPrograms(self string) []string {
	dir := filepath.Dir(self)
	return []string{self, filepath.Join(dir, "warp"), filepath.Join(dir, "warp-net"), filepath.Join(dir, "warp-hook")}
}

// resolvePaths resolves paths in the settings against the project or the home folder.
func resolvePaths(root string, paths []string) []string {
	home, _ := os.UserHomeDir() // without one, ~ is an ordinary name
	out := make([]string, len(paths))
	for i, p := range paths {
		switch {
		case len(p) > 1 && p[:2] == "~/" && home != "":
			p = filepath.Join(home, p[2:])
		case !filepath.IsAbs(p):
			p = filepath.Join(root, p)
		}
		out[i] = filepath.Clean(p)
	}
	return out
}

// Commands confines project commands that run in the work tree itself, such as the dev
// environment's. The git folder and warp's own are read-only for them. It reads the settings on
// first use, since most callers run no command.
func Commands(a *app.App, root string, settings func() (config.Settings, error)) func(proc.Cmd, contain.Command) (proc.Cmd, func() error, error) {
	open := sync.OnceValues(func() (*contain.Walls, error) {
		s, err := settings()
		if err != nil {
			return nil, err
		}
		w, _, err := Open(a, root, s)
		return w, err
	})
	return func(c proc.Cmd, o contain.Command) (confined proc.Cmd, done func() error, err error) {
		w, err := open()
		if err != nil {
			return c, nil, err
		}
		o.Top, o.Frozen = root, append(o.Frozen, filepath.Join(root, ".claude"))
		if at, ok := git.Locate(root); ok {
			o.Top, o.Git = at.Top, at.Common()
			o.Frozen = append(o.Frozen, filepath.Join(at.Top, ".git"), filepath.Join(at.Top, ".claude"), at.Common(), at.GitDir())
		}
		run, err := w.ConfineCommand(c, o)
		if err != nil {
			return c, nil, err
		}
		return run.Cmd, run.Close, nil
	}
}
