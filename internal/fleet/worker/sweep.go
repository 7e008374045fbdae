package worker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"warp/internal/core/evidence"
	"warp/internal/core/fleetfile"
	"warp/internal/durable"
	"warp/internal/fleet/flow"
	"warp/internal/sys/git"
)

const (
	sweepTime = 5 * time.Minute // interval between sweeps
	askTime   = 5 * time.Second // timeout for asking a requirement whether it has ended
)

// sweep removes the leftovers of finished requirements until the context ends. A worker once filled
// its disk with clones of merged issues.
func (w *Worker) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepTime)
	defer tick.Stop()
	for {
		if fleet, err := w.askFleet(ctx); err == nil { // skip it while the fleet is away
			w.removeFinished(ctx, fleet)
		}
		w.seats.removeIdle()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// removeFinished removes the clones of requirements whose outcome and evidence the fleet has. It
// keeps unfinished ones: their work may be nowhere else.
func (w *Worker) removeFinished(ctx context.Context, fleet flow.FleetStatus) {
	open := map[string]bool{}
	for _, list := range [][]flow.Item{fleet.Running, fleet.Parked} {
		for _, i := range list {
			open[i.ID()] = true
		}
	}
	for _, q := range fleet.Queue {
		open[q.ID()] = true
	}
	repos, _ := os.ReadDir(w.Folder) // unreadable folders are kept
	for _, r := range repos {
		dir := filepath.Join(w.Folder, r.Name())
		for issue, folders := range listClones(dir) {
			if ctx.Err() != nil || open[r.Name()+"#"+issue] {
				continue
			}
			l := leftover{id: flow.RequirementID(fleet.Scope, r.Name(), issue), dir: dir, folders: folders, work: flow.Work{Repository: fleetfile.Repository{Name: r.Name()}, Issue: issue}}
			if err := w.removeClones(ctx, l); err != nil {
				w.tell("a clone that is no longer needed was not removed: " + err.Error())
			}
		}
	}
}

// Clones are in folders issue-NUMBER, those of broken attempts in issue-NUMBER.attempt-N. A clone
// being removed ends with goneSuffix.
const (
	clonePrefix = "issue-"
	asideMark   = ".attempt-"
	goneSuffix  = ".gone"
)

// listClones returns the clones of a repository, by issue.
func listClones(dir string) map[string][]string {
	found := map[string][]string{}
	list, _ := os.ReadDir(dir) // unreadable folders are kept
	for _, e := range list {
		issue, ok := strings.CutPrefix(e.Name(), clonePrefix)
		issue, _, _ = strings.Cut(strings.TrimSuffix(issue, goneSuffix), asideMark)
		if ok && e.IsDir() && issue != listIssue {
			found[issue] = append(found[issue], filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// leftover describes the clones of a requirement that is not open.
type leftover struct {
	id      string // its workflow's id
	work    flow.Work
	dir     string // the repository's folder
	folders []string
}

// removeClones removes the removable folders of a requirement and the files next to them. It renames
// them first, and deletes them once no step can be waiting for the seat.
func (w *Worker) removeClones(ctx context.Context, l leftover) error {
	s := w.seats.find(l.work)
	if !s.TryLock() { // a step is running
		return nil
	}
	gone, err := w.putAway(ctx, s, l)
	s.Unlock()
	for _, folder := range gone {
		err = errors.Join(err, durable.RemoveFolder(folder))
	}
	return err
}

func (w *Worker) putAway(ctx context.Context, s *seat, l leftover) (gone []string, err error) {
	if s.drive != nil || s.removed {
		return nil, nil
	}
	removable := judgeEnd(ctx, w.Client, l.id)
	if removable == nil {
		return nil, nil
	}
	for _, folder := range l.folders {
		if strings.HasSuffix(folder, goneSuffix) {
			gone = append(gone, folder)
			continue
		}
		if !removable(ctx, folder) {
			continue
		}
		to := folder + goneSuffix
		if err := errors.Join(durable.RemoveFolder(to), durable.MoveFile(folder, to)); err != nil {
			return gone, err
		}
		gone = append(gone, to)
	}
	if len(gone) == len(l.folders) {
		err = errors.Join(durable.RemoveFile(filepath.Join(l.dir, clonePrefix+l.work.Issue+".attempt")), durable.RemoveFile(filepath.Join(l.dir, logName(l.work))))
	}
	return gone, err
}

// judgeEnd asks the requirement how it ended, and returns which of its folders may go; nil if none.
// A requirement with a pull request may be continued, so only pushed folders go.
func judgeEnd(ctx context.Context, c client.Client, id string) func(context.Context, string) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var r flow.RequirementStatus
	if err := flow.Ask(ctx, c, id, &r); err != nil || r.Outcome == nil || !r.Proven {
		return nil
	}
	return map[evidence.Result]func(context.Context, string) bool{
		evidence.Merged: func(context.Context, string) bool { return true },
		evidence.Pull:   isPushed,
	}[evidence.Result(r.Outcome.Result)]
}

// isPushed reports whether everything in a clone is on its remote.
func isPushed(ctx context.Context, dir string) bool {
	for _, args := range [][]string{{"status", "--porcelain", "--untracked-files=all"}, {"stash", "list"}, {"log", "-1", "--format=%H", "HEAD", "--branches", "--not", "--remotes"}} {
		if out, err := (git.Repo{Dir: dir}).Must(ctx, git.Call{Args: args}); err != nil || len(bytes.TrimSpace(out)) > 0 {
			return false
		}
	}
	return true
}
