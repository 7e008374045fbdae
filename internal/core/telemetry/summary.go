package telemetry

import "slices"

// maxErrors limits the list of errors; the summary keeps counting.
const maxErrors = 500

const maxErrorMessage = 500

// Summary counts errors; the total is the sum of the others.
type Summary struct {
	Total     int `json:"total"`
	Recovered int `json:"recovered"`
	Pending   int `json:"pending"`
	Escalated int `json:"escalated"`
	Queued    int `json:"queued"`
	Logged    int `json:"logged"`
}

func (s *Summary) add(t Summary) {
	s.Total += t.Total
	s.Recovered += t.Recovered
	s.Pending += t.Pending
	s.Escalated += t.Escalated
	s.Queued += t.Queued
	s.Logged += t.Logged
}

func (x *Entry) summary() Summary {
	s := Summary{Total: 1}
	switch x.Status {
	case Recovered:
		s.Recovered = 1
	case Pending:
		s.Pending = 1
	case Escalated:
		s.Escalated = 1
	case Queued:
		s.Queued = 1
	default: // including a status set by another program
		s.Logged = 1
	}
	return s
}

// Of counts the errors of one session.
func (e *Errors) Of(session string) Summary {
	sum := e.Dropped[session]
	for i := range e.Errors {
		if e.Errors[i].Session == session {
			sum.add(e.Errors[i].summary())
		}
	}
	return sum
}

// summarise recounts: another program may have changed the list.
func (e *Errors) summarise() {
	e.Summary = Summary{}
	for i := range e.Errors {
		e.Summary.add(e.Errors[i].summary())
	}
	for _, s := range e.Dropped {
		e.Summary.add(s)
	}
}

// bound drops the oldest settled errors, and pending ones only if there are no others. Dropped
// errors stay counted for their session; a retry that can no longer be recorded counts as logged,
// not pending.
func (e *Errors) bound() {
	for len(e.Errors) > maxErrors {
		older := e.Errors[:len(e.Errors)-1] // never the newest
		at := max(0, slices.IndexFunc(older, func(x Entry) bool { return x.Status != Pending }))
		gone := e.Errors[at].summary()
		gone.Logged, gone.Pending = gone.Logged+gone.Pending, 0
		if e.Dropped == nil {
			e.Dropped = map[string]Summary{}
		}
		sum := e.Dropped[e.Errors[at].Session]
		sum.add(gone)
		e.Dropped[e.Errors[at].Session] = sum
		e.Errors = slices.Delete(e.Errors, at, at+1)
	}
}
