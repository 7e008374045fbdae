package livestate

import (
	"slices"

	"warp/internal/core/text"
)

// bound shortens what is too long to show, and limits numbers. It copies lists that another state
// shares.
func (s *State) bound() {
	s.Criteria = boundList(s.Criteria[:min(len(s.Criteria), maxList)], func(c *Criterion) { clip(&c.ID, &c.Text) })
	s.Agents = boundList(s.Agents[:min(len(s.Agents), maxList)], func(a *Agent) {
		clip(&a.Agent, &a.Role, &a.Work, &a.Tool, &a.Said)
		limit(&a.Tokens, &a.MicroUSD)
	})
	s.Windows = boundList(s.Windows[:min(len(s.Windows), maxWindows)], func(w *Window) {
		clip(&w.Name)
		w.Percent = min(max(w.Percent, 0), 1000)
	})
	s.Recent = boundList(s.Recent[max(0, len(s.Recent)-maxRecent):], func(l *Line) { clip(&l.Kind, &l.Text) })
	if s.Wait != nil {
		w := *s.Wait
		clip(&w.Why)
		s.Wait = &w
	}
	clip(&s.Name, &s.Stamp, &s.Issue, &s.Title, &s.Branch, &s.Doing)
	limit(&s.Tokens, &s.MicroUSD, &s.Caps.MicroUSD, &s.Caps.Tokens)
	s.Caps.Seconds = min(max(s.Caps.Seconds, 0), maxNumber)
}

func boundList[T any](list []T, bound func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		bound(&list[i])
	}
	return list
}

func clip(list ...*string) {
	for _, words := range list {
		*words = text.Clip(*words, maxWords)
	}
}

func limit(list ...*int64) {
	for _, n := range list {
		*n = min(max(*n, 0), maxNumber)
	}
}
