package fault

import "time"

const (
	networkWait  = 30 * time.Second
	limitWait    = 60 * time.Second
	resourceWait = 60 * time.Second
	longestWait  = 7 * 24 * time.Hour // no limit lasts longer; a message is not to be trusted beyond
)

// NextRetry says when the retry with this number is due, counted from 1 among
// those of its class; ok is false when the class has none, or none left. The
// message is asked for the time at which a limit ends; a time of day in it is one
// of now's location.
func NextRetry(c Class, retryCount int, now time.Time, message string) (at time.Time, ok bool) {
	n := max(retryCount, 1)
	if n > c.Policy().MaxRetries {
		return time.Time{}, false
	}
	switch c {
	case Network:
		return now.Add(networkWait << (n - 1)), true
	case RateLimit:
		if reset, ok := resetTime(message, now); ok {
			return reset, true
		}
		return now.Add(limitWait << (n - 1)), true
	case Timeout:
		return now, true
	case Resource:
		return now.Add(resourceWait), true
	}
	return time.Time{}, false
}
