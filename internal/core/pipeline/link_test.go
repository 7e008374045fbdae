package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEdges(t *testing.T) {
	for _, c := range []struct{ text, order, after string }{
		{"[{id: a, prompt: x}, {id: b, prompt: x}, {id: c, prompt: x}]", "[0 1 2]", "[[] [0] [1]]"},                                                                    // a plain list
		{"[{id: a, prompt: x}, {id: b, prompt: x, needs: []}, {id: c, prompt: x}]", "[0 1 2]", "[[] [] []]"},                                                           // one word makes a graph of it
		{"[{id: a, prompt: x, needs: c}, {id: b, prompt: x}, {id: c, prompt: x}]", "[1 2 0]", "[[2] [] []]"},                                                           // later ones first
		{"[{id: a, prompt: x}, {id: b, prompt: x, inputs: {from: a}, needs: [a]}, {id: c, prompt: x, inputs: [{from: a}, {from: b}]}]", "[0 1 2]", "[[] [0] [0 1]]"},   // an edge counts once
		{"[{id: a, prompt: x, needs: d}, {id: b, prompt: x, needs: a}, {id: c, prompt: x, needs: d}, {id: d, prompt: x}]", "[3 0 1 2]", "[[3] [0] [3] []]"},            // a fork
		{"[{id: a, prompt: x}, {id: b, prompt: x, needs: [a]}, {id: c, prompt: x, needs: [a]}, {id: d, prompt: x, needs: [b, c]}]", "[0 1 2 3]", "[[] [0] [0] [1 2]]"}, // a diamond
		{"[{id: a, prompt: x, inputs: []}, {id: b, prompt: x}]", "[0 1]", "[[] []]"},                                                                                   // no inputs, said so
		{"[{id: a, prompt: x}]", "[0]", "[[]]"},
	} {
		p := load(t, "stages: "+c.text, nil)
		if got := fmt.Sprint(p.Order()); got != c.order {
			t.Errorf("%s: %s, want %s", c.text, got, c.order)
		}
		var after [][]int
		for _, s := range p.Stages {
			after = append(after, s.After)
		}
		if got := fmt.Sprint(after); got != c.after {
			t.Errorf("%s: after %s, want %s", c.text, got, c.after)
		}
	}
}

// Whatever stages need: either a ring is reported, or all can run, each
// after those that it needs.
func TestAGraphRunsOrHasARing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "stages")
		var b strings.Builder
		b.WriteString("stages:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {id: s%d, prompt: x, needs: [", i)
			for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, 2, rapid.ID[int]).Draw(t, "needs") {
				if k != i {
					fmt.Fprintf(&b, "s%d, ", k)
				}
			}
			b.WriteString("]}\n")
		}
		p := &Pipeline{}
		r := newReader(p, Outside{}, nil)
		r.load(r.Parse("p.yaml", []byte(b.String())))
		order := p.Order()
		if (len(order) == n) != (len(r.Sorted()) == 0) {
			t.Fatalf("%s%v of %d run; %s", b.String(), order, n, lines(r.Sorted()))
		}
		done := map[int]bool{}
		for _, i := range order {
			for _, a := range p.Stages[i].After {
				if !done[a] {
					t.Fatalf("%s: %d before %d", b.String(), i, a)
				}
			}
			done[i] = true
		}
	})
}
