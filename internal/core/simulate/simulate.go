// Package simulate simulates a fleet for planning: a discrete-event simulation of the same
// decisions (core/schedule) that a real fleet makes. Years pass in seconds.
package simulate

import (
	"container/heap"
	"fmt"
	"time"

	"warp/internal/core/fleetfile"
	"warp/internal/core/schedule"
)

// Plan holds the parameters of a simulation.
type Plan struct {
	Fleet        *fleetfile.File
	Requirements int
	Workers      int // of all pools, in turn
	Agent        Distribution
	Train        Distribution  // rebase and tests in a merge train
	Begin        time.Time     // of the night
	Over         time.Duration // time over which requirements arrive; 0: all at the beginning
	Fail         float64       // share of attempts that fail and are retried
	TrainFail    float64       // share of merges that fail and go back to their drive
	Tries        int           // the most attempts before it is parked
	Cost         float64       // dollars per hour of an agent
	Needs        float64       // share of requirements that need the previous one
	Grace        time.Duration // from an attempt's end to the next
	// Window is how long agents can work with one account in five hours, all together; 0: no limit.
	Window time.Duration
	Random Random
}

// Result is the outcome of a simulation.
type Result struct {
	Merged, Parked, Unfinished int
	Took                       time.Duration
	TimeToMerge, TrainWait     Spread
	Slots                      float64 // share of the slots' time in use
	Trains                     float64 // share of its time that the busiest train was in use
	Train                      string  // the busiest
	Dollars                    float64
	Hours                      []Hour
	Holds                      []Held // why slots were idle, longest first
	Bottleneck                 string
	Drawn                      string // distribution and mean of the agents' time
}

// Hour is an hour of the night.
type Hour struct {
	Merged  int
	Dollars float64
}

// Held is how long slots were idle for a reason.
type Held struct {
	Why  string
	Time time.Duration
}

type simulation struct {
	Plan
	queue  *schedule.Queue
	budget *schedule.Budget
	now    time.Time
	events schedule.Heap[event]
	serial int
	slots  []*slot
	idle   []*slot
	trains map[string]*train
	order  []*train
	work   map[string]*work
	merge  durations
	wait   durations
	result Result
	busy   time.Duration
	held   map[string]time.Duration
	wake   time.Time // when idle slots ask again
	used   map[string]*use
}

type slot struct {
	schedule.Worker
	since time.Time // idle
	why   string
}

// work is a requirement in progress.
type work struct {
	schedule.Requirement
	tries int
}

// train merges into a repository, one at a time.
type train struct {
	repo  string
	queue []boarded
	busy  time.Duration
	runs  bool
}

type boarded struct {
	*work
	at time.Time
}

func Run(p Plan) (Result, error) {
	if len(p.Fleet.Repositories) == 0 || len(p.Fleet.Pools) == 0 {
		return Result{}, fmt.Errorf("the fleet has no repositories or no pools")
	}
	repos, accounts, caps := p.Fleet.Schedule()
	s := &simulation{Plan: p, queue: schedule.New(repos, accounts), budget: schedule.NewBudget(caps), now: p.Begin, events: schedule.Heap[event]{Compare: event.compare},
		trains: map[string]*train{}, work: map[string]*work{}, held: map[string]time.Duration{}, used: map[string]*use{}}
	s.arrive()
	for n := range p.Workers {
		pool := p.Fleet.Pools[n%len(p.Fleet.Pools)]
		for range pool.Slots {
			w := &slot{Worker: schedule.Worker{Pool: pool.Label, Accounts: pool.Accounts}, since: p.Begin}
			s.slots = append(s.slots, w)
			s.idle = append(s.idle, w)
		}
	}
	s.employ()
	for s.events.Len() > 0 {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
		if s.events.Len() == 0 || s.events.List[0].at.After(s.now) { // handle all simultaneous events before the next decision
			s.employ()
		}
	}
	return s.finish(), nil
}

func (s *simulation) at(t time.Time, do func()) {
	s.serial++
	heap.Push(&s.events, event{t, s.serial, do})
}

func (s *simulation) after(d time.Duration, do func()) { s.at(s.now.Add(d), do) }

// arrive schedules the arrivals, evenly over their time and the repositories.
func (s *simulation) arrive() {
	last := map[string]string{}
	for n := range s.Requirements {
		repo := s.Fleet.Repositories[n%len(s.Fleet.Repositories)].Name
		w := &work{Requirement: schedule.Requirement{ID: fmt.Sprintf("%s#%d", repo, n), Repo: repo}}
		if last[repo] != "" && s.Needs > 0 && s.Random.Float64() < s.Needs {
			w.Needs = []string{last[repo]}
		}
		last[repo] = w.ID
		s.work[w.ID] = w
		w.Arrived = s.Begin
		if s.Over > 0 {
			w.Arrived = s.Begin.Add(time.Duration(float64(s.Over) * float64(n) / float64(s.Requirements)))
			s.at(w.Arrived, func() { s.queue.Add(w.Requirement) })
			continue
		}
		s.queue.Add(w.Requirement)
	}
}

// employ gives work to idle slots while there is any.
func (s *simulation) employ() {
	if until := s.Fleet.QuietUntil(s.now); !until.IsZero() {
		for _, w := range s.idle {
			s.stand(w, "quiet hours")
		}
		s.askAgain(until)
		return
	}
	var still []*slot
	for i, w := range s.idle {
		g, hold := s.queue.Take(w.Worker, s.now)
		if hold.Why != "" {
			s.stand(w, hold.Why)
			still = append(still, w)
			if !hold.Until.IsZero() {
				s.askAgain(hold.Until)
			}
			if len(s.Fleet.Pools) == 1 { // all the others would get the same answer
				for _, other := range s.idle[i+1:] {
					s.stand(other, hold.Why)
				}
				still = append(still, s.idle[i+1:]...)
				break
			}
			continue
		}
		if why := s.attempt(w, s.work[g.ID], g.Account); why != "" {
			s.queue.Return(g.ID)
			s.stand(w, why)
			still = append(still, w)
		}
	}
	s.idle = still
}

// askAgain wakes idle slots at a time.
func (s *simulation) askAgain(at time.Time) {
	if s.wake.After(s.now) && !s.wake.After(at) {
		return
	}
	s.wake = at
	s.at(at, func() {})
}

// stand records why a slot is idle from now on.
func (s *simulation) stand(w *slot, why string) {
	if !w.since.IsZero() && w.why != "" {
		s.held[w.why] += s.now.Sub(w.since)
	}
	w.since, w.why = s.now, why
}

// attempt starts an agent; why names the cap that prevents it.
func (s *simulation) attempt(w *slot, job *work, account string) (why string) {
	takes := s.Agent.next(s.Random)
	cost := int64(takes.Hours() * s.Cost * 1e6)
	if why := s.budget.Reserve(job.ID, job.Repo, cost, s.now); why != "" {
		return why
	}
	s.stand(w, "")
	w.since = time.Time{}
	job.tries++
	s.after(takes, func() {
		s.busy += takes
		s.charge(account, takes)
		s.budget.Settle(job.ID, job.Repo, cost, s.now)
		s.hour().Dollars += float64(cost) / 1e6
		s.free(w)
		if s.Random.Float64() < s.Fail {
			s.failed(job)
			return
		}
		s.queue.Rest(job.ID)
		t := s.trains[job.Repo]
		if t == nil {
			t = &train{repo: job.Repo}
			s.trains[job.Repo] = t
			s.order = append(s.order, t)
		}
		t.queue = append(t.queue, boarded{job, s.now})
		s.move(t)
	})
	return ""
}

func (s *simulation) free(w *slot) {
	w.since, w.why = s.now, ""
	s.idle = append(s.idle, w)
}

// failed retries an attempt, or gives it up.
func (s *simulation) failed(job *work) {
	if job.tries >= max(1, s.Tries) {
		s.result.Parked++
		s.queue.Park(job.ID)
		return
	}
	s.after(s.Grace, func() { s.queue.Return(job.ID) })
}

// move starts the next merge of a train.
func (s *simulation) move(t *train) {
	if t.runs || len(t.queue) == 0 {
		return
	}
	next := t.queue[0]
	t.queue, t.runs = t.queue[1:], true
	s.wait = append(s.wait, s.now.Sub(next.at))
	takes := s.Train.next(s.Random)
	t.busy += takes
	s.after(takes, func() {
		t.runs = false
		if s.Random.Float64() < s.TrainFail {
			s.failed(next.work)
		} else {
			s.queue.Merge(next.ID)
			s.merge = append(s.merge, s.now.Sub(next.Arrived))
			s.result.Merged++
			s.hour().Merged++
		}
		s.move(t)
	})
}

func (s *simulation) hour() *Hour {
	n := int(s.now.Sub(s.Begin).Hours())
	for len(s.result.Hours) <= n {
		s.result.Hours = append(s.result.Hours, Hour{})
	}
	return &s.result.Hours[n]
}
