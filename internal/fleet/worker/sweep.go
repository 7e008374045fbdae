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
	sweepTime = 5 * time.Minute // between two looks for what is not needed any more
	askTime   = 5 * time.Second // for the word that a requirement has ended
)

// sweep removes what finished requirements have left here, until the context is over. A
// worker once filled its disk with the clones of merged issues.
func (w *Worker) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepTime)
	defer tick.Stop()
	for {
		if fleet, err := w.askFleet(ctx); err == nil { // one that is away has no word
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

// removeFinished removes the clones of requirements that the fleet has the outcome and the
// evidence of. What is not finished stays: its work may be nowhere else.
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
	repos, _ := os.ReadDir(w.Folder) // what cannot be read is not removed
	for _, r := range repos {
		dir := filepath.Join(w.Folder, r.Name())
		for issue, folders := range listClones(dir) {
			if ctx.Err() != nil || open[r.Name()+"#"+issue] {
				continue
			}
			l := leftover{id: flow.RequirementID(fleet.Scope, r.Name(), issue), dir: dir, folders: folders, work: flow.Work{Repository: fleetfile.Repository{Name: r.Name()}, Issue: issue}}
			if err := w.removeClones(ctx, l); err != nil {
				w.tell("a clone that is not needed any more stays: " + err.Error())
			}
		}
	}
}

// Clones are in folders issue-NUMBER, those of broken attempts in issue-NUMBER.attempt-N; one
// that is being removed is called goneSuffix.
const (
	clonePrefix = "issue-"
	asideMark   = ".attempt-"
	goneSuffix  = ".gone"
)

// listClones are the folders of a repository's issues, by issue.
func listClones(dir string) map[string][]string {
	found := map[string][]string{}
	list, _ := os.ReadDir(dir) // what cannot be read is not removed
	for _, e := range list {
		issue, ok := strings.CutPrefix(e.Name(), clonePrefix)
		issue, _, _ = strings.Cut(strings.TrimSuffix(issue, goneSuffix), asideMark)
		if ok && e.IsDir() && issue != listIssue {
			found[issue] = append(found[issue], filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// leftover is what a requirement that is not open has here.
type leftover struct {
	id      string // of its workflow
	work    flow.Work
	dir     string // of the repository
	folders []string
}

// removeClones removes the folders of a requirement whose time has come, and what stands
// beside them. They get out of the way at once, and are removed when no step can be waiting.
func (w *Worker) removeClones(ctx context.Context, l leftover) error {
	s := w.seats.find(l.work)
	if !s.TryLock() { // a step is under way
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

// judgeEnd asks the requirement how it ended, and tells which of its folders may go; nil: none.
// Of one that has a pull request, all that is pushed: it may be continued.
func judgeEnd(ctx context.Context, c client.Client, id string) func(context.Context, string) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var r flow.RequirementStatus
	v, err := c.QueryWorkflow(ctx, id, "", flow.Status)
	if err != nil || v.Get(&r) != nil || r.Outcome == nil || !r.Proven {
		return nil
	}
	return map[evidence.Result]func(context.Context, string) bool{
		evidence.Merged: func(context.Context, string) bool { return true },
		evidence.Pull:   isPushed,
	}[evidence.Result(r.Outcome.Result)]
}

// isPushed tells whether a clone has nothing that its remote has not.
func isPushed(ctx context.Context, dir string) bool {
	for _, args := range [][]string{{"status", "--porcelain", "--untracked-files=all"}, {"stash", "list"}, {"log", "-1", "--format=%H", "HEAD", "--branches", "--not", "--remotes"}} {
		if out, err := (git.Repo{Dir: dir}).Must(ctx, git.Call{Args: args}); err != nil || len(bytes.TrimSpace(out)) > 0 {
			return false
		}
	}
	return true
}
