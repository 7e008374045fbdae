package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// worker runs in a process that bench has started: it appends rows to the journal, or fires
// transitions.
func worker(args []string) int {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return 2
	}
	if args[0] == "fire" {
		var longest time.Duration
		longest, err = fireEach(args[1], n)
		fmt.Println(longest.Nanoseconds())
	} else {
		err = appendMany(args[1], n, 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// appendMany appends n rows in batches.
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
	_, err := fireEach(root, n)
	return err
}

// fireEach fires n transitions and returns the time of the slowest, including its wait for the
// lock.
func fireEach(root string, n int) (longest time.Duration, err error) {
	d := turnstile.Open(root, turnstile.System())
	for range n {
		began := time.Now()
		if _, err := d.Fire(context.Background(), drivestate.MergeFailed, ""); err != nil {
			return longest, err
		}
		longest = max(longest, time.Since(began))
	}
	return longest, nil
}

// together runs concurrent workers and returns how many units they did per second, and the longest
// time that one worker took for one.
func (b *bench) together(what, root string, processes, each int) (rate float64, longest time.Duration, err error) {
	began := time.Now()
	cmds, outs := make([]*exec.Cmd, processes), make([]bytes.Buffer, processes)
	for i := range cmds {
		cmds[i] = exec.Command(b.self, what, root, strconv.Itoa(each))
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], os.Stderr
		if err := cmds[i].Start(); err != nil {
			return 0, 0, err
		}
	}
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			return 0, 0, err
		}
		ns, _ := strconv.ParseInt(strings.TrimSpace(outs[i].String()), 10, 64)
		longest = max(longest, time.Duration(ns))
	}
	return float64(processes*each) / time.Since(began).Seconds(), longest, nil
}

func journalRate(b *bench) ([]figure, error) {
	root, err := b.project("journal")
	if err != nil {
		return nil, err
	}
	rate, _, err := b.together("append", root, 16, 2000)
	return []figure{{name: "journal rows per second, from 16 processes", value: rate, unit: "/s", least: 5000}}, err
}

func transitionRate(b *bench) ([]figure, error) {
	root, err := b.project("rate")
	if err != nil {
		return nil, err
	}
	one, _, err := b.together("fire", root, 1, 2000)
	if err != nil {
		return nil, err
	}
	many, longest, err := b.together("fire", root, 16, 200)
	return []figure{
		{name: "whole transitions per second, durable, one process", value: one, unit: "/s"},
		{name: "whole transitions per second, durable, 16 processes", value: many, unit: "/s"},
		{name: "longest of 3,200 transitions by 16 processes, its wait included", value: float64(longest.Milliseconds()), unit: "ms", most: 500},
	}, err
}
