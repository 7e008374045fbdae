package fleetcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/devserver"
	"warp/internal/fleet/status"
	"warp/internal/fleet/worker"
	"warp/internal/sys/proc"
)

type finding struct {
	ok, warns  bool
	what, cure string
}

func newDoctor() *cobra.Command {
	var l link
	c := &cobra.Command{Use: "doctor [fleet.yaml]", Short: "Check whether a fleet could run from here",
		Long: `Check whether a fleet could run from here: the file, the key and whether agents
could read it, the server, the workers of each pool, and the programs on this machine.
Each problem comes with its fix. Exit code 1 if something prevents a fleet from running.`, Args: cobra.MaximumNArgs(1), Example: "  warp-fleet doctor"}
	l.addFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return l.examine(cmd.Context(), fileName(args), cmd.OutOrStdout())
	}
	return c
}

func (l *link) examine(ctx context.Context, path string, out io.Writer) error {
	var list []finding
	say := func(ok bool, cure, format string, args ...any) {
		list = append(list, finding{ok: ok, what: fmt.Sprintf(format, args...), cure: cure})
	}
	file, err := readFleetFile(path, out)
	say(err == nil, "correct it, or name another", "file: %s", describeError(err, path+" is fine"))
	dir, err := l.complete()
	if err != nil {
		return err
	}
	warp, err := app.Beside("warp")
	say(err == nil, "install warp beside warp-fleet", "warp: %s", describeError(err, warp))
	program, err := devserver.Find()
	if l.Address == "" && os.Getenv("TEMPORAL_ADDRESS") == "" {
		if err != nil {
			err = errors.New("the program is not installed")
		}
		say(err == nil, "install it (warp-fleet up says how), or connect to a server with --connect", "temporal: %s", describeError(err, program))
	}
	_, err = connect.ReadKey(l.Options.Fleet)
	say(err == nil, "start warp-fleet up once, or copy the key and let your user alone read it", "key: %s", describeError(err, l.Options.Fleet))
	if err == nil {
		l.examineFleet(ctx, say)
	}
	if warp != "" {
		list = append(list, examineAgents(ctx, warp, l.Options.Fleet))
	}
	if file != nil {
		for _, a := range file.Accounts {
			at := worker.AccountFile(filepath.Join(dir, "accounts"), a.Name)
			if _, err := os.Stat(at); err != nil {
				say(true, "", "account %s: no variables in %s; workers here use their own environment", a.Name, at)
			}
		}
	}
	bad := 0
	for _, f := range list {
		mark := "ok  "
		if f.warns {
			mark = "warn"
		}
		if !f.ok {
			mark = "FAIL"
			bad++
		}
		fmt.Fprintf(out, "%s  %s\n", mark, text.Visible(f.what))
		if f.cure != "" && mark != "ok  " {
			fmt.Fprintf(out, "       → %s\n", text.Visible(f.cure))
		}
	}
	if bad > 0 {
		return &app.Silent{Code: app.Failed}
	}
	return nil
}

// examineFleet checks the server and the fleet on it.
func (l *link) examineFleet(ctx context.Context, say func(bool, string, string, ...any)) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := l.dial(ctx, callerName())
	say(err == nil, "start one with warp-fleet up, or name another with --connect", "server: %s", describeError(err, "it answers"))
	if err != nil {
		return
	}
	defer conn.Close()
	v, err := status.At(ctx, conn, l.fleet)
	say(err == nil, "start it with warp-fleet up", "fleet %s: %s", l.fleet, describeError(explain(l.fleet, err), "runs"))
	if err != nil {
		return
	}
	for _, p := range v.Fleet.File.Pools {
		n := 0
		for _, m := range v.Fleet.Machines {
			if m.Pool == p.Label && !m.Gone && !m.Draining {
				n++
			}
		}
		say(n > 0, "start one with warp-fleet worker --pool "+p.Label, "pool %s: %s", p.Label, text.Count(n, "worker"))
	}
}

func describeError(err error, fine string) string {
	if err != nil {
		return err.Error()
	}
	return fine
}

// examineAgents checks whether an agent on this machine could read the fleet's key. Agents run
// as the worker's user, so the file mode alone does not protect it.
func examineAgents(ctx context.Context, warp, key string) finding {
	lines, err := explainSandbox(ctx, warp)
	if err == nil {
		key, err = filepath.Abs(key)
	}
	switch {
	case err != nil:
		return finding{ok: true, warns: true, what: "agents: " + err.Error() + "; one that runs as your user can read " + key + ", and with it read everything that the fleet sends and give it orders",
			cure: "run agents in a sandbox (warp doctor sandbox says what is missing), or give the fleet its own user on machines where nothing else is at risk: docs/how-to/fleet.md"}
	case isVisible(lines, key):
		return finding{ok: true, warns: true, what: "agents: their sandbox shows them " + key + ", and with it an agent can give the fleet orders", cure: "move it to a folder that warp sandbox explain does not list, with WARP_FLEET_HOME or --key"}
	}
	return finding{ok: true, what: "agents: " + strings.Join(strings.Fields(lines[0]), " ") + ": they do not see the key"}
}

// explainSandbox asks warp what agents of a new repository would see.
func explainSandbox(ctx context.Context, warp string) ([]string, error) {
	dir, err := os.MkdirTemp("", "warp-fleet-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = durable.RemoveFolder(dir) }() // temporary
	for _, argv := range [][]string{{"git", "init", "-q"}, {warp, "sandbox", "explain"}} {
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: os.Environ(), Timeout: time.Minute})
		switch {
		case err != nil:
			return nil, err
		case res.Exit != 0:
			return nil, errors.New(strings.TrimPrefix(text.LastLine(string(res.Stderr)), "warp: "))
		case argv[0] == warp:
			return strings.Split(strings.TrimSpace(string(res.Stdout)), "\n"), nil
		}
	}
	return nil, nil
}

// isVisible reports whether a sandbox shows a file, which the deepest listed folder above it
// decides.
func isVisible(lines []string, file string) bool {
	deepest, how := "", ""
	for _, line := range lines {
		kind, path, _ := strings.Cut(line, " ")
		path = strings.TrimSuffix(strings.TrimSpace(path), ", a copy")
		if rest, err := filepath.Rel(path, file); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rest) && len(path) > len(deepest) {
			deepest, how = path, kind
		}
	}
	return deepest != "" && how != "empty"
}
