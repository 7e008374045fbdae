package schedule

import "cmp"

// Heap is a heap.Interface; its least element comes first.
type Heap[T any] struct {
	List    []T
	Compare func(a, b T) int
}

func (l *Heap[T]) Len() int           { return len(l.List) }
func (l *Heap[T]) Less(i, j int) bool { return l.Compare(l.List[i], l.List[j]) < 0 }
func (l *Heap[T]) Swap(i, j int)      { l.List[i], l.List[j] = l.List[j], l.List[i] }

// Push implements heap.Interface.
func (l *Heap[T]) Push(x any) { l.List = append(l.List, x.(T)) }

// Pop implements heap.Interface.
func (l *Heap[T]) Pop() any {
	end := len(l.List) - 1
	last := l.List[end]
	l.List = l.List[:end]
	return last
}

// compare orders by priority, then by arrival.
func (e *entry) compare(b *entry) int {
	return cmp.Or(cmp.Compare(b.Priority, e.Priority), e.Arrived.Compare(b.Arrived), cmp.Compare(e.ID, b.ID))
}
