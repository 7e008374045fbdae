package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/engine/dev/takedown"
)

// errReplaced means that another supervisor has the server now, or none should.
var errReplaced = errors.New("another supervisor runs the server")

// Supervise runs the server until the context ends or the server is not to be restarted. It runs in
// a separate process, which Up starts.
func (e *Environment) Supervise(ctx context.Context, port int, out io.Writer, detach func() error) error {
	p, err := load(&e.Config)
	if err != nil {
		return err
	}
	if p.Server == nil {
		return fmt.Errorf("%s has no server", devconfig.File)
	}
	env, err := p.environ(port)
	if err != nil {
		return err
	}
	log, err := openLog(e.logPath())
	if err != nil {
		return err
	}
	defer log.Close()
	if err := leave(); err != nil {
		return err
	}
	me := devconfig.Running{State: devconfig.Starting, Supervisor: e.PID, Mark: takedown.Mark(e.Root), Port: port, Manifest: p.server}
	me.Stamp, _ = e.Started(e.PID)
	root, err := os.Stat(e.Root)
	if err != nil {
		return err
	}
	w := &watch{plan: p, env: env, log: log, me: me, root: root}
	if err := w.tell(func(r *devconfig.Running) {}); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return err
	}
	if err := detach(); err != nil {
		return err
	}
	log.line([]byte(firstLogLine))
	there, stop := w.whileThere(ctx)
	defer stop()
	return w.run(there)
}

// watch is a server under supervision.
type watch struct {
	*plan
	env  []string
	log  *boundedLog
	me   devconfig.Running
	root os.FileInfo // as it was at the start
}

// checkEvery is how often to check that the work tree still exists.
const checkEvery = time.Second

// whileThere returns a context that ends with the work tree: a server must not outlive the folder
// it was started in, however that was removed.
func (w *watch) whileThere(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for w.there() && takedown.Pause(ctx, checkEvery) {
		}
		cancel()
	}()
	return ctx, cancel
}

func (w *watch) there() bool {
	now, err := os.Stat(w.Root)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // briefly unreadable is not gone
	}
	return os.SameFile(w.root, now)
}

// run restarts the server as the policy says.
func (w *watch) run(ctx context.Context) error {
	for failed := 0; ; {
		began := w.Now()
		exit, err := w.once(ctx)
		if ctx.Err() != nil || errors.Is(err, errReplaced) {
			w.log.note("the server was ended")
			return w.tell(func(r *devconfig.Running) { r.State, r.PID, r.PIDStamp = devconfig.Ended, 0, "" })
		}
		count, wait, again := w.Server.Restart.Next(exit, w.Now().Sub(began), failed)
		failed = count
		state := devconfig.Waiting
		if !again {
			state = devconfig.Ended
		}
		if err != nil {
			w.log.note(fmt.Sprintf("the server could not be run: %v", err))
		} else {
			w.log.note(fmt.Sprintf("the server ended with exit code %d", exit))
		}
		if err := w.tell(func(r *devconfig.Running) { r.State, r.Exit, r.PID, r.PIDStamp = state, exit, 0, "" }); err != nil || !again {
			return err
		}
		w.log.note(fmt.Sprintf("restarting it in %s", wait))
		takedown.Pause(ctx, wait) // if the context has ended, the next start notices
	}
}

// once runs the server to its end.
func (w *watch) once(ctx context.Context) (exit int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := server{w.plan}.command(w.env)
	c.Mark, c.Grace, c.Line = w.me.Mark, grace, w.log.line
	c.Started = func(pid int) {
		stamp, _ := w.Started(pid)
		err := w.tell(func(r *devconfig.Running) {
			r.State, r.PID, r.PIDStamp, r.Starts = devconfig.Serving, pid, stamp, r.Starts+1
			r.Since = w.Now().UTC().Format(time.RFC3339)
		})
		if errors.Is(err, errReplaced) { // other errors may pass, and the mark is there
			cancel(err)
		}
	}
	res, err := w.runConfined(ctx, c, w.me.Port)
	for line := range bytes.Lines(res.Stderr) { // the server's stderr is merged into stdout: this is the sandbox's
		w.log.note(string(bytes.TrimSpace(line)))
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return res.Exit, err
}

// grace is how long a server may take to shut down cleanly.
const grace = 3 * time.Second

// tell records the server's state, unless the record is another supervisor's or gone.
func (w *watch) tell(fn func(*devconfig.Running)) error {
	fn(&w.me)
	if !w.there() {
		return errReplaced
	}
	return w.note("server", func(r *devconfig.Record) error {
		if s := r.Server; s == nil || s.Supervisor != 0 && s.Supervisor != w.me.Supervisor {
			return errReplaced
		}
		me := w.me
		r.Server = &me
		return nil
	})
}
