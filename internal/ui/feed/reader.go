package feed

import (
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Reader reads a project repeatedly. It must be used from one goroutine.
type Reader struct {
	drive    *turnstile.Drive
	env      turnstile.Env
	trees    map[string]*tree
	seed     maphash.Seed
	seen     map[uint64]string // rows, with the work tree whose journal had them first
	book     *evidence.Book
	moves    []Move
	passed   []evidence.Entry[evidence.PassedOver]
	waits    []Wait
	damaged  []string
	unread   []string            // journals that could not be read this time
	counts   map[string]counted  // by issue
	changed  map[string]bool     // issues with new evidence
	costs    map[string]spending // by session
	finished map[string]finished // sessions and archived workflows, by file
	underWay map[string]underWay // unfinished sessions, by file
}

// tree is a work tree and its journal.
type tree struct {
	drive *turnstile.Drive
	tail  *durable.Tail
	rows  []dated // rows of this read
	last  time.Time
	progress
}

// dated is a row with the time by which journals are merged. It never decreases within a
// journal: the journal's order counts, not the clock.
type dated struct {
	event.Row
	at   time.Time
	root string
}

// Open returns a reader of a project's feed. It reads nothing yet.
func Open(d *turnstile.Drive, env turnstile.Env) *Reader {
	r := &Reader{drive: d, env: env, seed: maphash.MakeSeed(), finished: map[string]finished{}, underWay: map[string]underWay{}}
	r.forget()
	return r
}

// Read reads the feed of a project once.
func Read(d *turnstile.Drive, env turnstile.Env) (*Feed, error) { return Open(d, env).Read() }

func (r *Reader) forget() {
	r.trees, r.seen, r.book, r.damaged = map[string]*tree{}, map[uint64]string{}, &evidence.Book{}, nil
	r.moves, r.waits, r.passed = nil, nil, nil
	r.counts, r.changed, r.costs = map[string]counted{}, map[string]bool{}, map[string]spending{}
}

// roots returns the folders that may have a journal or a drive.
func (r *Reader) roots() (out []string) {
	list := []string{filepath.Dir(r.drive.Project.Home().Dir()), r.drive.Root()}
	if p, ok := git.Locate(r.drive.Root()); ok {
		list = append(append(list, p.Worktrees()...), turnstile.ActiveProjects(p)...)
	}
	for _, root := range list {
		if !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	return out
}

// Read reads what is new and returns everything.
func (r *Reader) Read() (*Feed, error) {
	roots := r.roots()
	if err := r.readJournals(roots); err != nil {
		return nil, err
	}
	f := &Feed{Project: filepath.Base(r.drive.Root()), Root: r.drive.Root(), Moves: r.moves, Waits: r.waits, Notes: slices.Concat(r.damaged, r.unread), Book: r.book.Clone()}
	if n := f.Book.Left; n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("left out %s of evidence not signed with your key, but written by an older warp, another machine or something else (warp evidence N --unsigned shows them, warp doctor says more)", text.Count(n, "row")))
	}
	r.readInbox(f)
	g := readPass{Reader: r, feed: f, now: r.env.Now()}
	if v, err := r.drive.Project.Queue().Read(); err == nil {
		g.queue = v.Doc
	}
	g.addDrives(roots)
	g.addSessions(roots)
	g.addWorkflows(roots)
	g.attachLive()
	clear(r.changed)
	f.PassedOver = slices.Concat(f.Book.PassedOver, r.passed)
	slices.SortStableFunc(f.PassedOver, func(a, b evidence.Entry[evidence.PassedOver]) int { return strings.Compare(a.At, b.At) })
	f.Today = f.Book.Spent(midnight(g.now))
	slices.SortStableFunc(f.Items, func(a, b Item) int { return b.Started.Compare(a.Started) })
	return f, nil
}

func (r *Reader) readInbox(f *Feed) {
	asked, err := inbox.Open(r.drive.Project.Home(), r.env.Now, inbox.Hear{}).Book()
	if err != nil {
		f.Notes = append(f.Notes, err.Error())
		return
	}
	for _, q := range asked.Pending() {
		f.Questions = append(f.Questions, newQuestion(q))
	}
	for _, q := range asked.Items {
		f.Inbox = append(f.Inbox, newAsked(q))
	}
}

func midnight(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
}

// readPass is one read in progress.
type readPass struct {
	*Reader
	feed  *Feed
	now   time.Time
	queue *workqueue.Queue // nil if there is none
}

func (r *Reader) readJournals(roots []string) error {
	for _, root := range roots {
		t := r.trees[root]
		if t == nil {
			continue
		}
		if again, _ := t.tail.Rewound(); again { // errors are reported below
			r.forget()
			break
		}
	}
	r.unread = nil
	var rows []dated
	for n, root := range roots {
		t := r.tree(root)
		damaged, err := t.tail.Read()
		switch {
		case err != nil && n == 0:
			return fmt.Errorf("reading the evidence in %q: %w", t.drive.Store().Dir(), err)
		case err != nil: // an agent works there; it must not hide the rest
			r.unread = append(r.unread, fmt.Sprintf("the journal in %s cannot be read: %v; warp doctor says more", t.drive.Store().Dir(), err))
		}
		if damaged > 0 {
			r.damaged = append(r.damaged, fmt.Sprintf("skipped %d damaged rows of the journal in %s; warp doctor says more", damaged, t.drive.Store().Dir()))
		}
		rows, t.rows = append(rows, t.rows...), nil
	}
	slices.SortStableFunc(rows, func(a, b dated) int { return a.at.Compare(b.at) })
	for _, row := range rows {
		if row.Doc == "" {
			r.book.Take(row.Row)
			r.takeNight(row.Row)
			r.changed[row.Data.Get("issue").Text()] = true
			delete(r.costs, row.Data.Get("work").Text())
		} else {
			moves, waits := r.trees[row.root].take(row)
			r.moves, r.waits = append(r.moves, moves...), append(r.waits, waits...)
		}
	}
	return nil
}

// tree returns the work tree whose journal is read.
func (r *Reader) tree(root string) *tree {
	if t := r.trees[root]; t != nil {
		return t
	}
	t := &tree{drive: turnstile.Open(root, r.env)}
	t.tail = t.drive.Store().Tail(func(row event.Row) {
		drives := row.Doc == turnstile.Kind.Name
		if row.Doc != "" && !drives || row.Doc == "" && row.Data == nil {
			return
		}
		if at, err := time.Parse(time.RFC3339, row.At); err == nil && at.After(t.last) {
			t.last = at
		}
		if !drives {
			// A row in two journals counts once, but one journal may hold the same row twice.
			key := maphash.Bytes(r.seed, row.Line())
			if first, known := r.seen[key]; known && first != root {
				return
			}
			r.seen[key] = root
		}
		t.rows = append(t.rows, dated{row, t.last, root})
	})
	r.trees[root] = t
	return t
}

// takeNight keeps the issues that a night's account lists as not begun.
func (r *Reader) takeNight(row event.Row) {
	var night struct {
		Account *nightreport.Report `json:"account"`
	}
	if row.Kind != event.Night || !row.Counts() || lossless.Decode(row.Data, &night) != nil || night.Account == nil {
		return
	}
	for _, i := range night.Account.Passed {
		r.passed = append(r.passed, evidence.Entry[evidence.PassedOver]{At: row.At, Row: evidence.PassedOver{Issue: i.Number, Title: i.Title, Why: i.Passed}})
	}
}
