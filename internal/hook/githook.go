package hook

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// runGitHook answers git's own hooks, reference-transaction and pre-push. Git cannot tell
// sessions apart, so it guards the branches of an active drive against all of them, and each
// refusal says how a person can allow the change.
func runGitHook(args []string, env Env) int {
	if len(args) == 0 {
		return 0
	}
	g := gitCall{env: env, place: git.At(gitFolder(env))}
	var err error
	switch lines := readLines(env); {
	case args[0] == "reference-transaction" && len(args) > 1:
		err = g.transaction(args[1], lines)
	case args[0] == "pre-push":
		err = g.push(lines)
	}
	if err != nil {
		fmt.Fprintf(env.Err, "%s%v\n", prefix, err)
		return 1
	}
	return 0
}

type gitCall struct {
	env   Env
	place git.Place
}

// gitFolder returns the git directory of the repository that git runs the hook for.
func gitFolder(env Env) string {
	dir := env.Getenv("GIT_DIR")
	if dir == "" {
		dir = ".git"
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir(), dir)
	}
	if place, ok := git.Locate(filepath.Dir(dir)); ok && filepath.Base(dir) == ".git" {
		return place.GitDir() // .git may be a file
	}
	return filepath.Clean(dir)
}

func readLines(env Env) [][]string {
	var lines [][]string
	for scan := bufio.NewScanner(env.In); scan.Scan(); {
		lines = append(lines, strings.Fields(scan.Text()))
	}
	return lines
}

// active lists the active drives in all work trees of the repository. It fails if the state of
// one cannot be read: the move is refused then, because no one can tell whether it is allowed.
func (g gitCall) active() ([]guarded, error) {
	var list []guarded
	roots := slices.Concat(g.place.Worktrees(), turnstile.ActiveProjects(g.place))
	slices.Sort(roots)
	for _, top := range slices.Compact(roots) {
		if session, lost := turnstile.FindLostDrive(top); lost && session != "" {
			return nil, fmt.Errorf("the state of the drive in %s is gone, and warp did not remove it: restore it with warp doctor --rebuild, or end it with warp stop --hard there", top)
		}
		if !turnstile.HasState(top) {
			continue
		}
		d := turnstile.Open(top, g.env.System)
		if s := d.Glance().State; s != nil && !s.Phase.Active() && !turnstile.IsRegistered(top) {
			continue
		}
		v, err := d.Read()
		switch {
		case err == nil && !v.State.Phase.Active() && v.Foreign && turnstile.IsRegistered(top):
			return nil, fmt.Errorf("the state of the drive in %s says that it is over, and warp did not write that: restore it with warp doctor --rebuild, or end it with warp stop --hard there", top)
		case durable.IsMissing(err):
		case err != nil:
			return nil, fmt.Errorf("the drive in %s cannot be read, so its branches cannot change: %w (warp doctor says how to fix it)", top, err)
		case v.State.Phase.Active():
			list = append(list, guarded{d, v.State})
		}
	}
	return list, nil
}

type guarded struct {
	drive *turnstile.Drive
	state *drivestate.State
}

const heads = "refs/heads/"

// transaction checks a change of references. Git calls it with "prepared", when the change can
// still be refused, and with "committed", once it has happened.
func (g gitCall) transaction(state string, lines [][]string) error {
	var moves []drivestate.Move
	for _, l := range lines {
		if len(l) == 3 && strings.HasPrefix(l[2], heads) {
			moves = append(moves, drivestate.Move{Branch: strings.TrimPrefix(l[2], heads), Old: hashOrNone(l[0]), New: hashOrNone(l[1])})
		}
	}
	if len(moves) == 0 || state != "prepared" && state != "committed" {
		return nil
	}
	drives, err := g.active()
	if err != nil {
		return err
	}
	for _, d := range drives {
		for _, m := range moves {
			if !slices.Contains(d.state.Guards().Branches(), m.Branch) {
				continue
			}
			err := g.permit(d, m)
			if state == "prepared" && err != nil {
				return err
			}
			if state == "committed" && err == nil { // a move that was refused must not count as seen
				if err := d.drive.Watch.RecordMoves("git", m); err != nil {
					return fmt.Errorf("journalling that %s moved: %w", m.Branch, err)
				}
			}
		}
	}
	return nil
}

func hashOrNone(s string) string {
	if strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

// permit returns why a guarded branch may not make this move now; nil if it may.
func (g gitCall) permit(d guarded, m drivestate.Move) error {
	s, now := d.state, g.env.System.Now()
	repo := git.Repo{Dir: d.drive.Root()}
	was, watched := s.Watch[m.Branch]
	if !watched || was.Tip == "" { // the branch is being created
		named, err := repo.Named(m.New)
		if err == nil && named || m.New == "" {
			return nil
		}
	}
	if m.New == was.Tip && watched { // back to its recorded tip, or no move at all
		return nil
	}
	p := s.Guards().MayMove(m.Branch, now)
	switch {
	case !p.Allowed && d.drive.Watch.CatchesUp(s, m):
		return nil
	case !p.Allowed:
		return refuseMove(m, p.Reason)
	case s.Override.InForce(now):
		return nil
	case s.Phase == drivestate.Merging && m.Branch == s.BranchName() && m.New != "":
		return nil // merging may rebase it
	case m.New == "":
		return refuseMove(m, "the branch of an active drive cannot be deleted")
	case was.PhaseTip == "":
		return nil
	}
	descends, err := repo.Descends(m.New, was.PhaseTip)
	if err != nil {
		return refuseMove(m, err.Error())
	}
	if !descends {
		return refuseMove(m, "it would drop commits that were there when the phase began")
	}
	return nil
}

func refuseMove(m drivestate.Move, why string) error {
	return fmt.Errorf("%s is guarded by an active drive: %s. A person can allow it with: warp override --reason \"…\"", m.Branch, why)
}

// push checks a push before git sends anything.
func (g gitCall) push(lines [][]string) error {
	drives, err := g.active()
	if err != nil {
		return err
	}
	for _, d := range drives {
		for _, l := range lines {
			if len(l) != 4 || !strings.HasPrefix(l[2], heads) || d.state.Override.InForce(g.env.System.Now()) {
				continue
			}
			if err := g.permitPush(d, strings.TrimPrefix(l[2], heads), hashOrNone(l[1]), hashOrNone(l[3])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g gitCall) permitPush(d guarded, branch, local, remote string) error {
	if !slices.Contains(d.state.Guards().Branches(), branch) {
		return nil // not a branch of the drive
	}
	m := drivestate.Move{Branch: branch}
	// While coding, warp reverts a chunk that it gives up after its commit. Only warp writes the
	// branch's journalled tip, so a push of exactly that commit is its own.
	journalled := branch == d.state.BranchName() && remote != "" && local != "" && local == d.state.Watch[branch].Tip
	if p, err := d.state.Guards().Permit("git_push", branch); (err != nil || !p.Allowed) && !journalled {
		return refuseMove(m, p.Reason)
	}
	if local == "" {
		return refuseMove(m, "the branch of an active drive cannot be deleted")
	}
	if remote == "" {
		return nil
	}
	descends, err := git.Repo{Dir: d.drive.Root()}.Descends(local, remote)
	if err != nil {
		var unknown *git.Failure // the remote has commits that we lack: not a fast-forward
		if !errors.As(err, &unknown) {
			return refuseMove(m, err.Error())
		}
	}
	if !descends {
		return refuseMove(m, "a force push is never allowed: fetch and rebase first")
	}
	return nil
}
