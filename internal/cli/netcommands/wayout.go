package netcommands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/redact"
	"warp/internal/engine/contain"
	"warp/internal/hook"
	"warp/internal/sys/gateway"
	"warp/internal/turnstile"
)

func init() { sandboxes.OpenWay, cli.RunGates = openWay, sandboxes.RunGates }

type ways struct {
	gate  *gateway.Gateway
	hooks net.Listener
}

func (w ways) Close() error {
	if w.hooks == nil {
		return w.gate.Close()
	}
	return errors.Join(w.gate.Close(), w.hooks.Close())
}

func openWay(a *app.App, dir string, w contain.Way) (io.Closer, error) {
	o := gateway.Options{Hosts: w.Hosts, Proxy: contain.ProxySocket, Ports: map[string]int{}, Refused: w.Refused}
	for _, port := range w.Ports {
		o.Ports[contain.PortSocket(port)] = port
	}
	if w.API != nil {
		api := gateway.API{Socket: contain.APISocket, Base: w.API.Base, Header: http.Header{}}
		for name, value := range w.API.Headers {
			api.Header.Set(name, value)
		}
		o.APIs = []gateway.API{api}
	}
	gate, err := gateway.Open(dir, o)
	if err != nil {
		return nil, err
	}
	if w.Hooks == nil {
		return ways{gate: gate}, nil
	}
	l, err := net.Listen("unix", filepath.Join(dir, contain.HookSocket))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listening to hooks: %w", err), gate.Close())
	}
	system := turnstile.Bare()
	system.UserSettings = a.Env.UserSettings
	go serveHooks(l, hook.Env{Getenv: a.Getenv, Parent: os.Getpid(), Origin: hook.Origin(*w.Hooks), System: system, Redact: redact.New(a.AllEnviron()).String}, w.Answered)
	return ways{gate, l}, nil
}

const (
	most     = 32 << 20 // bytes in a payload
	patience = time.Minute
)

// serveHooks answers hooks until the listener is closed.
func serveHooks(l net.Listener, env hook.Env, answered func(event string, took time.Duration)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serveHook(c, env, answered)
	}
}

func serveHook(c net.Conn, env hook.Env, answered func(event string, took time.Duration)) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // without a deadline, the connection ends with the run
	var q hook.Relayed
	if err := json.NewDecoder(io.LimitReader(c, most)).Decode(&q); err != nil {
		return
	}
	began := time.Now()
	_ = json.NewEncoder(c).Encode(q.Answer(env)) // a hook without an answer denies
	answered(q.Event(), time.Since(began))
}
