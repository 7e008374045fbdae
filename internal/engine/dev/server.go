package dev

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
)

// server is the server that a plan wants.
type server struct{ *plan }

// serve starts the server unless it is already serving, and waits until it is.
func (p server) serve(ctx context.Context) error {
	if p.Server == nil {
		return nil
	}
	if p.serving(ctx) == nil {
		p.say("server: already running on port %d", p.serverPort())
		return nil
	}
	if p.port == 0 {
		p.port = p.serverPort() // people know it
	}
	// Leftovers of an earlier server would be in the way.
	if err := takedown.Server(ctx, p.Store, p.Root, p.Started); err != nil {
		return err
	}
	port, err := p.choosePort(ctx)
	if err != nil {
		return err
	}
	p.say("server: starting %s on port %d …", p.Server.Command, port)
	if err := p.launch(ctx, port); err != nil {
		return err
	}
	if err := p.waitHealthy(ctx, port); err != nil {
		return err
	}
	p.say("server: healthy (%s)", p.Server.Health)
	return nil
}

// serving returns why this manifest's server is not serving, or nil.
func (p server) serving(ctx context.Context) error {
	r, err := p.known()
	if err != nil {
		return err
	}
	s := r.Server
	switch {
	case s == nil:
		return errors.New("the server was not started")
	case s.State == devconfig.Ended:
		return fmt.Errorf("the server ended with exit code %d after %d starts", s.Exit, s.Starts)
	case !takedown.Alive(p.Started, s.Supervisor, s.Stamp):
		return errors.New("the server is no longer supervised")
	case s.Manifest != p.server:
		return fmt.Errorf("the server settings in %s have changed since it was started", devconfig.File)
	}
	for try := range 3 {
		if err = probe(ctx, p.Server.Health, s.Port); err == nil || !takedown.Pause(ctx, firstPause<<try) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the server does not answer on port %d: %w", s.Port, err)
	}
	return nil
}

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// waitHealthy polls the server until it answers well, ever more slowly, for as long as dev.json
// allows and a supervisor still tries to start it.
func (p server) waitHealthy(ctx context.Context, port int) error {
	limit, cancel := context.WithTimeout(ctx, p.Server.Health.Timeout)
	defer cancel()
	var last error
	for wait := firstPause; ; wait = min(wait*3/2, longestPause) {
		if last = probe(limit, p.Server.Health, port); last == nil {
			return nil
		}
		r, err := p.known()
		if err != nil {
			return err
		}
		if s := r.Server; s == nil || s.State == devconfig.Ended || !takedown.Alive(p.Started, s.Supervisor, s.Stamp) {
			return fmt.Errorf("the server did not stay up%s", p.lastOutput())
		}
		if !takedown.Pause(limit, wait) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("waiting for the server: %w", err)
	}
	return fmt.Errorf("the server is not healthy after %s: %w%s", p.Server.Health.Timeout, last, p.lastOutput())
}

// lastOutput returns the end of the server's output, for a message.
func (p server) lastOutput() string {
	text, err := p.Logs(15)
	words := strings.TrimRight(string(text), "\n")
	if i := strings.LastIndex(words, firstLogLine); i >= 0 { // what comes before belongs to an earlier server
		words = strings.TrimLeft(words[i+len(firstLogLine):], "\n")
	}
	if err != nil || words == "" {
		return "; it printed nothing (warp dev logs)"
	}
	return "; its last output:\n" + words
}

// command returns the server's command, with both outputs merged. The trap makes the shell wait for
// its child, which gets the signal too: in a sandbox everything would end with the shell at once.
func (p server) command(env []string) proc.Cmd {
	argv := []string{"sh", "-c", "exec 2>&1; trap 'exit 143' TERM\n" + p.Server.Command.Line}
	if p.Server.Command.Line == "" {
		argv = append([]string{"sh", "-c", `exec 2>&1; exec "$@"`, "sh"}, p.Server.Command.Argv...)
	}
	return proc.Cmd{Argv: argv, Dir: filepath.Join(p.Root, filepath.FromSlash(p.Server.Directory)), Env: env}
}

// ready is what a supervisor prints when it has taken over.
const ready = "ready"

// launchTime is how long a supervisor may take for that.
const launchTime = 30 * time.Second

// launch starts the supervisor and leaves it running. What stays in a command's group ends with it,
// so the supervisor leaves the group before it reports ready, and closes its output, for which the
// shell waits. It is warp itself: what dev.json adds to the environment is only for the server.
func (p server) launch(ctx context.Context, port int) error {
	env, err := p.environ(port)
	if err != nil {
		return err
	}
	// Report a sandbox that cannot be set up here, not in a log.
	_, done, err := p.confine(p.command(env), port)
	if err == nil {
		err = done()
	}
	if err != nil {
		return fmt.Errorf("confining the server: %w", err)
	}
	if err := p.note("launch", func(r *devconfig.Record) error {
		r.Server = &devconfig.Running{State: devconfig.Starting, Mark: takedown.Mark(p.Root), Port: port, Manifest: p.server, Since: p.Now().UTC().Format(time.RFC3339)}
		return nil
	}); err != nil {
		return err
	}
	// Only the supervisor is marked: a server that ends at once takes marked processes with it, and
	// the shell must live to report that the supervisor is ready.
	argv := append([]string{"sh", "-c", `printf %s "$("$@" 2>&1 </dev/null &)"`, "sh", "env", takedown.Mark(p.Root)}, p.Self...)
	res, err := proc.Run(ctx, proc.Cmd{Argv: append(argv, "--port", strconv.Itoa(port)), Dir: p.Root, Env: p.Environ, Timeout: launchTime})
	if err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	if said := strings.TrimSpace(string(res.Output)); said != ready {
		return fmt.Errorf("the supervisor did not start: %s", said)
	}
	return nil
}
