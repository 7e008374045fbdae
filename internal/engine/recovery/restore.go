package recovery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/guard"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// lostError reports recorded commits that exist nowhere.
type lostError struct{ Commits []string }

func (e *lostError) Error() string {
	var names []string
	for _, h := range e.Commits {
		names = append(names, text.Hash(h))
	}
	return fmt.Sprintf("the commits %s are recorded, but exist neither here nor on the remote: fetch them, or redo their chunks with --redo", strings.Join(names, ", "))
}

// restoration is a recovery in progress.
type restoration struct {
	in      *Recovery
	drive   chosen
	branch  branch
	account account
	level   int
	keeper  keeper
	res     *Result
}

// branch is a drive's branch, as it was found and as it will be.
type branch struct {
	trail   // of its tip
	name    string
	here    string            // its present commit; "": none
	tip     string            // its future commit; "": none yet
	missing []string          // recorded commits that the tip lacks and that are here
	lost    []string          // recorded commits that are nowhere
	picked  map[string]string // maps cherry-picked commits to their originals
}

// recoverDrive recovers a drive: its branch, its work tree, its state.
func (r *Recovery) recoverDrive(ctx context.Context, o Options, c chosen, res *Result) error {
	b := &restoration{in: r, drive: c, res: res, keeper: keeper{tree: r.Tree, env: r.Env, name: c.issue}}
	defer func() { res.Kept = b.keeper.kept }()
	if err := b.examine(ctx, o); err != nil {
		return err
	}
	if err := b.pickMissing(ctx); err != nil {
		return err
	}
	at, err := b.checkOutBranch(ctx)
	if err != nil {
		return err
	}
	res.Next = "warp drive " + c.issue
	if b.account.aborted && len(b.branch.done()) < b.branch.total { // unfinished work does not resume; what only waits for its merge does
		res.Over = true
		return nil
	}
	return b.rewrite(ctx, at)
}

// examine finds out what is there, and refuses what must not be done, before anything changes.
func (b *restoration) examine(ctx context.Context, o Options) (err error) {
	r, c := b.in, b.drive
	if err = r.Tree.Identity(ctx); err == nil && c.state != nil {
		err = r.refuseDriven(c.Root(), c.issue)
	}
	if err != nil {
		return err
	}
	if b.branch, err = r.locate(ctx, c.issue, c.branch, r.recorded(c)); err != nil {
		return err
	}
	if len(b.branch.lost) > 0 && !o.Redo {
		return &lostError{b.branch.lost}
	}
	root := r.Main.Root()
	if c.apart && b.branch.tip != "" { // without a commit, the drive creates its branch and work tree itself
		root = r.separateTree(c.issue)
	}
	if err := r.refuseDriven(root, c.issue); err != nil {
		return err
	}
	session, level := b.branch.session, o.Level
	if c.state != nil {
		session, level = cmp.Or(session, c.state.Session.StartedAtEpoch), cmp.Or(level, c.state.Session.Level)
	}
	if b.account, err = b.readTracker(ctx, session); err != nil {
		return err
	}
	if b.branch.name == "" { // its ref was lost, and perhaps its commits too
		b.branch.name = b.account.issue.Branch()
		b.branch.here, _ = r.tips(ctx, b.branch.name)
	}
	b.level, b.res.Title, b.branch.session = cmp.Or(level, r.cfg.Level), b.account.issue.Title, b.account.session
	switch {
	case !b.account.issue.Open:
		return &NothingError{fmt.Sprintf("#%s is closed: there is nothing to resume", c.issue)}
	case b.account.session == 0:
		return &NothingError{fmt.Sprintf("no commits and no record of a drive of #%s are left: warp drive %s starts one", c.issue, c.issue)}
	case b.level != 2 && b.level != 3:
		return turnstile.ErrLevel
	}
	return nil
}

// recorded returns the commits in the state or, without one, those of the newest session in the
// journal.
func (h history) recorded(c chosen) (list []string) {
	if c.state != nil {
		return c.state.CommitHashes
	}
	page := h.book.Of(c.issue, 0)
	began, _ := evidence.Last(page.Written, func(evidence.Written) bool { return true }) // each session records the criteria first
	for _, e := range page.Commits {
		if e.N > began.N || e.Row.Epoch != 0 && e.Row.Epoch == began.Row.Epoch {
			list = append(list, e.Row.Hash)
		}
	}
	return list
}

// locate determines where a drive's branch is, and where it should be.
func (h history) locate(ctx context.Context, issue, name string, recorded []string) (b branch, err error) {
	b = branch{trail: trail{issue: issue}, name: name, picked: map[string]string{}}
	here, there := h.tips(ctx, name)
	b.here = here
	if b.tip, err = h.furthest(ctx, issue, here, there); err != nil {
		return b, err
	}
	for _, hash := range slices.Backward(recorded) {
		if b.tip == "" && h.fetchCommit(ctx, hash) {
			b.tip = hash // the branch is gone, but not its last commit
		}
	}
	if b.tip == "" {
		b.lost = recorded
		return b, nil
	}
	if b.trail, err = h.trail(ctx, issue, b.tip); err != nil {
		return b, err
	}
	for _, hash := range recorded {
		in, err := h.contains(ctx, b.tip, b.trail, hash)
		switch {
		case err != nil:
			return b, err
		case in:
		case h.fetchCommit(ctx, hash):
			b.missing = append(b.missing, hash)
		default:
			b.lost = append(b.lost, hash)
		}
	}
	return b, nil
}

// pickMissing cherry-picks the missing commits onto the tip, in a separate work tree. It does not
// resolve conflicts: then nothing has changed.
func (b *restoration) pickMissing(ctx context.Context) error {
	to := &b.branch
	if len(to.missing) == 0 {
		return nil
	}
	tree, err := b.in.Tree.Apart().Checkout(ctx, "recover-"+text.Hash(to.missing[0]), to.tip)
	if err != nil {
		return fmt.Errorf("creating a work tree for the cherry-picks: %w", err)
	}
	defer func() { _ = b.in.Tree.Apart().Abandon(context.WithoutCancel(ctx), tree.Top()) }() // warp clean removes leftovers
	run := func(args ...string) (string, error) {
		out, err := git.Repo{Dir: tree.Top()}.Must(ctx, git.Call{Args: args, Pass: isIdentity, Env: []string{"GIT_EDITOR=:"}, Limit: 10 * time.Minute})
		return strings.TrimSpace(string(out)), err
	}
	for _, hash := range to.missing {
		if err := pickOne(run, hash); err != nil {
			return fmt.Errorf("picking the commit %s onto %s: %w; nothing was changed. Pick it by hand (git switch %s, git cherry-pick %s), then try again", text.Hash(hash), to.name, err, to.name, text.Hash(hash))
		}
		now, err := run("rev-parse", "HEAD")
		if err != nil {
			return err
		}
		if now != to.tip {
			to.picked[now], to.tip = hash, now
			b.res.Picked = append(b.res.Picked, hash)
		}
	}
	to.trail, err = b.in.trail(ctx, to.issue, to.tip)
	to.session = max(to.session, b.account.session)
	return err
}

// pickOne cherry-picks a commit, and skips one whose changes are already there. Any other failure
// is an error: a commit that git could not sign was once skipped, and silently lost.
func pickOne(run func(args ...string) (string, error), hash string) error {
	_, failed := run("cherry-pick", "--allow-empty", hash)
	if failed == nil {
		return nil
	}
	files, err := run("diff", "--name-only", "--diff-filter=U")
	if err != nil {
		return err
	}
	if files != "" {
		return fmt.Errorf("it conflicts with the branch in %s", strings.Join(strings.Fields(files), ", "))
	}
	_, changed := run("diff", "--cached", "--quiet", "HEAD")
	if _, err := run("cherry-pick", "--skip"); changed != nil || err != nil { // fails if no cherry-pick was in progress
		return failed
	}
	return nil
}

// rewrite writes the state of a drive whose branch is where it should be.
func (b *restoration) rewrite(ctx context.Context, at *turnstile.Drive) error {
	hold, err := b.in.takeLease(at.Store(), engineLease)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	if err := b.completeJournal(ctx); err != nil {
		return err
	}
	if err := b.excludeLeftovers(ctx, at); err != nil {
		return err
	}
	f := b.collectFacts()
	known := f.recovered()
	known.Issue, known.Level, known.Epoch = b.branch.issue, b.level, b.branch.session
	v, err := at.Recover(ctx, known)
	if err != nil {
		return err
	}
	b.in.notes = append(b.in.notes, v.Notes...)
	if c := b.drive; c.state != nil && c.Root() != at.Root() && turnstile.HasState(c.Root()) {
		if _, err := c.Reset(); err != nil { // the drive is elsewhere now; the journal has its past
			return err
		}
	}
	b.res.Phase, b.res.Total = v.State.Phase, v.State.Chunk.Total
	for _, c := range f.chunks {
		if c.done {
			b.res.Done++
		}
	}
	if at.Root() != b.in.Main.Root() {
		b.res.Next += " --worktree"
	}
	return nil
}

// excludeLeftovers keeps leftovers of an agent's run out of the present chunk's base: they are the
// chunk's work.
func (b *restoration) excludeLeftovers(ctx context.Context, at *turnstile.Drive) error {
	r := b.in
	g, err := guard.New(guard.Options{Root: at.Root(), Store: at.Store(), State: r.State, Name: "drive", Now: r.Env.Now, Remark: r.note})
	if err != nil {
		return err
	}
	left, err := g.Leftovers(ctx, "drive #"+b.branch.issue+" ")
	if err != nil || len(left) == 0 {
		return err
	}
	tree, err := at.Tree.Fingerprint()
	if err != nil {
		return err
	}
	head, err := g.Work.Repo().Head()
	if err != nil {
		return err
	}
	if tree, err = g.Work.Repo().Trees().Graft(ctx, tree, head, left); err == nil {
		at.Tree.AssumeUnchanged(tree)
		r.note("unfinished work of an agent stays in the work tree, as part of the chunk: %s", text.Quote(left, 5))
	}
	return err
}
