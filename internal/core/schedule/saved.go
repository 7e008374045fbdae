package schedule

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Saved is a queue as a plain value, which a fleet passes to its next run.
type Saved struct {
	Entries  []SavedEntry `json:",omitempty"` // by id
	Merged   []string     `json:",omitempty"` // ids and ranges of ids; nothing else about them is needed
	Passes   []SavedPass  `json:",omitempty"` // by repository
	Accounts []SavedRest  `json:",omitempty"` // by name
}

// SavedEntry is a requirement that is not merged.
type SavedEntry struct {
	Requirement
	State   string
	Account string `json:",omitempty"`
}

// SavedPass is how much of its share a repository has had.
type SavedPass struct {
	Repo string
	Pass float64
}

// SavedRest is what is known about an account.
type SavedRest struct {
	Name    string
	Limited time.Time     // it hit a limit that lasts until then
	Fails   int           `json:",omitempty"` // limits of unknown length in a row
	Windows []SavedWindow `json:",omitempty"` // by name
}

// SavedWindow is how much of a window was used.
type SavedWindow struct {
	Name    string
	Percent float64
	Reset   time.Time
	Length  time.Duration
}

var stateNames = map[state]string{blocked: "blocked", waits: "waits", runs: "runs", parked: "parked"}

// Save returns the queue as a value, deterministically.
func (q *Queue) Save() (s Saved) {
	var done []string
	for _, id := range slices.Sorted(maps.Keys(q.all)) {
		e := q.all[id]
		if e.state == merged {
			done = append(done, id)
			continue
		}
		s.Entries = append(s.Entries, SavedEntry{e.Requirement, stateNames[e.state], e.account})
	}
	s.Merged = packIDs(done)
	for _, name := range slices.Sorted(maps.Keys(q.repos)) {
		if pass := q.repos[name].pass; pass > 0 {
			s.Passes = append(s.Passes, SavedPass{name, pass})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.accounts)) {
		rest := q.accounts[name].rest
		rest.Name, rest.Windows = name, slices.Clone(rest.Windows)
		s.Accounts = append(s.Accounts, rest)
	}
	return s
}

// Restore makes a queue from a saved one, for a fleet that may have changed since.
func Restore(repos []Repository, accounts []Account, s Saved) *Queue {
	q := New(repos, accounts)
	for _, id := range unpackIDs(s.Merged) {
		q.all[id] = &entry{Requirement: Requirement{ID: id}, state: merged}
	}
	for _, e := range s.Entries {
		q.Add(e.Requirement)
	}
	for _, e := range s.Entries { // once all needs are known
		q.restoreState(q.all[e.ID], e)
	}
	for _, p := range s.Passes {
		q.repository(p.Repo).pass = p.Pass
	}
	for _, rest := range s.Accounts {
		if a := q.accounts[rest.Name]; a != nil {
			rest.Windows = slices.Clone(rest.Windows)
			a.rest = rest
		}
	}
	return q
}

// restoreState gives a newly added entry the state that it had.
func (q *Queue) restoreState(e *entry, had SavedEntry) {
	if had.State != stateNames[runs] && had.State != stateNames[parked] {
		return // Add has determined whether it waits or is blocked
	}
	if e.state == waits {
		q.drop(e)
	} else {
		q.blocked--
	}
	e.state = parked
	if had.State == stateNames[runs] {
		e.state, e.account = runs, had.Account
		q.repos[e.Repo].running++
		if a := q.accounts[e.account]; a != nil {
			a.running++
		}
	}
}

// Wake lets the agent of a running requirement work again after Rest.
func (q *Queue) Wake(id, name string) {
	e := q.all[id]
	if e == nil || e.state != runs || e.account != "" {
		return
	}
	e.account = name
	if a := q.accounts[name]; a != nil {
		a.running++
	}
}

func (q *Queue) IsMerged(id string) bool { return q.all[id] != nil && q.all[id].state == merged }

// Waiting is a requirement that has not begun; Why is "" if only a free worker is missing.
type Waiting struct {
	Requirement
	Why string
}

// Line lists what waits, in the order in which it would begin, followed by what cannot begin.
func (q *Queue) Line() (line []Waiting) {
	pass, next := map[string]float64{}, map[string][]*entry{}
	for _, r := range q.repos {
		pass[r.Name] = r.pass
		next[r.Name] = slices.SortedFunc(slices.Values(r.ready.List), (*entry).compare)
	}
	for {
		var best *repository
		for _, r := range q.order {
			if len(next[r.Name]) > 0 && (best == nil || pass[r.Name] < pass[best.Name]) {
				best = r
			}
		}
		if best == nil {
			break
		}
		w := Waiting{Requirement: next[best.Name][0].Requirement}
		if best.isFull() {
			w.Why = best.Name + " is at its limit (at_once)"
		}
		line = append(line, w)
		next[best.Name] = next[best.Name][1:]
		pass[best.Name] += best.stride()
	}
	return append(line, q.stuck()...)
}

// stuck lists what cannot begin, by id: its needs are not merged, or its repository is no longer in
// the fleet.
func (q *Queue) stuck() (list []Waiting) {
	configured := map[string]bool{}
	for _, r := range q.order {
		configured[r.Name] = true
	}
	for _, e := range q.all {
		switch {
		case e.state == blocked:
			w := Waiting{Requirement: e.Requirement, Why: "waits for"}
			for _, need := range e.Needs {
				if n := q.all[need]; n == nil || n.state != merged {
					w.Why += " " + need
				}
			}
			list = append(list, w)
		case e.state == waits && !configured[e.Repo]:
			list = append(list, Waiting{e.Requirement, e.Repo + " is not in the fleet"})
		}
	}
	slices.SortFunc(list, func(a, b Waiting) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

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
