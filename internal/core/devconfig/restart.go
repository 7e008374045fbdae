package devconfig

import "time"

// Policy decides which exits of a server lead to a restart.
type Policy string

const (
	OnFailure Policy = "on-failure"
	Always    Policy = "always"
	Never     Policy = "never"
)

// Restart is when, and how often, a server restarts.
type Restart struct {
	Policy Policy
	Max    int // consecutive starts that did not last
}

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// lasting is how long a server must run for its exit not to count as another failure in a row.
	lasting = time.Minute
)

// Next decides what follows a server's exit after failed failures in a row: the new count, how long
// to wait, and whether to restart at all.
func (r Restart) Next(exit int, ran time.Duration, failed int) (count int, pause time.Duration, again bool) {
	if ran >= lasting {
		failed = 0
	}
	if r.Policy == Never || r.Policy == OnFailure && exit == 0 || failed >= r.Max {
		return failed, 0, false
	}
	pause = longestPause
	if failed < 6 {
		pause = min(firstPause<<failed, longestPause)
	}
	return failed + 1, pause, true
}
