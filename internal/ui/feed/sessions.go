package feed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/turnstile/documents"
)

// finished is an item that no longer changes, and the version of its file.
type finished struct {
	item Item
	file
}

// file is a version of a file.
type file struct {
	at   time.Time
	size int64
}

func versionOf(info os.FileInfo) file { return file{info.ModTime(), info.Size()} }

// known returns the cached item of a file that has not changed since its work ended.
func (r *Reader) known(path string, info os.FileInfo) (Item, bool) {
	f, ok := r.finished[path]
	return f.item, ok && f.file == versionOf(info)
}

func (r *Reader) keep(path string, info os.FileInfo, i Item) {
	if i.State.Over() {
		r.finished[path] = finished{i, versionOf(info)}
		delete(r.underWay, path)
	}
}

// readSession returns a session's document, cached while the file is unchanged. It reads the
// journal only while an engine runs: journals are long, and sessions are many (a thousand of them
// once took half a minute).
func (r *Reader) readSession(path string, info os.FileInfo, doc *durable.Doc[sessionstate.State], held bool) (*sessionstate.State, []string, error) {
	if known, ok := r.underWay[path]; ok && !held && known.file == versionOf(info) {
		return known.state, nil, nil
	}
	if g, ok := doc.GlanceIdle(); ok && !held {
		if s, err := g.Doc(); err == nil && s != nil {
			r.underWay[path] = underWay{s, versionOf(info)}
			return s, nil, nil
		}
	}
	v, err := doc.Read() // the file alone is not enough
	return v.Doc, v.Notes, err
}

// underWay is an unfinished session, and the version of its file.
type underWay struct {
	state *sessionstate.State
	file
}

// addSessions adds the loops and pipelines of all work trees.
func (g readPass) addSessions(roots []string) {
	for _, root := range roots {
		store := g.tree(root).drive.Store()
		entries, err := os.ReadDir(filepath.Join(store.Dir(), filepath.FromSlash(sessionstate.Folder)))
		if err != nil {
			continue // there are none
		}
		held := g.holders(store)
		for _, e := range entries {
			name := e.Name()
			path := filepath.Join(store.Dir(), filepath.FromSlash(sessionstate.File(name)))
			info, err := os.Lstat(path)
			if err != nil || !e.IsDir() || sessionstate.CheckName(name) != nil {
				continue
			}
			i, known := g.known(path, info)
			if !known {
				s, notes, err := g.readSession(path, info, documents.OpenSession(store, name), held[name] != 0)
				if err != nil {
					g.feed.Notes = append(g.feed.Notes, fmt.Sprintf("%s: %v", name, err))
					continue
				}
				g.feed.Notes = append(g.feed.Notes, notes...)
				i = g.session(name, root, s, held[name])
				g.keep(path, info, i)
			}
			g.feed.Items = append(g.feed.Items, i)
		}
	}
}

// holders returns the live processes that hold leases in a store, by lease.
func (g readPass) holders(store *durable.Store) map[string]int {
	held := map[string]int{}
	all, err := store.Leases()
	if err != nil {
		g.feed.Notes = append(g.feed.Notes, err.Error())
	}
	host, _ := os.Hostname() // if unknown, every process counts as local
	for _, l := range all {
		if !l.Stale(host, g.env.Started, g.now) {
			held[l.Session] = l.PID
		}
	}
	return held
}

func (g readPass) session(name, root string, s *sessionstate.State, pid int) Item {
	i := Item{Kind: Loop, Name: name, Root: root, Branch: s.Branch, PID: pid, Started: ParseTime(s.StartedAt), Ended: ParseTime(deref(s.CompletedAt)), Why: s.Why, Result: deref(s.CompletionReason)}
	if s.Type == sessionstate.Pipeline {
		i.Kind, i.Title = Pipeline, s.Pipeline
	}
	queue := g.queueOf(s)
	if queue != nil {
		i.Kind = Quality
	}
	i.Cost = g.spentBy("session "+name, i.Started)
	if i.Cost.Runs == 0 { // no rows, or none that count
		spent := s.Spent()
		i.Cost.MicroUSD, i.Cost.Tokens, i.Cost.Runs = spent.MicroUSD, spent.Tokens, s.Iterations()
	}
	if s.Status != sessionstate.Running {
		i.State, i.PID = Failed, 0
		switch {
		case s.Status == sessionstate.Complete:
			i.State = Done
			if reason, why, is := s.EndedEarly(); is {
				i.State, i.Result, i.Why = Failed, reason, why
			}
		case i.Result == sessionstate.ReasonStopped:
			i.State, i.Do = Stopped, "warp resume "+name
		case i.Result == sessionstate.ReasonLanding, i.Result == sessionstate.ReasonQuestion, s.Stalled():
			i.State, i.Do = Parked, "warp resume "+name
		case i.Result == sessionstate.ReasonBudget:
			i.State, i.Do = Parked, "warp resume "+name+" --max-cost MORE, --max-tokens MORE or --max-time MORE"
		default:
			i.Do = "warp resume " + name
		}
		return i
	}
	i.Doing, i.Since = iteration(s, queue), ParseTime(deref(s.IterationStarted))
	if i.Since.IsZero() {
		i.Since = i.Started
	}
	switch {
	case s.Paused != nil:
		i.State, i.Since, i.Do = Paused, ParseTime(s.Paused.At), "warp continue "+name
	case pid == 0:
		i.State, i.Why, i.Do = Interrupted, "its process has ended", "warp resume "+name
	default:
		i.State = Running
	}
	return i
}

// spending is the cost of a piece of work since it began.
type spending struct {
	since time.Time
	cost  evidence.Cost
}

// spentBy sums up the runs of a piece of work. It caches the sum until new evidence arrives.
func (g readPass) spentBy(work string, since time.Time) evidence.Cost {
	if known, ok := g.costs[work]; ok && known.since.Equal(since) {
		return known.cost
	}
	cost := g.feed.Book.SpentBy(work, since)
	g.costs[work] = spending{since, cost}
	return cost
}

// queueOf returns the work queue if the session is a quality loop, else nil. There is one queue
// per project: its newest loop began with or after the session.
func (g readPass) queueOf(s *sessionstate.State) *workqueue.Queue {
	if s.Type == sessionstate.Pipeline || g.queue == nil || g.queue.Loop == nil {
		return nil
	}
	gated := slices.ContainsFunc(s.History, func(r sessionstate.Row) bool { return r.Gates != "" })
	fresh := s.Status == sessionstate.Running && len(s.History) == 0 && !ParseTime(g.queue.Loop.Started).Before(ParseTime(s.StartedAt))
	if !gated && !fresh {
		return nil
	}
	return g.queue
}

// iteration describes what a session is doing.
func iteration(s *sessionstate.State, q *workqueue.Queue) string {
	text := fmt.Sprintf("iteration %d", max(1, s.Iteration))
	if st, err := s.Stage(s.CurrentStage); err == nil && s.Type == sessionstate.Pipeline {
		text = fmt.Sprintf("stage %s (%d of %d), %s", st.Name, s.CurrentStage+1, len(s.Stages), text)
		if st.Runs > 0 {
			text += fmt.Sprintf(" of %d", st.Runs)
		}
	}
	if q != nil {
		text += ", " + strings.ToLower(string(q.Loop.Phase))
	}
	return text
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
