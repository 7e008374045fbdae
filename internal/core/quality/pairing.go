package quality

// ledger holds the units of one family of languages on both sides of a diff.
type ledger struct {
	before, after []*unit
	pairs         []pair
	gone          []*unit // tests and helpers without a counterpart
	fresh         []*unit // those that only the new side has
	byKey         map[string][]*unit
}

type pair struct{ was, is *unit }

// keyOf are the ways to recognise a unit, the surest first. The code outside
// functions has no name and belongs to its file.
var keyOf = [...]func(*unit) [3]string{
	func(u *unit) [3]string { return [3]string{u.key, u.group, u.name} },
	func(u *unit) [3]string { return [3]string{u.key, "", u.name} },
	func(u *unit) [3]string { return [3]string{"", u.group, u.name} },
	func(u *unit) [3]string { return [3]string{"", "", u.name} },
}

// match pairs the units of both sides by name. A test only ever meets a test: a
// test that lost what makes it one is gone, though its function is still there.
func (l *ledger) match() {
	was, is := l.before, l.after
	for _, key := range keyOf {
		was, is = l.matchBy(key, was, is)
	}
	l.gone, l.fresh = was, is
	for _, u := range l.fresh {
		u.isNew = true
	}
}

// matchBy pairs what has the same key, in order, and returns what is left.
func (l *ledger) matchBy(key func(*unit) [3]string, was, is []*unit) (restWas, restIs []*unit) {
	type id struct {
		key         [3]string
		test, scope bool
	}
	idOf := func(u *unit) id {
		k := id{key(u), u.test, u.scope}
		if u.scope {
			k.key = [3]string{u.key}
		}
		return k
	}
	waiting := map[id][]*unit{}
	for _, u := range is {
		k := idOf(u)
		waiting[k] = append(waiting[k], u)
	}
	taken := map[*unit]bool{}
	for _, u := range was {
		k := idOf(u)
		if q := waiting[k]; len(q) > 0 {
			l.pairs = append(l.pairs, pair{u, q[0]})
			waiting[k], taken[q[0]] = q[1:], true
			continue
		}
		restWas = append(restWas, u)
	}
	for _, u := range is {
		if !taken[u] {
			restIs = append(restIs, u)
		}
	}
	return restWas, restIs
}

// manyAsserts keeps sums over helpers that call each other from overflowing.
const manyAsserts = 1 << 20

// settle works out what each unit asserts together with the helpers it calls.
// Two rounds reach helpers of helpers; deeper ones count nothing on both sides.
//
// A helper that both sides have is worth the most it asserts on either: one that
// was hollowed out is reported once, by itself, and not again by each test that
// calls it. Where neither side shows what it asserts, its name has to do.
func (l *ledger) settle() {
	var was, is map[string]int
	for range 2 {
		was, is = worth(l.before, was), worth(l.after, is)
		for name, n := range was {
			m, both := is[name]
			if !both {
				continue
			}
			was[name], is[name] = max(n, m), max(n, m)
			if n+m == 0 {
				delete(was, name)
				delete(is, name)
			}
		}
	}
	for _, u := range l.before {
		u.total = u.sum(was)
	}
	for _, u := range l.after {
		u.total = u.sum(is)
	}
}

// worth is what each helper of one side asserts, by name.
func worth(side []*unit, known map[string]int) map[string]int {
	next := map[string]int{}
	for _, u := range side {
		if !u.test && !u.scope {
			next[u.name] = max(next[u.name], u.sum(known))
		}
	}
	return next
}

// sum is what a unit asserts when each helper is worth what is given.
func (u *unit) sum(worth map[string]int) int {
	n := u.asserts
	for _, c := range u.calls {
		own := c.own
		if w, known := worth[c.name]; known && c.name != u.name {
			own = w
		}
		n = min(n+own, manyAsserts)
	}
	return n
}
