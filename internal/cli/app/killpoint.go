package app

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"warp/internal/durable"
)

// Environment variables for crash tests. CRASH_AT names a point and its count, as in
// "committed#2", after which the process is killed as by kill -9; POINTS names a file to which
// every passed point is written.
const (
	crashAt = "WARP_CRASH_AT"
	points  = "WARP_POINTS"
)

// NewKillPoint returns a function to call at each point; nil if no test listens.
func NewKillPoint(getenv func(string) string) func(string) {
	at, file := getenv(crashAt), getenv(points)
	if at == "" && file == "" {
		return nil
	}
	var mu sync.Mutex
	seen := map[string]int{}
	return func(name string) {
		mu.Lock()
		defer mu.Unlock()
		seen[name]++
		id := fmt.Sprintf("%s#%d", strings.ReplaceAll(name, " ", "_"), seen[name])
		if file != "" {
			_ = durable.AppendNote(file, []byte(id+"\n"), 0, 0o600)
		}
		if id == at {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
				time.Sleep(time.Minute) // Kill may return before the signal arrives
			}
		}
	}
}
