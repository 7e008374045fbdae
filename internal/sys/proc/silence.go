package proc

import "time"

// lives gives a sign of life of the command.
func (l *liner) lives() {
	select {
	case l.said <- struct{}{}:
	default: // there is one already
	}
}

// silence is closed when nothing was said for so long.
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
