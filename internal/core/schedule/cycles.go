package schedule

import "slices"

// FindCycles returns, for each group of nodes that wait for each other, the shortest cycle through
// its first node. waits lists the nodes that each node waits for; one that only waits for itself is a
// cycle of one.
func FindCycles(waits [][]int) (cycles [][]int) {
	inCycle := make([]bool, len(waits))
	for i := range waits {
		from := reach(waits, i)
		if inCycle[i] || from[i] < 0 {
			continue
		}
		cycle := []int{i}
		for at := from[i]; at != i; at = from[at] {
			cycle = append(cycle, at)
		}
		slices.Reverse(cycle[1:])
		cycles = append(cycles, cycle)
		for j := range waits {
			inCycle[j] = inCycle[j] || from[j] >= 0 && reach(waits, j)[i] >= 0
		}
	}
	return cycles
}

// reach returns from which node each node is first reached, starting at one; -1 if never.
func reach(waits [][]int, one int) []int {
	from := slices.Repeat([]int{-1}, len(waits))
	for queue := []int{one}; len(queue) > 0; queue = queue[1:] {
		for _, next := range waits[queue[0]] {
			if from[next] < 0 {
				from[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return from
}
