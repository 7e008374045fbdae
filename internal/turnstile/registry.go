package turnstile

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// registryFolder is a folder in the repository's common git folder with one file per project with
// an unfinished drive. Git's hooks use it to find drives in folders below the top of a work tree,
// and to notice that a state was deleted behind warp's back.
const registryFolder = "warp-drives"

func registryFile(root string) (string, bool) {
	place, ok := git.Locate(root)
	if !ok {
		return "", false
	}
	sum := fnv.New64a()
	sum.Write([]byte(root))
	return filepath.Join(place.Common(), registryFolder, fmt.Sprintf("%016x", sum.Sum64())), true
}

// registerDrive records that the project has an unfinished drive. The record only double-checks the
// state, so a failure to write it does not stop the drive.
func registerDrive(root, session string) {
	file, ok := registryFile(root)
	if !ok || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = durable.WriteFile(file, []byte(root+"\n"+session+"\n"), 0o644)
}

// unregisterDrive removes the record.
func unregisterDrive(root string) {
	if file, ok := registryFile(root); ok {
		_ = durable.RemoveFile(file) // a record without a drive does no harm
	}
}

// readRecord returns the project of a record and the session that owned its drive.
func readRecord(file string) (root, session string, err error) {
	text, err := durable.ReadPlain(file)
	root, session, _ = strings.Cut(string(text), "\n")
	return root, strings.TrimSpace(session), err
}

// FindLostDrive reports whether the project has a drive whose state is gone, and which session
// owned it.
func FindLostDrive(root string) (session string, lost bool) {
	file, ok := registryFile(root)
	if !ok {
		return "", false
	}
	_, session, err := readRecord(file)
	if err != nil || HasState(root) {
		return "", false
	}
	return session, true
}

// IsRegistered reports whether the project has a record of an unfinished drive.
func IsRegistered(root string) bool {
	file, ok := registryFile(root)
	return ok && exists(file)
}

// WasTakenFrom reports whether something other than warp wrote into the state that a session's
// drive is over or belongs to another session. It fixes a record that is merely outdated.
func (d *Drive) WasTakenFrom(session string) bool {
	file, ok := registryFile(d.Root())
	if !ok || session == "" {
		return false
	}
	if _, noted, err := readRecord(file); err != nil || noted != session {
		return false
	}
	v, err := d.Peek()
	switch {
	case err != nil || v.State.Session.ClaudeSession == session && v.State.Phase.Active():
		return false
	case v.Foreign:
		return true
	case v.State.Phase.Active():
		registerDrive(d.Root(), v.State.Session.ClaudeSession)
	default:
		unregisterDrive(d.Root())
	}
	return false
}

// ActiveProjects lists the projects of a repository that have an unfinished drive.
func ActiveProjects(place git.Place) []string {
	files, _ := filepath.Glob(filepath.Join(place.Common(), registryFolder, "*")) // the pattern is well-formed
	var roots []string
	for _, f := range files {
		root, _, err := readRecord(f)
		if err == nil && root != "" && !strings.HasSuffix(f, ".tmp") { // a temporary file: warp was killed while writing it
			roots = append(roots, root)
		}
	}
	return roots
}

// TellDrives tells the unfinished drives of a repository, except one, that an engine moved a
// branch, so that they do not take it for a foreign move.
func TellDrives(place git.Place, except, engine string, m drivestate.Move) (errs []error) {
	for _, root := range ActiveProjects(place) {
		if root == except || !HasState(root) {
			continue
		}
		if err := Open(root, Bare()).Watch.RecordMoves(engine, m); err != nil {
			errs = append(errs, fmt.Errorf("another drive was not told that %s moved: %w", m.Branch, err))
		}
	}
	return errs
}

// ForgetProject removes the record of an unfinished drive whose folder is gone.
func ForgetProject(root string) {
	if !HasState(root) {
		unregisterDrive(root)
	}
}
