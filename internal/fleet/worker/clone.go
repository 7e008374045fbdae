package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/fleet/flow"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
)

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (w *Worker) cloneFolder(work flow.Work) string {
	return filepath.Join(w.Folder, unsafeName.ReplaceAllString(work.Repository.Name, "-"), clonePrefix+unsafeName.ReplaceAllString(work.Issue, "-"))
}

// logName returns the name of the drive's log file, next to the clone.
func logName(work flow.Work) string {
	return "log-" + unsafeName.ReplaceAllString(work.Issue, "-") + ".txt"
}

// prepareClone returns the requirement's own clone. It keeps an existing one for its drive's state,
// unless that is stale.
func (w *Worker) prepareClone(ctx context.Context, work flow.Work) (string, error) {
	repo, dir := work.Repository, w.cloneFolder(work)
	if git.IsTop(dir) {
		fresh, err := setStaleAside(dir, work.Attempt)
		if err != nil || !fresh {
			return dir, errors.Join(err, w.setTracker(ctx, dir, repo.Tracker))
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	if err := gitwrite.Clone(ctx, repo.URL, dir, repo.Target); err != nil {
		return "", fmt.Errorf("clone %s on %s: %s (git there must be able to read it without a person)", repo.Name, w.Name, firstLine(err))
	}
	return dir, w.setTracker(ctx, dir, repo.Tracker)
}

// setTracker configures a clone's tracker until an attempt is recorded there: a worker may have died
// between the clone and this.
func (w *Worker) setTracker(ctx context.Context, dir, tracker string) error {
	if _, err := durable.ReadPlain(dir + ".attempt"); tracker == "" || err == nil {
		return nil
	}
	_, err := w.runWarp(ctx, dir, proc.Cmd{}, "config", "set", "forge", tracker)
	return err
}

// setStaleAside moves a clone away if its attempt broke off and another worker had the requirement
// since: its leftovers would conflict with what was pushed meanwhile. The clone is kept under a name
// with its attempt.
func setStaleAside(dir string, attempt int) (bool, error) {
	if attempt == 0 {
		return false, nil
	}
	note := dir + ".attempt"
	noted, err := durable.ReadPlain(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	last, _ := strconv.Atoi(strings.TrimSpace(string(noted)))
	stale := last > 0 && last < attempt-1
	if stale {
		aside := fmt.Sprintf("%s%s%d", dir, asideMark, last)
		if err := errors.Join(durable.RemoveFolder(aside), durable.MoveFile(dir, aside)); err != nil {
			return false, err
		}
	}
	return stale, nil
}

// runWarp returns what a warp command prints.
func (w *Worker) runWarp(ctx context.Context, dir string, limits proc.Cmd, args ...string) ([]byte, error) {
	limits.Argv, limits.Dir, limits.Env = append([]string{w.Warp}, args...), dir, withoutFleet(w.Environ)
	res, err := proc.Run(ctx, limits)
	switch {
	case err != nil:
		return nil, err
	case res.TimedOut:
		return nil, fmt.Errorf("warp %s took too long", args[0])
	case res.Exit != 0:
		return nil, fmt.Errorf("warp %s: %s", strings.Join(args, " "), text.LastLine(string(res.Stderr)))
	}
	return res.Stdout, nil
}

// firstLine returns the first line of git's error; the others are its advice for other cases.
func firstLine(err error) string {
	why, _, _ := strings.Cut(err.Error(), "\n")
	return why
}
