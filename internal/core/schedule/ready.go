package schedule

import "cmp"

// ready is a heap, by priority, then by arrival.
type ready []*entry

func (l ready) Len() int { return len(l) }

func (l ready) Less(i, j int) bool { return l[i].compare(l[j]) < 0 }

func (e *entry) compare(b *entry) int {
	return cmp.Or(cmp.Compare(b.Priority, e.Priority), e.Arrived.Compare(b.Arrived), cmp.Compare(e.ID, b.ID))
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
