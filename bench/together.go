package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
)

// together resumes 200 interrupted sessions in one process, then in one process each.
func together(b *bench, idler string) ([]figure, error) {
	const sessions, rounds = 200, 3
	var figures []figure
	for _, apart := range []bool{false, true} {
		root := filepath.Join(b.dir, fmt.Sprint("apart-", apart))
		if err := b.workshop(root, idler); err != nil {
			return nil, err
		}
		names, err := broken(root, sessions, rounds)
		if err != nil {
			return nil, err
		}
		var took time.Duration
		var most float64
		if apart {
			took, most, err = b.each(root, names)
		} else {
			_, took, most, err = b.inside(root, "sessions", "resume", "--all")
		}
		if err != nil {
			return nil, err
		}
		if err := complete(root, names, rounds); err != nil {
			return nil, err
		}
		if apart {
			figures = append(figures, figure{name: "the same by 200 processes: memory of all of them together", value: most, unit: "MB"},
				figure{name: "the same by 200 processes: time", value: took.Seconds(), unit: "s"})
		} else {
			figures = append(figures, figure{name: "200 sessions side by side in one process: memory", value: most, unit: "MB", most: 300},
				figure{name: "200 sessions of 3 iterations in one process: time", value: took.Seconds(), unit: "s"})
		}
	}
	return figures, nil
}

// broken creates sessions that were interrupted before their first iteration.
func broken(root string, sessions, rounds int) (names []string, err error) {
	store := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})
	for i := range sessions {
		name := fmt.Sprintf("s%03d", i)
		names = append(names, name)
		dir := filepath.Join(root, ".claude", sessionstate.Dir(name))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		text := fmt.Sprintf(`{"task":"Do it","settings":[{"Key":"prompt","Value":"Do it","Flag":"--prompt"},{"Key":"runs","Value":"%d","Flag":"--max"}]}`, rounds)
		if err := os.WriteFile(filepath.Join(dir, "session.json"), []byte(text), 0o644); err != nil {
			return nil, err
		}
		if _, err := session.Open(store, name).Update(func(tx *durable.Tx[sessionstate.State]) (err error) {
			tx.Doc, err = sessionstate.Begin(sessionstate.Beginning{Session: name}, time.Now())
			return err
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// each resumes sessions, each in its own process, all at once.
func (b *bench) each(root string, names []string) (took time.Duration, most float64, err error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	began := time.Now()
	for _, name := range names {
		wait.Go(func() {
			_, _, peak, bad := b.inside(root, "sessions", "resume", name)
			mu.Lock()
			defer mu.Unlock()
			most += peak
			if bad != nil {
				err = bad
			}
		})
	}
	wait.Wait()
	return time.Since(began), most, err
}

// complete checks that sessions have ended as expected, and that other programs can read their
// files.
func complete(root string, names []string, rounds int) error {
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, ".claude", sessionstate.File(name)))
		var s struct {
			Status    string            `json:"status"`
			Completed int               `json:"iteration_completed"`
			Reason    string            `json:"completion_reason"`
			History   []json.RawMessage `json:"history"`
		}
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", name, err)
		}
		if s.Status != "complete" || s.Completed != rounds || s.Reason != "max_iterations" || len(s.History) != rounds {
			return fmt.Errorf("session %s: %+v", name, s)
		}
	}
	return nil
}
