package dev

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/dev"
	"warp/internal/engine/dev/takedown"
)

// serve starts the server unless it serves already, and waits until it does.
func (e *Environment) serve(ctx context.Context, p plan, say func(string, ...any)) error {
	if p.Server == nil {
		return nil
	}
	if e.serving(ctx, p) == nil {
		say("server: already running on port %d", e.port(p))
		return nil
	}
	if p.port == 0 {
		p.port = e.port(p) // people know it
	}
	// Whatever is left of an earlier one would be in the way.
	if err := takedown.Server(ctx, e.Store, e.Root, e.Started); err != nil {
		return err
	}
	port, err := e.choose(ctx, p)
	if err != nil {
		return err
	}
	say("server: starting %s on port %d …", p.Server.Command, port)
	if err := e.launch(ctx, p, port); err != nil {
		return err
	}
	if err := e.await(ctx, p, port); err != nil {
		return err
	}
	say("server: healthy (%s)", p.Server.Health)
	return nil
}

// serving says why the server of this manifest does not serve; nil when it does.
func (e *Environment) serving(ctx context.Context, p plan) error {
	r, err := e.known()
	if err != nil {
		return err
	}
	s := r.Server
	switch {
	case s == nil:
		return errors.New("the server was not started")
	case s.State == dev.Ended:
		return fmt.Errorf("the server ended with exit code %d after %d starts", s.Exit, s.Starts)
	case !e.lives(s.Supervisor, s.Stamp):
		return errors.New("nothing watches over the server any more")
	case s.Manifest != p.server:
		return fmt.Errorf("%s says something else of the server than it was started with", dev.File)
	}
	for try := range 3 {
		if err = probe(ctx, p.Server.Health, s.Port); err == nil || !pause(ctx, firstPause<<try) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the server does not answer on port %d: %w", s.Port, err)
	}
	return nil
}

func (e *Environment) lives(pid int, stamp string) bool { return takedown.Alive(e.Started, pid, stamp) }

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// pause waits, and tells whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// await asks the server until it answers well, ever more slowly, for as long as
// dev.json allows and somebody still tries to start it.
func (e *Environment) await(ctx context.Context, p plan, port int) error {
	limit, cancel := context.WithTimeout(ctx, p.Server.Health.Timeout)
	defer cancel()
	var last error
	for wait := firstPause; ; wait = min(wait*3/2, longestPause) {
		if last = probe(limit, p.Server.Health, port); last == nil {
			return nil
		}
		r, err := e.known()
		if err != nil {
			return err
		}
		if s := r.Server; s == nil || s.State == dev.Ended || !e.lives(s.Supervisor, s.Stamp) {
			return fmt.Errorf("the server did not stay up%s", e.said())
		}
		if !pause(limit, wait) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("waiting for the server: %w", err)
	}
	return fmt.Errorf("the server is not healthy after %s: %w%s", p.Server.Health.Timeout, last, e.said())
}

// said are the last words of the server, for a message.
func (e *Environment) said() string {
	text, err := e.Logs(15)
	words := strings.TrimRight(string(text), "\n")
	if i := strings.LastIndex(words, beginning); i >= 0 { // what stands before was another one's
		words = strings.TrimLeft(words[i+len(beginning):], "\n")
	}
	if err != nil || words == "" {
		return "; it said nothing (warp dev logs)"
	}
	return "; its last words:\n" + words
}

// Down ends the server, and whatever it has started. What is down already is
// left alone.
func (e *Environment) Down(ctx context.Context) error {
	release, err := e.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return takedown.Server(ctx, e.Store, e.Root, e.Started)
}
