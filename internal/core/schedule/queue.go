// Package schedule decides what a free worker of a fleet takes next: by priority, dependencies,
// fairness between repositories, and what the accounts allow. It does no I/O: the time comes in as
// a value, and the fleet and its simulation make the same decisions. FindCycles finds what waits for
// itself, in pipelines and task documents, too.
package schedule

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"time"
)

// Repository is one that the fleet works on.
type Repository struct {
	Name     string
	Priority int    // larger means a larger share; 0 and less count as 1
	Most     int    // requirements at once; 0: no limit
	Pool     string // workers that may take it; "": any
}

// Requirement is one piece of work. Its ID is unique in the fleet: owner/repo#issue.
type Requirement struct {
	ID       string
	Repo     string
	Priority int `json:",omitempty"` // within its repository, largest first
	Arrived  time.Time
	Needs    []string `json:",omitempty"` // requirements of any repository that must be merged before
}

// Worker asks for work.
type Worker struct {
	Pool     string
	Accounts []string // that it can use
}

// Grant is the work that a worker got.
type Grant struct {
	Requirement
	Account string
}

// Hold is why a worker got nothing, and when to ask again; a zero time means after something else
// has happened.
type Hold struct {
	Why   string
	Until time.Time
}

// Queue is the fleet's work. It is not safe for concurrent use.
type Queue struct {
	repos    map[string]*repository
	order    []*repository // by name: decisions do not depend on map order
	accounts map[string]*account
	all      map[string]*entry
	waiting  map[string][]*entry // by what they need
	blocked  int
}

type repository struct {
	Repository
	ready   Heap[*entry]
	running int
	// pass is how much of its share the repository has had; the lowest is next.
	pass float64
}

func (r *repository) stride() float64 { return 1 / float64(max(1, r.Priority)) }

func (r *repository) isFull() bool { return r.Most > 0 && r.running >= r.Most }

// entry is the state of a Requirement.
type entry struct {
	Requirement
	state   state
	missing int // needs that are not merged
	account string
}

type state int

const (
	blocked state = iota // by what it needs
	waits
	runs
	merged
	parked
)

// New returns the queue of a fleet.
func New(repos []Repository, accounts []Account) *Queue {
	q := &Queue{repos: map[string]*repository{}, accounts: map[string]*account{}, all: map[string]*entry{}, waiting: map[string][]*entry{}}
	q.Configure(repos, accounts)
	return q
}

// Configure applies a changed fleet: running work continues, and what is known about accounts
// stays. Work of a removed repository waits until it is back.
func (q *Queue) Configure(repos []Repository, accounts []Account) {
	q.order = nil
	for _, r := range repos {
		old := q.repository(r.Name)
		old.Repository = r
		q.order = append(q.order, old)
	}
	slices.SortFunc(q.order, func(a, b *repository) int { return cmp.Compare(a.Name, b.Name) })
	known := q.accounts
	q.accounts = map[string]*account{}
	for _, a := range accounts {
		q.accounts[a.Name] = &account{}
		if old := known[a.Name]; old != nil {
			q.accounts[a.Name] = old
		}
		q.accounts[a.Name].Account = a
		q.accounts[a.Name].running = 0
	}
	for _, e := range q.all { // an account that comes back counts its agents again
		if a := q.accounts[e.account]; a != nil && e.state == runs {
			a.running++
		}
	}
}

// Add adds a requirement to the queue. A known one stays unchanged.
func (q *Queue) Add(r Requirement) {
	if q.all[r.ID] != nil {
		return
	}
	e := &entry{Requirement: r}
	q.all[r.ID] = e
	q.repository(r.Repo)
	for _, need := range r.Needs {
		if n := q.all[need]; n == nil || n.state != merged {
			e.missing++
			q.waiting[need] = append(q.waiting[need], e)
		}
	}
	q.release(e)
}

// repository returns a repository, also one that is not in the fleet.
func (q *Queue) repository(name string) *repository {
	if q.repos[name] == nil {
		q.repos[name] = &repository{Repository: Repository{Name: name}, ready: Heap[*entry]{Compare: (*entry).compare}}
	}
	return q.repos[name]
}

// release makes a requirement ready if its needs are merged.
func (q *Queue) release(e *entry) {
	if e.missing > 0 {
		e.state = blocked
		q.blocked++
		return
	}
	e.state = waits
	r := q.repos[e.Repo]
	if r.ready.Len() == 0 && r.running == 0 {
		r.pass = max(r.pass, q.leastPass()) // an idle repository does not save up its share
	}
	heap.Push(&r.ready, e)
}

// leastPass returns the lowest pass of the active repositories.
func (q *Queue) leastPass() float64 {
	least, any := 0.0, false
	for _, r := range q.order {
		if (r.ready.Len() > 0 || r.running > 0) && (!any || r.pass < least) {
			least, any = r.pass, true
		}
	}
	return least
}

// Take gives a worker its next requirement, and the account to use.
func (q *Queue) Take(w Worker, now time.Time) (Grant, Hold) {
	var best *repository
	full := false
	for _, r := range q.order {
		if r.ready.Len() == 0 || r.Pool != "" && r.Pool != w.Pool {
			continue
		}
		if r.isFull() {
			full = true
			continue
		}
		if best == nil || r.pass < best.pass {
			best = r
		}
	}
	switch {
	case best == nil && full:
		return Grant{}, Hold{Why: "every repository with work is at its limit (at_once)"}
	case best == nil && q.blocked > 0:
		return Grant{}, Hold{Why: fmt.Sprintf("%d requirements wait for others", q.blocked)}
	case best == nil:
		return Grant{}, Hold{Why: "no work is ready"}
	}
	a, hold := q.chooseAccount(w.Accounts, now)
	if a == nil {
		return Grant{}, hold
	}
	e := heap.Pop(&best.ready).(*entry)
	best.pass += best.stride()
	best.running++
	a.running++
	e.state, e.account = runs, a.Name
	return Grant{e.Requirement, a.Name}, Hold{}
}

// Rest releases a requirement's account: its agent is done, and it waits to be merged.
func (q *Queue) Rest(id string) {
	if e := q.all[id]; e != nil && e.state == runs {
		q.freeAccount(e)
	}
}

func (q *Queue) freeAccount(e *entry) {
	if a := q.accounts[e.account]; a != nil {
		a.running--
	}
	e.account = ""
}

// Merge ends a requirement: what needs it may begin.
func (q *Queue) Merge(id string) { q.end(id, merged) }

// Park ends a requirement that only a person can resume; what needs it waits.
func (q *Queue) Park(id string) { q.end(id, parked) }

// Return puts back a requirement whose worker is gone, or that a person unparked.
func (q *Queue) Return(id string) {
	if e := q.leave(id); e != nil && e.state == parked {
		q.release(e)
	}
}

func (q *Queue) end(id string, s state) {
	e := q.leave(id)
	if e == nil || e.state == merged {
		return
	}
	switch e.state {
	case waits:
		q.drop(e)
	case blocked:
		q.blocked--
	}
	e.state = s
	if s != merged {
		return
	}
	for _, next := range q.waiting[id] {
		if next.missing--; next.missing == 0 && next.state == blocked {
			q.blocked--
			q.release(next)
		}
	}
	delete(q.waiting, id)
}

// leave frees what a running requirement holds.
func (q *Queue) leave(id string) *entry {
	e := q.all[id]
	if e == nil || e.state != runs {
		return e
	}
	q.repos[e.Repo].running--
	q.freeAccount(e)
	e.state = parked
	return e
}

func (q *Queue) drop(e *entry) {
	list := &q.repos[e.Repo].ready
	if i := slices.Index(list.List, e); i >= 0 {
		heap.Remove(list, i)
	}
}
