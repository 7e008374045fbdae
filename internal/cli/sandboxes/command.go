package sandboxes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/contain"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// NewCommand returns warp sandbox.
func NewCommand(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a command in the sandbox of agents, or show what they see",
		Long: `Agents run in a sandbox: the work tree is writable, git's folder and .claude are
not, the home folder is private, and the network is limited to the agent's API and
sandbox_hosts. The settings sandbox, sandbox_network, sandbox_read, sandbox_write,
sandbox_env and sandbox_hosts change it.`,
	}
	c.AddCommand(run(a), explain(a))
	return c
}

func run(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "run [flags] [--] COMMAND [ARGUMENT]...", Short: "Run a command in the sandbox of this project's agents",
		Long: `Run a command in the sandbox of this project's agents, and exit as it does. Everything
after -- belongs to the command, including its flags.`,
		Example:               "  warp sandbox run ls\n  warp sandbox run -- git log --oneline\n  warp sandbox run --sandbox landlock -- sh -c 'touch .git/x'",
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.WrongUsage("expected a command to run in the sandbox, such as warp sandbox run -- git log")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			w, o, err := order(a)
			if err != nil {
				return err
			}
			o.Refused = func(host string) {
				a.Note("the sandbox blocks %s; add it to the setting sandbox_hosts to allow it", host)
			}
			r, err := w.Confine(proc.Cmd{Argv: args, Dir: a.Dir, Env: os.Environ(), Stdin: a.In}, o)
			if err != nil {
				return err
			}
			r.Cmd.Line = func(line []byte) { a.Printf("%s\n", line) }
			res, err := r.Run(c.Context())
			if bad := r.Close(); err == nil {
				err = bad
			}
			if err != nil {
				return err
			}
			fmt.Fprint(a.Err, string(res.Stderr))
			if res.Exit != 0 {
				return &app.Silent{Code: res.Exit} // the command's own exit code, as in a shell
			}
			return nil
		},
	}
}

func explain(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "explain", Short: "Print what agents can read, write and reach here",
		RunE: func(*cobra.Command, []string) error {
			w, o, err := order(a)
			if err != nil {
				return err
			}
			lines, err := w.Explain(o, os.Environ())
			if err != nil {
				return err
			}
			a.Printf("%s\n", strings.Join(lines, "\n"))
			return nil
		},
	}
}

var errOff = errors.New("there is no sandbox here")

// order returns how an agent of this project would be confined.
func order(a *app.App) (*contain.Walls, contain.Order, error) {
	d, err := a.Project()
	if err != nil {
		return nil, contain.Order{}, err
	}
	s, err := d.Project.Settings()
	if err != nil {
		return nil, contain.Order{}, err
	}
	w, why, err := Open(a, d.Root(), s)
	if err != nil {
		return nil, contain.Order{}, err
	}
	if w.Box.Holds() == sandbox.Not {
		return nil, contain.Order{}, fmt.Errorf("%w: %s", errOff, why)
	}
	o := contain.Order{Name: "agent-shell", Top: d.Root(), Frozen: []string{filepath.Join(d.Root(), ".claude")}}
	if at, ok := git.Locate(d.Root()); ok {
		o.Top, o.Git, o.Frozen = at.Top, at.Common(), append(o.Frozen, filepath.Join(at.Top, ".git"), at.Common(), at.GitDir())
	}
	return w, o, nil
}
