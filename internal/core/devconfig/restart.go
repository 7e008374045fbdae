package devconfig

import "time"

// Policy says which ends of a server lead to another start.
type Policy string

// The policies.
const (
	OnFailure Policy = "on-failure"
	Always    Policy = "always"
	Never     Policy = "never"
)

// Restart is when, and how often, a server that ended is started again.
type Restart struct {
	Policy Policy
	Max    int // starts in a row that did not last
}

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// lasting is how long a server must have run for its end to be no part of a
	// row of failures.
	lasting = time.Minute
)

// Next tells what follows the end of a server that was started again failed
// times in a row before: how many that makes now, how long to wait, and whether
// to start it again at all.
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
