package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/engine/dev/takedown"
)

// answerLimit is how long one answer may take.
const answerLimit = 5 * time.Second

// loopback are the addresses of this machine: a server may listen on either.
var loopback = []string{"127.0.0.1", "::1"}

func dial(ctx context.Context, port int) (net.Conn, error) {
	var errs []error
	for _, host := range loopback {
		c, err := (&net.Dialer{Timeout: answerLimit}).DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errs[0]
}

// probe asks the server once.
func probe(ctx context.Context, h devconfig.Health, port int) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if h.Path == "" {
		c, err := dial(ctx, port)
		if err != nil {
			return err
		}
		return c.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort("localhost", strconv.Itoa(port))+h.Path, nil)
	if err != nil {
		return fmt.Errorf("%s: server.health: %w", devconfig.File, err)
	}
	client := http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, port) },
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 1<<16) // the content does not matter
	if !h.Accepts(answer.StatusCode) {
		return fmt.Errorf("%s answers %d", h.Path, answer.StatusCode)
	}
	return nil
}

// choosePort returns the port for the server. If another process has it, the error names that
// process.
func (p server) choosePort(ctx context.Context) (int, error) {
	if p.Server.Port > 0 {
		owner, taken := takenBy(p.Server.Port)
		// An owner that cannot be found may be about to end: a process we just killed holds its
		// port for a moment.
		for tries := 0; taken && owner == "" && tries < 20 && takedown.Pause(ctx, firstPause); tries++ {
			owner, taken = takenBy(p.Server.Port)
		}
		if taken {
			return 0, fmt.Errorf("port %d is in use by %s: end it, or choose another port in %s", p.Server.Port, cmp.Or(owner, "another process"), devconfig.File)
		}
		return p.Server.Port, nil
	}
	if _, taken := takenBy(p.port); !taken {
		return p.port, nil
	}
	return freePort()
}

// freePort returns an unused port.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("finding a free port: the listener has none")
	}
	return at.Port, nil
}

// takenBy reports whether a process listens on a port, and which, if known.
func takenBy(port int) (owner string, taken bool) {
	if l, err := net.Listen("tcp", net.JoinHostPort(loopback[0], strconv.Itoa(port))); err == nil {
		_ = l.Close()
		ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
		defer cancel()
		c, err := dial(ctx, port)
		if err != nil {
			return "", false
		}
		_ = c.Close()
	}
	return listener(port), true
}
