package dev

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/dev"
	"warp/internal/sys/proc"
)

// ready is what a supervisor says when it has taken over.
const ready = "ready"

// launching is how long a supervisor may take to say so.
const launching = 30 * time.Second

// launch starts the supervisor and leaves it running. What stays in a command's
// group is ended with it, so the supervisor leaves the group before it says that
// it is ready, and lets its output go, which is what the shell waits for.
func (e *Environment) launch(ctx context.Context, p plan, port int) error {
	env, err := e.environ(p, port)
	if err != nil {
		return err
	}
	if err := e.note("launch", func(r *dev.Record) error {
		r.Server = &dev.Running{State: dev.Starting, Mark: e.mark(), Port: port, Manifest: p.server, Since: e.Now().UTC().Format(time.RFC3339)}
		return nil
	}); err != nil {
		return err
	}
	argv := append([]string{"sh", "-c", `printf %s "$("$@" 2>&1 </dev/null &)"`, "sh"}, e.Self...)
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: append(argv, "--port", strconv.Itoa(port)), Dir: e.Root, Env: append(env, e.mark()), Timeout: launching,
	})
	if err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	if said := strings.TrimSpace(string(res.Output)); said != ready {
		return fmt.Errorf("the supervisor did not start: %s", said)
	}
	return nil
}
