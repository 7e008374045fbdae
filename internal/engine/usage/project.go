package usage

import (
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/mind"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Project is a repository with its work trees, for counting tokens.
type Project struct {
	Root      string // of the main work tree; the project's name
	Roots     []string
	Runs      []evidence.Entry[evidence.Run]
	Timelines []*tokens.Timeline
}

// Open reads the journals of a project's work trees.
func (l *Ledger) Open(d *turnstile.Drive, env turnstile.Env) (*Project, error) {
	p := &Project{Root: filepath.Dir(d.Project.Home().Dir())}
	p.Roots = []string{p.Root}
	trees := []string{d.Root()}
	if at, ok := git.Locate(d.Root()); ok {
		trees = append(trees, at.Worktrees()...)
	}
	for _, root := range trees {
		if !slices.Contains(p.Roots, root) {
			p.Roots = append(p.Roots, root)
		}
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	first := map[uint64]*journal{}
	for _, root := range p.Roots {
		j, err := l.journal(root, env)
		if err != nil {
			return nil, err
		}
		for i, key := range j.keys { // a row in two journals counts once; one journal may repeat a row
			if of := first[key]; of == nil || of == j {
				first[key] = j
				p.Runs = append(p.Runs, j.runs[i])
			}
		}
		line := j.line // a copy of its present state
		p.Timelines = append(p.Timelines, &line)
	}
	return p, nil
}

// Merged returns the requirements that were merged inside an agent's session.
func (p *Project) Merged() (list []string) {
	for _, t := range p.Timelines {
		list = append(list, t.Merged...)
	}
	return list
}

// place returns what a session worked on at a time.
func (p *Project) place(session string, at time.Time) (tokens.Place, bool) {
	for _, t := range p.Timelines {
		if place, ok := t.Of(session, at); ok {
			return place, true
		}
	}
	return tokens.Place{}, false
}

// runs returns the entries of headless runs.
func (p *Project) runs() (list []tokens.Entry) {
	for _, e := range p.Runs {
		r := e.Row
		place := tokens.Place{Issue: r.Issue, Chunk: r.Chunk, Phase: r.Phase}
		if r.Work != "" { // not a drive's
			place = tokens.Place{}
		}
		list = append(list, tokens.Entry{
			At: parseTime(e.At), Project: p.Root, Session: r.Session, Place: place, Work: r.Work, Role: r.Role,
			Model: r.Model, Source: tokens.Run, Tokens: tokens.Tokens{Input: r.Input, Output: r.Output, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite},
			Paid: !r.Unpriced, Unpriced: r.Unpriced, MicroUSD: r.MicroUSD,
		})
	}
	return list
}

func parseTime(stamp string) time.Time {
	t, _ := time.Parse(time.RFC3339, stamp) // a row without a time is from long ago
	return t
}

// guided returns the sessions that were the mind of a drive. They also did other things, so their
// transcripts contain more than the rows of their runs.
func (p *Project) guided() map[string]bool {
	sessions := map[string]bool{}
	for _, e := range p.Runs {
		if e.Row.Agent == mind.Name && e.Row.Session != "" {
			sessions[e.Row.Session] = true
		}
	}
	return sessions
}

// slack allows for clocks that two programs read one after the other.
const slack = 2 * time.Second

// ends holds when the last run of each headless session ended. Until then its tokens are in the
// rows of its runs, which include failed tries; work that continues it by hand comes later. A
// killed run's row has no tokens: its transcript does.
type ends map[string]time.Time

func (p *Project) ends() ends {
	last := ends{}
	guided := p.guided()
	for _, e := range p.runs() {
		if guided[e.Session] {
			continue
		}
		if end := e.At.Add(slack); e.Session != "" && e.Sum() > 0 && end.After(last[e.Session]) {
			last[e.Session] = end
		}
	}
	return last
}

func (x ends) cover(e tokens.Entry) bool { return !e.At.After(x[e.Session]) }

// journal is what was read of a work tree's journal so far. A drive asks after every chunk: each
// row is read once, so that the last chunk costs as much as the first.
//
// A row that was read counts, whatever happens to its line: its signature was checked then, and
// what was spent stays spent. If the journal was replaced since, it is read again.
type journal struct {
	tail *durable.Tail
	line tokens.Timeline
	runs []evidence.Entry[evidence.Run]
	keys []uint64 // of the rows of runs
}

// sameRow seeds keys of rows, so that no agent can predict them.
var sameRow = maphash.MakeSeed()

// journal returns a work tree's journal, up to date.
func (l *Ledger) journal(root string, env turnstile.Env) (*journal, error) {
	store := turnstile.Open(root, env).Store()
	j := l.journals[root]
	var again bool
	var err error
	if j != nil {
		again, err = j.tail.Rewound()
	}
	if j == nil || again {
		j = &journal{}
		j.tail = store.Tail(j.take)
	}
	if err == nil {
		_, err = j.tail.Read()
	}
	if err != nil {
		delete(l.journals, root) // it may have stopped between rows
		return nil, fmt.Errorf("reading the journal in %q: %w", store.Dir(), err)
	}
	if l.journals == nil {
		l.journals = map[string]*journal{}
	}
	l.journals[root] = j
	return j, nil
}

func (j *journal) take(r event.Row) {
	j.line.Take(r)
	if r.Kind != event.Run {
		return
	}
	var book evidence.Book
	book.Take(r)
	for _, e := range append(book.Runs, book.Others...) {
		j.runs, j.keys = append(j.runs, e), append(j.keys, maphash.Bytes(sameRow, r.Line()))
	}
}
