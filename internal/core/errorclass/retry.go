package errorclass

import "time"

const (
	networkWait  = 30 * time.Second
	limitWait    = 60 * time.Second
	resourceWait = 60 * time.Second
	longestWait  = 7 * 24 * time.Hour // no limit lasts longer; a message is not to be trusted beyond
)

// longestPause bounds the pauses of a limit that does not say when it ends: it is noticed
// within a quarter of an hour that it is over.
const longestPause = 15 * time.Minute

// Pause is how long the retry with this number waits for a limit, counted from 1: it
// grows to longestPause.
func Pause(n int) time.Duration {
	return min(longestPause, limitWait<<min(max(n, 1)-1, 10))
}

// asTold is how many times in a row a limit is believed that says when it ends.
const asTold = 3

// RateLimitOver is when a limit is tried again that is waited for as long as it takes:
// when the message says, or after growing pauses. A message that says "in a second"
// again and again is not believed for ever.
func RateLimitOver(n int, now time.Time, message string) time.Time {
	at, told := ResetTime(message, now)
	if !told {
		return now.Add(Pause(n))
	}
	if least := now.Add(Pause(n - asTold)); n > asTold && least.After(at) {
		return least
	}
	return at
}

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
		if reset, ok := ResetTime(message, now); ok {
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
