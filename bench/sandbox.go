package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"warp/internal/engine/contain"
	"warp/internal/sys/gateway"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// boxes measures the start of a run in a sandbox: the home folder, the sockets and the proxy, the
// namespaces, the first process inside. It uses this machine's profile and everything that an
// agent's run has.
func boxes(b *bench) ([]figure, error) {
	self := filepath.Join(b.dir, "warp-net")
	if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", self, "warp/cmd/warp-net"); err != nil {
		return nil, err
	}
	bare, _, err := b.box(sandbox.Off, self)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		cpu, wall, err := b.box(kind, self)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s is not measured: %v\n", kind, err)
			continue
		}
		figures = append(figures, figure{name: fmt.Sprintf("CPU of a run's start in %s", kind), value: ms(cpu - bare), unit: "ms", most: 30, note: fmt.Sprintf("  (%.1f ms pass)", ms(wall))})
	}
	return figures, nil
}

// box returns the least time of a run of a program that does nothing.
func (b *bench) box(kind sandbox.Kind, self string) (cpu, wall time.Duration, err error) {
	box, _, err := sandbox.Open(sandbox.Options{Kind: kind, Self: self})
	if err != nil {
		return 0, 0, err
	}
	root := filepath.Join(b.dir, "boxed")
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		return 0, 0, err
	}
	w := &contain.Walls{Box: box, Root: root, State: filepath.Join(b.dir, "box-state"), Environ: os.Environ(), Programs: []string{self},
		Settings: contain.Settings{Network: sandbox.ByProxy, Hosts: []string{"registry.invalid"}, Limits: sandbox.DefaultLimits},
		Open: func(dir string, way contain.Way) (io.Closer, error) {
			return gateway.Open(dir, gateway.Options{Hosts: way.Hosts, Proxy: contain.ProxySocket})
		}}
	for range 40 {
		began, spent := time.Now(), cpuWithChildren()
		if err := begin(w, root); err != nil {
			return 0, 0, err
		}
		if took := cpuWithChildren() - spent; cpu == 0 || took < cpu {
			cpu = took
		}
		if took := time.Since(began); wall == 0 || took < wall {
			wall = took
		}
	}
	return cpu, wall, nil
}

func begin(w *contain.Walls, root string) error {
	c := proc.Cmd{Argv: []string{"true"}, Dir: root, Env: os.Environ()}
	run := w.Unconfined(c, []string{root})
	if w.Box.Holds() != sandbox.Not {
		var err error
		if run, err = w.Confine(c, contain.Order{Name: "agent-bench", Top: root, Git: filepath.Join(root, ".git"), Frozen: []string{filepath.Join(root, ".git")}}); err != nil {
			return err
		}
	}
	res, err := run.Run(context.Background())
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("exit %d: %s", res.Exit, res.Output)
	}
	if bad := run.Close(); err == nil {
		err = bad
	}
	return err
}
