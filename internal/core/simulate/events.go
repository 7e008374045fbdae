package simulate

import (
	"cmp"
	"time"
)

// event happens at a time; simultaneous events run in the order they were scheduled.
type event struct {
	at     time.Time
	serial int
	do     func()
}

func (e event) compare(b event) int {
	return cmp.Or(e.at.Compare(b.at), cmp.Compare(e.serial, b.serial))
}

// use is the usage of an account's five-hour window.
type use struct {
	began time.Time
	took  time.Duration
}

// windowLength is the length of a subscription's window.
const windowLength = 5 * time.Hour

// charge records that an agent has worked with an account.
func (s *simulation) charge(account string, took time.Duration) {
	if s.Window <= 0 {
		return
	}
	u := s.used[account]
	if u == nil || s.now.Sub(u.began) >= windowLength {
		u = &use{began: s.now.Add(-took)}
		s.used[account] = u
	}
	u.took += took
	percent, reset := 100*u.took.Seconds()/s.Window.Seconds(), u.began.Add(windowLength)
	s.queue.Use(account, "five_hour", percent, reset, windowLength)
	if percent >= 100 {
		s.queue.Limit(account, reset, s.now)
		return
	}
	s.queue.Works(account)
}
