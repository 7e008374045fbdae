package schedule

import "cmp"

// ready is a heap: priority, then who came first.
type ready []*entry

func (l ready) Len() int { return len(l) }

func (l ready) Less(i, j int) bool {
	a, b := l[i], l[j]
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Arrived.Compare(b.Arrived), cmp.Compare(a.ID, b.ID)) < 0
}

func (l ready) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *ready) Push(x any) { *l = append(*l, x.(*entry)) }

// Pop implements heap.Interface.
func (l *ready) Pop() any {
	old := *l
	e := old[len(old)-1]
	*l = old[:len(old)-1]
	return e
}
