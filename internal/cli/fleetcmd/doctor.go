package fleetcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/devserver"
	"warp/internal/fleet/look"
	"warp/internal/fleet/worker"
)

// finding is one line of the doctor.
type finding struct {
	ok, warns  bool
	what, cure string
}

func newDoctor() *cobra.Command {
	var l link
	c := &cobra.Command{Use: "doctor [fleet.yaml]", Short: "Answer one question: could a fleet run from here?",
		Long: `Answer one question: could a fleet run from here? The file, the key and whether
agents could read it, the server, the workers that are there for each pool, and the programs
on this machine; each line with its repair. Exit code 1 when something is in the way.`, Args: cobra.MaximumNArgs(1), Example: "  warp-fleet doctor"}
	l.addFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		file := "fleet.yaml"
		if len(args) == 1 {
			file = args[0]
		}
		return l.examine(cmd.Context(), file, cmd.OutOrStdout())
	}
	return c
}

func (l *link) examine(ctx context.Context, path string, out io.Writer) error {
	var list []finding
	say := func(ok bool, cure, format string, args ...any) {
		list = append(list, finding{ok: ok, what: fmt.Sprintf(format, args...), cure: cure})
	}
	file, err := read(path, out)
	say(err == nil, "correct it, or name another", "file: %s", words(err, path+" is fine"))
	dir, err := l.complete()
	if err != nil {
		return err
	}
	warp, err := findWarp()
	say(err == nil, "install warp beside warp-fleet", "warp: %s", words(err, warp))
	program, err := devserver.Find()
	if l.Address == "" && os.Getenv("TEMPORAL_ADDRESS") == "" {
		say(err == nil, "install it (warp-fleet up says how), or connect to a server with --connect", "temporal: %s", words(missing(err), program))
	}
	_, err = connect.ReadKey(l.Options.Fleet)
	say(err == nil, "start warp-fleet up once, or copy the key and let your user alone read it", "key: %s", words(err, l.Options.Fleet))
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

// examineFleet asks the server and the fleet on it.
func (l *link) examineFleet(ctx context.Context, say func(bool, string, string, ...any)) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := l.dial(ctx, person())
	say(err == nil, "start one with warp-fleet up, or name another with --connect", "server: %s", words(err, "it answers"))
	if err != nil {
		return
	}
	defer conn.Close()
	v, err := look.At(ctx, conn, l.fleet)
	say(err == nil, "start it with warp-fleet up", "fleet %s: %s", l.fleet, words(explain(l.fleet, err), "runs"))
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

func missing(err error) error {
	if err != nil {
		return errors.New("the program is not installed")
	}
	return nil
}

func words(err error, fine string) string {
	if err != nil {
		return err.Error()
	}
	return fine
}
