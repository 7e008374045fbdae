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

// registryFolder is a folder under the repository's common git folder with one file
// for each project whose drive is unfinished. By it git's hooks find drives in
// folders below the top of a work tree, and a hook notices that a state was
// deleted behind warp's back.
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

// registerDrive notes that the project has an unfinished drive. It is a second
// look at what the state says: that it cannot be written does not stop a drive.
func registerDrive(root, session string) {
	file, ok := registryFile(root)
	if !ok || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = durable.WriteFile(file, []byte(root+"\n"+session+"\n"), 0o644)
}

// unregisterDrive takes the note back.
func unregisterDrive(root string) {
	if file, ok := registryFile(root); ok {
		_ = durable.RemoveFile(file)
	}
}

// FindLostDrive tells whether the project has a drive whose state is gone, and to which
// session it belonged.
func FindLostDrive(root string) (session string, lost bool) {
	file, ok := registryFile(root)
	if !ok {
		return "", false
	}
	text, err := durable.ReadPlain(file)
	if err != nil || HasState(root) {
		return "", false
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(rest), true
}

// IsRegistered tells whether the project is noted to have an unfinished drive.
func IsRegistered(root string) bool {
	file, ok := registryFile(root)
	return ok && exists(file)
}

// WasTakenFrom tells whether the state says that a session's drive is over, or another's,
// and something else than warp wrote that. A note that only came to lag behind is put right.
func (d *Drive) WasTakenFrom(session string) bool {
	file, ok := registryFile(d.Root())
	if !ok || session == "" {
		return false
	}
	text, err := durable.ReadPlain(file)
	if err != nil {
		return false
	}
	_, noted, _ := strings.Cut(string(text), "\n")
	if strings.TrimSpace(noted) != session {
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
		if text, err := durable.ReadPlain(f); err == nil {
			root, _, _ := strings.Cut(string(text), "\n")
			if root != "" && !strings.HasSuffix(f, ".tmp") { // that one was being written when warp was killed
				roots = append(roots, root)
			}
		}
	}
	return roots
}

// TellDrives tells the unfinished drives of a repository, but for one, that an engine has
// moved a branch: it is no foreign move.
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

// ForgetProject takes back the note that a project has an unfinished drive, whose
// folder is gone.
func ForgetProject(root string) {
	if file, ok := registryFile(root); ok && !HasState(root) {
		_ = durable.RemoveFile(file) // a note without a drive does no harm
	}
}
