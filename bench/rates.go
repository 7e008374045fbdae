package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// worker is what a process does that the bench has started: append rows to the
// journal, or fire transitions.
func worker(args []string) int {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return 2
	}
	if args[0] == "fire" {
		err = fireMany(args[1], n)
	} else {
		err = appendMany(args[1], n, 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// appendMany appends n rows, a batch at a time.
func appendMany(root string, n, batch int) error {
	s := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})
	for n > 0 {
		rows := make([]any, min(n, batch))
		for i := range rows {
			rows[i] = map[string]string{"file": "src/main.go"}
		}
		if err := s.Append(event.Edit, rows...); err != nil {
			return err
		}
		n -= len(rows)
	}
	return nil
}

func fireMany(root string, n int) error {
	d := turnstile.Open(root, turnstile.System())
	for range n {
		if _, err := d.Fire(context.Background(), drive.MergeFailed, ""); err != nil {
			return err
		}
	}
	return nil
}

// together runs workers side by side and returns how many units they did in a second.
func (b *bench) together(what, root string, processes, each int) (float64, error) {
	began := time.Now()
	cmds := make([]*exec.Cmd, processes)
	for i := range cmds {
		cmds[i] = exec.Command(b.self, what, root, strconv.Itoa(each))
		cmds[i].Stderr = os.Stderr
		if err := cmds[i].Start(); err != nil {
			return 0, err
		}
	}
	for _, c := range cmds {
		if err := c.Wait(); err != nil {
			return 0, err
		}
	}
	return float64(processes*each) / time.Since(began).Seconds(), nil
}

func journalRate(b *bench) ([]figure, error) {
	root, err := b.project("journal")
	if err != nil {
		return nil, err
	}
	rate, err := b.together("append", root, 16, 2000)
	return []figure{{name: "journal rows per second, from 16 processes", value: rate, unit: "/s", least: 5000}}, err
}

func transitionRate(b *bench) ([]figure, error) {
	root, err := b.project("rate")
	if err != nil {
		return nil, err
	}
	one, err := b.together("fire", root, 1, 2000)
	if err != nil {
		return nil, err
	}
	many, err := b.together("fire", root, 16, 200)
	return []figure{
		{name: "whole transitions per second, durable, one process", value: one, unit: "/s"},
		{name: "whole transitions per second, durable, 16 processes", value: many, unit: "/s"},
	}, err
}
