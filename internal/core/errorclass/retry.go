package errorclass

import "time"

const (
	networkWait  = 30 * time.Second
	limitWait    = 60 * time.Second
	resourceWait = 60 * time.Second
	longestWait  = 7 * 24 * time.Hour // no limit lasts longer; a message is not trusted beyond that
)

// longestPause limits the pauses for a limit of unknown length, so that its end is noticed within a
// quarter of an hour.
const longestPause = 15 * time.Minute

// Pause returns how long to wait before the retry with this number, counted from 1; it grows to
// longestPause.
func Pause(n int) time.Duration {
	return min(longestPause, limitWait<<min(max(n, 1)-1, 10))
}

// asTold is how many times in a row to believe a limit's own end time.
const asTold = 3

// RateLimitOver returns when to retry a limit that is waited for as long as it takes: when the
// message says, or after growing pauses. A message that says "in a second" again and again is not
// believed forever.
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

// NextRetry returns when the retry with this number is due, counted from 1 within its class; ok is
// false if the class has none, or none left. The message may say when a limit ends; a time of day
// in it is in now's location.
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
