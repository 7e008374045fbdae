package fleetcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/worker"
)

type workerOptions struct {
	link
	info   flow.WorkerInfo
	warp   string
	folder string
}

func newWorker() *cobra.Command {
	var o workerOptions
	c := &cobra.Command{
		Use:   "worker",
		Short: "Work for a fleet on this machine",
		Long: `Work for a fleet on this machine. The worker connects to the fleet's Temporal server,
reports its slots and accounts, and drives the requirements it is given, each in its own
clone, with the warp installed beside this program.

The machine needs git, the agents of its pool, access to the repositories and their
trackers, and the fleet's key (copy FLEET.key from the machine of warp-fleet up).
An account's variables (CLAUDE_CONFIG_DIR, ANTHROPIC_API_KEY, …) go into
accounts/NAME.env in warp-fleet's folder, one NAME=value per line; they never leave this
machine.

Interrupt it once, or run warp-fleet drain NAME, and it finishes its current steps and
leaves; interrupt it twice, and it ends its agents now. Either way another worker takes
over from what was pushed.`,
		Example: "  warp-fleet worker --connect fleet.example:7233 --tls --pool linux --slots 4",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, free, err := o.prepare(cmd.Context(), func(line string) {
				printLine(cmd.ErrOrStderr(), "%s %s", time.Now().Format(time.DateTime), line)
			})
			if err != nil {
				return err
			}
			defer free()
			slots := "as many slots as its pool says"
			if w.Slots > 0 {
				slots = text.Count(w.Slots, "slot")
			}
			printLine(cmd.OutOrStdout(), "worker %s of pool %s, %s, in %s", w.Name, w.Pool, slots, w.Folder)
			now, stop := signal.NotifyContext(context.Background(), syscall.SIGQUIT)
			defer stop()
			go endNow(cmd.Context(), stop)
			return w.Run(cmd.Context(), now)
		},
	}
	o.addFlags(c)
	f := c.Flags()
	f.StringVar(&o.info.Name, "name", app.Hostname(), "its name, unique in the fleet")
	f.StringVar(&o.info.Pool, "pool", "", "the label of its pool in fleet.yaml")
	f.IntVar(&o.info.Slots, "slots", 0, "how many requirements it drives at once; 0: as many as its pool says")
	f.StringSliceVar(&o.info.Accounts, "accounts", nil, "the accounts it has; default: those of its pool")
	f.StringVar(&o.warp, "warp", "", "the warp to drive with; default: the one beside this program, or on PATH")
	f.StringVar(&o.folder, "folder", "", "where its clones are; default: work/FLEET/NAME in warp-fleet's folder")
	return c
}

// endNow calls end at the second interrupt.
func endNow(ctx context.Context, end func()) {
	<-ctx.Done()
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	<-again
	end()
}

// claimFolder reserves a folder for one fleet, and for one worker until it calls free or ends.
// Two fleets use the same clone names and delete clones they do not know; two workers would
// drive in the same clones.
func claimFolder(folder, fleet string) (free func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := writeOwner(folder, fleet); err != nil {
		return nil, err
	}
	lock, err := (durable.OS{}).LockNow(filepath.Join(folder, ".worker.lock"))
	switch {
	case errors.Is(err, durable.ErrHeld):
		return nil, fmt.Errorf("another worker runs in %s: give this one another --name or --folder", folder)
	case err != nil:
		return nil, fmt.Errorf("locking the worker's folder %s: %w (make it writable, or give another --folder)", folder, err)
	}
	return func() { _ = lock.Close() }, nil
}

// writeOwner records which fleet owns a folder, or fails if it is another's.
func writeOwner(folder, fleet string) error {
	path := filepath.Join(folder, ".fleet")
	err := durable.CreateFile(path, []byte(fleet+"\n"), 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	owner, err := durable.ReadPlain(path)
	if err != nil {
		return err
	}
	name, whole := strings.CutSuffix(string(owner), "\n")
	if !whole || name == "" { // without atomic creation, a kill leaves half a file
		return durable.WriteFile(path, []byte(fleet+"\n"), 0o600)
	}
	if name != fleet {
		return fmt.Errorf("the folder %s has the clones of the fleet %q: give this worker another --folder, or delete %s if that fleet no longer exists", folder, name, path)
	}
	return nil
}

// prepare returns the worker that the command line describes; free releases its folder.
func (o *workerOptions) prepare(ctx context.Context, warn func(string)) (w *worker.Worker, free func(), err error) {
	switch {
	case o.info.Slots < 0 || o.info.Name == "" || o.info.Pool == "":
		return nil, nil, app.WrongUsage("a worker needs --pool, a --name and at least one slot")
	case !fleetfile.IsFolderName(o.info.Name):
		return nil, nil, app.WrongUsage("%q cannot be a worker's name, which is also a folder name: use no slash or colon, and no dot at the start", o.info.Name)
	}
	dir, err := o.complete()
	if err != nil {
		return nil, nil, err
	}
	if o.warp == "" {
		if o.warp, err = app.Beside("warp"); err != nil {
			return nil, nil, err
		}
	}
	o.folder = cmp.Or(o.folder, filepath.Join(dir, "work", o.fleet, o.info.Name))
	if o.folder, err = filepath.Abs(o.folder); err != nil {
		return nil, nil, err
	}
	c, err := o.dial(ctx, o.info.Name)
	if err != nil {
		return nil, nil, err
	}
	leave, err := claimFolder(o.folder, o.fleet) // only now is it known that the fleet exists
	if err != nil {
		c.Client.Close()
		return nil, nil, err
	}
	o.info.Version, o.info.Since = app.Version, time.Now().UTC()
	w = &worker.Worker{WorkerInfo: o.info, Fleet: o.fleet, Folder: o.folder, Secrets: filepath.Join(dir, "accounts"), Warp: o.warp, Environ: os.Environ(), Client: c.Client, Warn: warn}
	return w, func() { c.Client.Close(); leave() }, nil
}
