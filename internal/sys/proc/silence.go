package proc

import "time"

// lives signals that the command is alive.
func (l *liner) lives() {
	select {
	case l.said <- struct{}{}:
	default: // one is already pending
	}
}

// silence returns a channel that closes after a time without output.
func (l *liner) silence(limit time.Duration, over <-chan struct{}) <-chan struct{} {
	if limit <= 0 {
		return nil
	}
	silent := make(chan struct{})
	go func() {
		timer := newAwakeTimer(limit)
		defer timer.Stop()
		for {
			select {
			case <-l.said:
				timer.reset(limit)
			case <-timer.C:
				if timer.isEarly() {
					continue
				}
				if l.busy.Load() {
					timer.reset(limit)
					continue
				}
				select {
				case <-l.said:
					timer.reset(limit)
					continue
				default:
				}
				close(silent)
				return
			case <-over:
				return
			}
		}
	}()
	return silent
}
