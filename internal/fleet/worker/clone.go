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

// logName is the file beside a clone that has what its drive said.
func logName(work flow.Work) string {
	return "log-" + unsafeName.ReplaceAllString(work.Issue, "-") + ".txt"
}

// prepareClone is the requirement's own clone. One that is there already has a drive in
// it, whose state is worth more than a fresh one.
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
		why, _, _ := strings.Cut(err.Error(), "\n") // git adds advice for other cases
		return "", fmt.Errorf("clone %s on %s: %s (git there must be able to read it without a person)", repo.Name, w.Name, why)
	}
	return dir, w.setTracker(ctx, dir, repo.Tracker)
}

// setTracker says in a clone which tracker it has, until an attempt has been noted there: a
// worker may have died between the clone and this.
func (w *Worker) setTracker(ctx context.Context, dir, tracker string) error {
	if _, err := durable.ReadPlain(dir + ".attempt"); tracker == "" || err == nil {
		return nil
	}
	return w.runWarp(ctx, dir, "config", "set", "forge", tracker)
}

// setStaleAside puts a clone away in which an earlier attempt was broken off, when another
// worker has had the requirement since: what its agent left there is in the way of what was
// pushed meanwhile. It is kept beside, under its attempt.
func setStaleAside(dir string, attempt int) (bool, error) {
	if attempt == 0 {
		return false, nil
	}
	note := dir + ".attempt"
	text, err := durable.ReadPlain(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	last, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	stale := last > 0 && last < attempt-1
	if stale {
		aside := fmt.Sprintf("%s%s%d", dir, asideMark, last)
		if err := errors.Join(durable.RemoveFolder(aside), durable.MoveFile(dir, aside)); err != nil {
			return false, err
		}
	}
	return stale, nil
}

// noteAttempt writes down which attempt has the clone.
func noteAttempt(dir string, attempt int) error {
	return durable.WriteFile(dir+".attempt", []byte(strconv.Itoa(attempt)+"\n"), 0o600)
}

// runWarp runs a command of warp in a clone.
func (w *Worker) runWarp(ctx context.Context, dir string, args ...string) error {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{w.Warp}, args...), Dir: dir, Env: withoutFleet(w.Environ)})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("warp %s: %s", strings.Join(args, " "), lastLine(string(res.Stderr)))
	}
	return err
}
