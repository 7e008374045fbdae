package schedule

import "slices"

// Circles lists requirements that wait for each other, or for one that does not exist: only a
// person can resolve them.
func (q *Queue) Circles() (ids []string) {
	reached := map[string]bool{}
	var reach func(id string)
	reach = func(id string) {
		for _, e := range q.waiting[id] {
			if !reached[e.ID] && !slices.ContainsFunc(e.Needs, func(need string) bool {
				n := q.all[need]
				return n == nil || n.state == blocked && !reached[need]
			}) {
				reached[e.ID] = true
				reach(e.ID)
			}
		}
	}
	for id, e := range q.all {
		if e.state != blocked {
			reach(id)
		}
	}
	for id, e := range q.all {
		if e.state == blocked && !reached[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
