package schedule

import "cmp"

// Heap is a heap.Interface; its least element comes first.
type Heap[T interface{ Compare(T) int }] []T

func (l Heap[T]) Len() int           { return len(l) }
func (l Heap[T]) Less(i, j int) bool { return l[i].Compare(l[j]) < 0 }
func (l Heap[T]) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *Heap[T]) Push(x any) { *l = append(*l, x.(T)) }

// Pop implements heap.Interface.
func (l *Heap[T]) Pop() any {
	end := len(*l) - 1
	last := (*l)[end]
	*l = (*l)[:end]
	return last
}

// Compare orders by priority, then by arrival.
func (e *entry) Compare(b *entry) int {
	return cmp.Or(cmp.Compare(b.Priority, e.Priority), e.Arrived.Compare(b.Arrived), cmp.Compare(e.ID, b.ID))
}
