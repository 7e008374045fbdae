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

// lookEvery is how often it is looked for a result file.
const lookEvery = time.Second

// linger ends an agent that has given its result and does not end by itself: what
// it still does is unwanted.
type linger struct {
	after time.Duration
	over  func()

	mu    sync.Mutex
	quit  func() // nil: it has not answered
	ended bool
}

// answered starts the time that is left; only the first call counts.
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

// watch waits for a result file that is one. A file that is half written is none.
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
