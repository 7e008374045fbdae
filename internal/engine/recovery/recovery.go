// Package recovery brings back drives whose work tree, branch or state was lost, so that they
// resume after their last committed chunk. It finds a drive by what is left elsewhere: commits,
// here or on the remote, the journal of the main work tree, and the tracker.
//
// Nothing is deleted. What has to make room is kept first, under refs/warp/recovered/ or next to
// its place; if that fails, nothing is changed. The tracker is only read. Resuming is left to the
// drive.
package recovery

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// Recovery recovers drives of one repository.
type Recovery struct {
	site
	history
	Tree    gitwrite.Tree // the main work tree
	Tracker forge.Tracker // nil: not asked
	State   string        // the user's state folder, where guards keep their copies

	cfg   config.Settings
	notes []string
}

// Open prepares a recovery in the repository of a drive.
func Open(ctx context.Context, d *turnstile.Drive, tracker forge.Tracker, env turnstile.Env, host string) (*Recovery, error) {
	r := &Recovery{site: site{Main: d, Env: env, Host: host}, history: history{book: &evidence.Book{}}, Tracker: tracker}
	if root := filepath.Dir(d.Project.Home().Dir()); root != d.Root() {
		r.Main = turnstile.Open(root, env)
	}
	var err error
	if r.Tree, err = gitwrite.Open(r.Main.Root()); err != nil {
		return nil, err
	}
	r.repo = r.Tree.Repo()
	if r.cfg, err = r.Main.Project.Settings(); err != nil {
		return nil, err
	}
	if r.target, err = r.repo.MainBranch(); err != nil {
		return nil, err
	}
	if r.remote, _, err = r.Tree.Remotes().Choose(ctx); err != nil {
		return nil, err
	}
	_, err = r.Main.Store().Events(func(row event.Row) bool { r.book.Take(row); return true })
	if err != nil && !durable.IsMissing(err) {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return r, nil
}

func (r *Recovery) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// fetch fetches from the remote; if it is unreachable, that becomes a note.
func (r *Recovery) fetch(ctx context.Context) {
	if r.remote == "" {
		return
	}
	if _, err := r.Tree.Remotes().Fetch(ctx, r.remote); err != nil {
		r.note("%v; using what was fetched before", err)
	}
}

// Options are what a person asks for.
type Options struct {
	Issue   string // "": the only one
	Branch  string // "": from the state or the commits
	Level   int    // 0: from the state or the settings
	Apart   bool   // into a separate work tree
	InPlace bool   // into the main work tree; if neither is set: where it was
	Redo    bool   // redo chunks whose commits are lost
	// TakeOver: what another machine pushed of the drive counts even if nothing is lost here.
	TakeOver bool
}

// Result is what was recovered.
type Result struct {
	Issue  string           `json:"issue"`
	Title  string           `json:"title,omitempty"`
	Branch string           `json:"branch,omitempty"`
	Commit string           `json:"commit,omitempty"`
	Root   string           `json:"root,omitempty"` // where it resumes
	Phase  drivestate.Phase `json:"phase,omitempty"`
	Done   int              `json:"chunks_done"`
	Total  int              `json:"chunks"`
	Picked []string         `json:"picked,omitempty"` // cherry-picked commits
	Kept   []string         `json:"kept,omitempty"`   // what had to make room
	Whole  bool             `json:"whole,omitempty"`  // nothing was lost
	Over   bool             `json:"over,omitempty"`   // a person stopped it: only its branch was recovered
	Next   string           `json:"next"`
	Notes  []string         `json:"notes,omitempty"`
}

// NothingError reports that there is nothing to recover.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// Run recovers a drive. On an error, nothing that was there is lost.
func (r *Recovery) Run(ctx context.Context, o Options) (res Result, err error) {
	r.notes = nil
	r.fetch(ctx)
	c, err := r.choose(ctx, o)
	if err != nil {
		return Result{Notes: r.notes}, err
	}
	res.Issue = c.issue
	if s := c.state; s != nil && r.isCurrent(ctx, c.localDrive, o) {
		res.Whole, res.Branch, res.Root, res.Phase, res.Next = true, s.BranchName(), c.Root(), s.Phase, "warp resume"
		res.Done, res.Total = s.Metrics.ChunksCompleted, s.Chunk.Total
	} else {
		err = r.recoverDrive(ctx, o, c, &res)
	}
	res.Notes = r.notes
	return res, err
}

// isCurrent reports whether a drive can resume as it is.
func (r *Recovery) isCurrent(ctx context.Context, at localDrive, o Options) bool {
	s := r.inspect(ctx, at)
	if !s.Whole || !o.TakeOver || s.There == "" || s.There == s.Here {
		return s.Whole
	}
	if s.Here == "" {
		return false
	}
	pushed, err := r.repo.Descends(s.Here, s.There)
	if err != nil || pushed {
		return true
	}
	further, err := r.furthest(ctx, s.Issue, s.Here, s.There)
	return err == nil && further == s.Here
}

// FindMerged returns the newest commit of an issue's drive in the merge target, as last fetched, or
// "".
func FindMerged(ctx context.Context, work gitwrite.Tree, issue string) (string, error) {
	target, err := work.Repo().MainBranch()
	if err != nil {
		return "", err
	}
	remote, _, err := work.Remotes().Choose(ctx)
	if err != nil {
		return "", err
	}
	h := history{repo: work.Repo(), remote: remote}
	here, there := h.tips(ctx, target)
	return h.line(ctx, "log", "-1", "--format=%H", "--extended-regexp", "--grep=^"+drivestate.TrailerName+": #"+issue+" chunk ", "--end-of-options", cmp.Or(there, here), "--"), nil
}

// chosen is the drive to recover.
type chosen struct {
	issue, branch string
	localDrive         // its state, if it survived
	apart         bool // it goes into a separate work tree
}

// choose determines the drive to recover.
func (r *Recovery) choose(ctx context.Context, o Options) (c chosen, err error) {
	found, err := Scan(ctx, r.repo, r.remote, r.target)
	if err != nil {
		return c, err
	}
	gone, err := r.missingWorkTrees(ctx)
	if err != nil {
		return c, err
	}
	all := r.listLocalDrives()
	if c.issue = o.Issue; c.issue == "" {
		if c.issue, err = r.findOnlyLost(ctx, all, gone, found); err != nil {
			return c, err
		}
	}
	for _, s := range all {
		if s.err == nil && s.state.Issue() == c.issue && s.state.Phase.Active() {
			c.localDrive, c.branch, c.apart = s, s.state.BranchName(), s.Root() != r.Main.Root()
		}
	}
	for _, w := range gone {
		if w.Path == r.separateTree(c.issue) {
			c.apart, c.branch = true, cmp.Or(c.branch, w.Branch)
		}
	}
	c.apart = c.apart && !o.InPlace || o.Apart
	if c.branch = cmp.Or(o.Branch, c.branch); c.branch == "" {
		c.branch, err = branchOf(c.issue, found)
	}
	return c, err
}

// branchOf returns the branch of an issue among those found, or "". A merged one, or one with an
// unusual name, counts only if there is no other.
func branchOf(issue string, found []Found) (string, error) {
	list := slices.DeleteFunc(slices.Clone(found), func(f Found) bool { return f.Issue != issue })
	for _, better := range []func(Found) bool{
		func(f Found) bool { return !f.Merged },
		func(f Found) bool { return strings.HasPrefix(f.Branch, "feature/issue-"+issue) },
	} {
		if len(list) > 1 && slices.ContainsFunc(list, better) {
			list = slices.DeleteFunc(list, func(f Found) bool { return !better(f) })
		}
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Branch)
	}
	if len(names) > 1 {
		return "", fmt.Errorf("the work on #%s is on several branches: %s; choose one with --branch", issue, strings.Join(names, ", "))
	}
	return strings.Join(names, ""), nil
}

// findOnlyLost returns the only lost or unfinished drive.
func (r *Recovery) findOnlyLost(ctx context.Context, all []localDrive, gone []lostTree, found []Found) (string, error) {
	var issues, whole []string
	for _, s := range all {
		switch {
		case s.err != nil || !s.state.Phase.Active() || s.state.Issue() == "":
		case r.inspect(ctx, s).Whole:
			whole = append(whole, s.state.Issue())
		default:
			issues = append(issues, s.state.Issue())
		}
	}
	for _, w := range gone {
		if issue, ok := strings.CutPrefix(filepath.Base(w.Path), "issue-"); ok && w.Path == r.separateTree(issue) {
			issues = append(issues, issue)
		}
	}
	for _, f := range Unfinished(found) {
		if !slices.Contains(whole, f.Issue) {
			issues = append(issues, f.Issue)
		}
	}
	slices.Sort(issues)
	issues = slices.Compact(issues)
	switch len(issues) {
	case 0:
		return "", &NothingError{"nothing to recover: every drive has its work tree and its commits, and none is unfinished on the remote"}
	case 1:
		return issues[0], nil
	}
	return "", fmt.Errorf("several drives can be recovered: #%s; name one", strings.Join(issues, ", #"))
}
