package simulate

import "time"

// event happens at a time; simultaneous events run in the order they were scheduled.
type event struct {
	at     time.Time
	serial int
	do     func()
}

type events []event

func (l events) Len() int { return len(l) }

func (l events) Less(i, j int) bool {
	if !l[i].at.Equal(l[j].at) {
		return l[i].at.Before(l[j].at)
	}
	return l[i].serial < l[j].serial
}

func (l events) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *events) Push(x any) { *l = append(*l, x.(event)) }

// Pop implements heap.Interface.
func (l *events) Pop() any {
	old := *l
	e := old[len(old)-1]
	*l = old[:len(old)-1]
	return e
}
