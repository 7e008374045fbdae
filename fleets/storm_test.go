//go:build unix

package fleets

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAStormyNight kills workers, the server and the connection between them at random
// throughout a night. WARP_SWEEP=1 has the whole: 30 requirements in 3 repositories at
// both levels; WARP_SEED repeats one.
func TestAStormyNight(t *testing.T) {
	repos, issues, levels := 2, 2, []int{3}
	if os.Getenv("WARP_SWEEP") != "" {
		repos, issues, levels = 3, 10, []int{3, 2}
	}
	for _, level := range levels {
		t.Run(fmt.Sprintf("level %d", level), func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			if s := os.Getenv("WARP_SEED"); s != "" {
				fmt.Sscan(s, &seed)
			}
			t.Logf("WARP_SEED=%d", seed)
			w := newWorld(t, repos, issues)
			w.begin(level, 3, 4*time.Second)
			w.await("the work is taken", func() bool { _, code := w.fleet("submit"); return code == 0 })
			over := make(chan struct{})
			calm := make(chan struct{})
			go func() {
				defer close(calm)
				w.storm(rand.New(rand.NewPCG(seed, 1)), 3*repos*issues, over)
			}()
			w.await("everything is merged or parked", func() bool {
				v, ok := w.view()
				return ok && len(v.Done)+len(v.Parked) == repos*issues
			})
			close(over)
			<-calm
			w.await("the server answers again", func() bool { _, ok := w.view(); return ok })
			w.checkNight(issues, level)
		})
	}
}

// storm does one of its deeds after the other until the night is over, or it is tired.
func (w *world) storm(r *rand.Rand, most int, over <-chan struct{}) {
	server := <-w.pid
	deeds := []struct {
		name string
		do   func()
	}{
		{"kill a worker", func() {
			k := w.workers[r.IntN(len(w.workers))]
			k.kill()
			k.start()
		}},
		{"kill the server", func() {
			_ = syscall.Kill(server, syscall.SIGKILL)
			server = <-w.pid
		}},
		{"pull the cable for longer than the time-out", func() {
			w.gate.set(true)
			defer w.gate.set(false)
			rest(over, 6*time.Second)
		}},
		{"pull the cable for a moment", func() {
			w.gate.set(true)
			defer w.gate.set(false)
			rest(over, time.Second)
		}},
		{"stop a worker for longer than the time-out", func() {
			k := w.workers[r.IntN(len(w.workers))]
			_ = k.cmd.Process.Signal(syscall.SIGSTOP)
			rest(over, 6*time.Second)
			_ = k.cmd.Process.Signal(syscall.SIGCONT)
		}},
	}
	log := filepath.Join(w.dir, "storm.log")
	for n := 0; n < most && rest(over, time.Duration(500+r.IntN(3000))*time.Millisecond); n++ {
		d := deeds[r.IntN(len(deeds))]
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			fmt.Fprintf(f, "%s %s\n", time.Now().Format("15:04:05.000"), d.name)
			_ = f.Close()
		}
		d.do()
	}
}

// rest lets the night go on for a while; false: it is over.
func rest(over <-chan struct{}, d time.Duration) bool {
	select {
	case <-over:
		return false
	case <-time.After(d):
		return true
	}
}
