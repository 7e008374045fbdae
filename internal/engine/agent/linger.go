package agent

import (
	"context"
	"os"
	"sync"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// lookEvery is how often the result file is polled.
const lookEvery = time.Second

// linger ends an agent that has given its result but does not exit: what it still does is unwanted.
type linger struct {
	after time.Duration
	over  func()

	mu    sync.Mutex
	quit  func() // nil: it has not answered
	ended bool
}

// answered starts the remaining time; only the first call counts.
func (l *linger) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quit == nil && !l.ended {
		l.quit = proc.AfterAwake(l.after, l.over)
	}
}

func (l *linger) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = true; l.quit != nil {
		l.quit()
	}
}

// watch waits for a valid result file. A half-written one does not count.
func (l *linger) watch(ctx context.Context, r Role, file string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if st, err := os.Lstat(file); err != nil || !st.Mode().IsRegular() || st.Size() > answerMost {
			continue
		}
		text, err := durable.ReadPlain(file)
		if err != nil {
			continue
		}
		if v, err := lossless.Parse(text); err == nil && Valid(r, v) == "" {
			l.answered()
			return
		}
	}
}
