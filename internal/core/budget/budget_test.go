package budget

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		bound, spent, left Amount
		ok                 bool
		why                string
	}{
		{Amount{}, Amount{1e9, 1e9, time.Hour}, Amount{}, true, ""},
		{Amount{MicroUSD: 5e6}, Amount{MicroUSD: 2e6}, Amount{MicroUSD: 3e6}, true, ""},
		{Amount{MicroUSD: 5e6}, Amount{MicroUSD: 5e6}, Amount{}, false, "it has cost $5.00 of $5.00"},
		{Amount{Tokens: 10}, Amount{Tokens: 11}, Amount{Tokens: -1}, false, "it has used 11 of 10 tokens"},
		{Amount{Time: time.Minute}, Amount{Time: time.Minute}, Amount{}, false, "it took 1m0s of 1m0s"},
		{Amount{Tokens: 10, Time: time.Minute}, Amount{Tokens: 1, Time: time.Second}, Amount{Tokens: 9, Time: 59 * time.Second}, true, ""},
	} {
		left, ok := c.bound.Left(c.spent)
		if left != c.left || ok != c.ok || c.bound.Reached(c.spent) != c.why {
			t.Errorf("%v less %v: %v %v %q", c.bound, c.spent, left, ok, c.bound.Reached(c.spent))
		}
	}
	if have := (Amount{5, 0, time.Hour}).Least(Amount{7, 3, time.Minute}); have != (Amount{5, 3, time.Minute}) {
		t.Errorf("the least is %v", have)
	}
	if have := (Amount{1, 2, 3}).Add(Amount{1, 1, 1}); have != (Amount{2, 3, 4}) {
		t.Errorf("the sum is %v", have)
	}
	if have := Dollars(1_234_567) + Dollars(-5_000) + Dollars(4_999); have != "$1.23-$0.01$0.00" {
		t.Error(have)
	}
}

// Whatever is taken and returned, and in whatever order, those that run together
// may never spend more than there is, but for the smallest coin each.
func TestPoolNeverGivesMoreThanThereIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pool
		p.Share(rapid.IntRange(0, 5).Draw(t, "sharers"))
		left := Amount{MicroUSD: rapid.Int64Range(1, 1000).Draw(t, "money"), Tokens: rapid.Int64Range(1, 1000).Draw(t, "tokens")}
		var out []Amount
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(out) > 0 && rapid.Bool().Draw(t, "back") {
				p.Return(out[0])
				out = out[1:]
				continue
			}
			out = append(out, p.Take(left))
			var sum Amount
			for _, a := range out {
				sum = sum.Add(a)
				if a.MicroUSD < 1 || a.Tokens < 1 {
					t.Fatal("a share of nothing is no bound")
				}
			}
			if n := int64(len(out)); sum.MicroUSD > left.MicroUSD+n || sum.Tokens > left.Tokens+n {
				t.Fatalf("%v of %v", sum, left)
			}
		}
		if have := (&Pool{}).Take(Amount{}); have != (Amount{}) {
			t.Fatal("what is not bounded is bounded")
		}
	})
}

func TestBreaker(t *testing.T) {
	var b Breaker
	for _, nothing := range []bool{true, true, false, true, true} {
		b.Ran(nothing, "it crashed")
		if b.Open() != "" {
			t.Fatal("too early")
		}
	}
	b.Ran(true, "not logged in")
	if have := b.Open(); have != "three agent runs in a row did nothing: not logged in" {
		t.Error(have)
	}
}

// An agent that crashes over one issue does not end the night; one that crashes over two
// in a row does.
func TestANightHalts(t *testing.T) {
	var n Night
	breaks := func(b *Breaker) {
		for range breakAt {
			b.Ran(true, "it crashed")
		}
	}
	one, two, three := n.Breaker(), n.Breaker(), n.Breaker()
	breaks(one)
	if one.Open() == "" || two.Open() != "" || n.Halted() != "" {
		t.Errorf("one: %q, two: %q, the night: %q", one.Open(), two.Open(), n.Halted())
	}
	two.Ran(false, "")
	breaks(two)
	if n.Halted() != "" {
		t.Error("an agent did something in between")
	}
	breaks(three)
	if have := n.Halted(); have != "three agent runs in a row did nothing: it crashed" {
		t.Errorf("%q", have)
	}
}

// What a bound was raised by is shared as the rest is, and given once.
func TestMore(t *testing.T) {
	var p Pool
	p.Share(2)
	bound := Amount{MicroUSD: 100}
	first := p.Take(bound)
	if more := p.More(bound, Amount{}); more != (Amount{}) {
		t.Errorf("nothing was raised, and one that has not begun has its part: %v", more)
	}
	bound = bound.Raise(Amount{MicroUSD: 200, Tokens: 7})
	if bound != (Amount{MicroUSD: 300}) {
		t.Errorf("tokens were not bounded: %v", bound)
	}
	if more := p.More(bound, Amount{MicroUSD: 200}); more.MicroUSD != 100 {
		t.Errorf("one of two: %v", more)
	}
	second := p.Take(bound) // the rest
	if more := p.More(bound, Amount{MicroUSD: 200}); first.MicroUSD != 50 || second.MicroUSD != 150 || more.MicroUSD != 0 {
		t.Errorf("%v %v %v", first, second, more)
	}
}
