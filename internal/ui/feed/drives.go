package feed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// addDrives adds the drives in the evidence, and their documents.
func (g readPass) addDrives(roots []string) {
	var views []located
	for _, root := range roots {
		if root != g.feed.Root && !turnstile.HasState(root) {
			continue
		}
		v, err := g.tree(root).drive.Read()
		switch {
		case durable.IsMissing(err) && root == g.feed.Root:
			g.feed.Err = err
		case durable.IsMissing(err):
		case err != nil && root == g.feed.Root:
			g.feed.Err = err
			g.feed.Notes = append(g.feed.Notes, fmt.Sprintf("%s: %v", root, err))
		case err != nil:
			g.feed.Notes = append(g.feed.Notes, fmt.Sprintf("the drive in %s cannot be read: %v", root, err))
		default:
			g.feed.Notes = append(g.feed.Notes, v.Notes...)
			addFromDocument(g.feed.Book, v.State)
			g.changed[v.State.Issue()] = true // the document may know more than the journal
			views = append(views, located{v, root})
		}
	}
	items := g.pastDrives()
	for _, v := range views {
		i := slices.IndexFunc(items, func(i Item) bool {
			return i.epoch == v.State.Session.StartedAtEpoch && i.Issue == v.State.Issue()
		})
		if i < 0 {
			items = append(items, Item{Kind: Drive, Name: v.State.Issue(), Issue: v.State.Issue(), epoch: v.State.Session.StartedAtEpoch})
			i = len(items) - 1
		}
		g.describe(&items[i], v)
	}
	markLater(items)
	g.feed.Items = append(g.feed.Items, items...)
}

// located is a drive's document and its work tree.
type located struct {
	turnstile.View
	root string
}

// markLater marks items whose issue a later drive has taken up again.
func markLater(items []Item) {
	newest := map[string]int64{}
	for _, i := range items {
		newest[i.Issue] = max(newest[i.Issue], i.epoch)
	}
	for n := range items {
		i := &items[n]
		i.Later = i.Issue != "" && i.epoch < newest[i.Issue]
	}
}

// pastDrives returns an item for each requirement in each drive session that left evidence.
func (g readPass) pastDrives() (items []Item) {
	type key struct {
		issue string
		epoch int64
	}
	at, first := map[key]int{}, map[int64]string{}
	find := func(issue string, epoch int64, when string) *Item {
		k := key{issue, epoch}
		if n, known := at[k]; known {
			return &items[n]
		}
		at[k] = len(items)
		items = append(items, Item{Kind: Drive, Name: issue, Issue: issue, epoch: epoch, Started: ParseTime(when), State: Stopped})
		return &items[len(items)-1]
	}
	b := g.feed.Book
	for _, e := range b.Runs {
		if e.Row.Issue != "" {
			i := find(e.Row.Issue, e.Row.Epoch, e.At)
			if _, known := first[i.epoch]; !known {
				first[i.epoch] = i.Issue
			}
			i.Cost.Add(e.Row)
			i.reopen(e.At)
		}
	}
	for _, e := range b.Commits {
		if e.Row.Issue != "" && e.At != "" && !e.Row.WIP {
			find(e.Row.Issue, e.Row.Epoch, e.At).reopen(e.At)
		}
	}
	for _, e := range b.Outcomes {
		if e.Row.Issue != "" {
			find(e.Row.Issue, e.Row.Epoch, e.At).end(e)
		}
	}
	for n := range items {
		i := &items[n]
		c := g.count(i.Issue)
		i.Criteria = c.criteria
		i.Title = cmp.Or(i.Title, c.title)
		if !i.session.IsZero() && first[i.epoch] == i.Issue { // it began with the session
			i.Started = i.session
		}
		if i.Result == "" {
			i.Ended, i.Why, i.Do = i.Since, "no end is recorded: it was interrupted, or driven inside an agent session", "warp evidence "+i.Issue
		}
	}
	return items
}

// reopen records work at a time; an end before that no longer counts.
func (i *Item) reopen(at string) {
	if t := ParseTime(at); i.Since.Before(t) {
		i.Since = t
	}
}

// stateOfResult maps a result to the state of an item without a document.
var stateOfResult = map[evidence.Result]State{
	evidence.Merged: Done, evidence.Pull: Done, evidence.Partly: Failed, evidence.Failed: Failed,
	evidence.Stopped: Stopped, evidence.Budget: Stopped, evidence.Person: Stopped,
}

// end applies an outcome, unless work followed it.
func (i *Item) end(e evidence.Entry[evidence.Outcome]) {
	o, at := e.Row, ParseTime(e.At)
	i.Title = cmp.Or(o.Title, i.Title)
	if o.Branch != "" {
		i.Branch = o.Branch
	}
	i.session = ParseTime(o.Started)
	if at.Before(i.Since) {
		return
	}
	i.State, i.Result, i.Why, i.Do, i.Commit, i.Pull, i.Ended = stateOfResult[o.Result], string(o.Result), o.Why, o.Do, o.Commit, o.Pull, at
}

// counted sums up a requirement's evidence over all its drives.
type counted struct {
	title    string
	criteria *Criteria
}

// count sums up the evidence about a requirement. It caches the sum until new evidence arrives.
func (g readPass) count(issue string) counted {
	c, known := g.counts[issue]
	if known && !g.changed[issue] {
		return c
	}
	account := g.feed.Book.Account(issue)
	c = counted{title: account.Title}
	if len(account.Criteria) > 0 {
		c.criteria = &Criteria{account.Good(), len(account.Criteria)}
	}
	g.counts[issue] = c
	return c
}

// describe fills an item from its drive's document: where it is now.
func (g readPass) describe(i *Item, v located) {
	s := v.State
	i.Drive, i.Root, i.Branch, i.Level = v.View, v.root, s.BranchName(), s.Session.Level
	if s.Session.MindPID > 0 || !s.Session.Headless && s.Session.ClaudeSession != "" {
		i.Kind = Guided
	}
	i.Title = cmp.Or(i.Title, s.Titles[i.Issue])
	if i.Started.IsZero() {
		i.Started = ParseTime(s.Session.StartedAt)
	}
	if i.Criteria == nil && i.Issue != "" && len(s.Criteria[i.Issue]) > 0 {
		i.Criteria = &Criteria{len(s.Checked[i.Issue]), len(s.Criteria[i.Issue])}
	}
	if !s.Phase.Active() {
		g.describeEnded(i, s)
		return
	}
	parked := *i
	if parked.Ended.Before(ParseTime(s.Budgets.PhaseStartedAt)) {
		parked = Item{} // it has moved on since
	}
	i.Result, i.Why, i.Do, i.Ended = "", "", "", time.Time{}
	i.Doing, i.Since = step(s), ParseTime(s.Budgets.PhaseStartedAt)
	if !v.Stale {
		i.PID = s.Session.PID
	}
	for _, q := range g.feed.Questions {
		if !q.Taken && (q.Root == v.root || q.Issue != "" && q.Issue == i.Issue) {
			i.Question = &q
		}
	}
	for _, rule := range driveRules {
		if rule.holds(v) {
			rule.say(i, v, parked)
			return
		}
	}
}

// describeEnded fills in how a drive ended from its document, if the evidence has no outcome.
func (g readPass) describeEnded(i *Item, s *drivestate.State) {
	i.Since = ParseTime(s.Budgets.PhaseStartedAt)
	if i.Result != "" {
		return
	}
	i.State, i.Why, i.Do = Done, "", ""
	if n := len(s.History); n > 0 {
		i.Ended = ParseTime(s.History[n-1].At)
		if e := s.History[n-1].Event; e == drivestate.AbortResolved || e == drivestate.AbortCleanupFailed {
			i.State = Stopped
			if i.Issue != "" {
				i.Do = evidence.RepeatCaps("warp resume "+i.Issue, i.Issue, s.Session.Caps)
			}
		}
	}
	if s.Phase == drivestate.Idle {
		i.State = Stopped
	}
}

// addFromDocument adds what only a drive's document knows: a drive inside an agent's session
// writes few rows.
func addFromDocument(b *evidence.Book, s *drivestate.State) {
	for _, issue := range slices.Sorted(maps.Keys(s.Criteria)) {
		if len(b.Of(issue, 0).Written) > 0 {
			continue
		}
		w := evidence.Written{Issue: issue}
		for _, c := range s.Criteria[issue] {
			w.Criteria = append(w.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
		}
		b.Written = append(b.Written, evidence.Entry[evidence.Written]{Row: w})
	}
	for _, issue := range slices.Sorted(maps.Keys(s.Checked)) {
		for _, id := range s.Checked[issue] {
			if !slices.ContainsFunc(b.Ticks, func(e evidence.Entry[evidence.Tick]) bool { return e.Row.Issue == issue && e.Row.ID == id }) {
				b.Ticks = append(b.Ticks, evidence.Entry[evidence.Tick]{Row: evidence.Tick{Issue: issue, ID: id, Checked: true}})
			}
		}
	}
	if s.Issue() == "" {
		return
	}
	for i, ids := range s.Chunk.ACs {
		b.Chunks = append(b.Chunks, evidence.Entry[evidence.Chunked]{Row: evidence.Chunked{Issue: s.Issue(), Chunk: i + 1, Criteria: ids}})
	}
	for _, hash := range s.CommitHashes {
		if hash != "" && !slices.ContainsFunc(b.Commits, func(e evidence.Entry[evidence.Commit]) bool {
			return e.Row.Hash != "" && (strings.HasPrefix(e.Row.Hash, hash) || strings.HasPrefix(hash, e.Row.Hash))
		}) {
			b.Commits = append(b.Commits, evidence.Entry[evidence.Commit]{Row: evidence.Commit{Issue: s.Issue(), Hash: hash}})
		}
	}
}
