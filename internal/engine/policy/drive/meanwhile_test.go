package drive_test

import (
	"os"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/proc"
)

// Another drive merges after this one has committed and before it has said so, and tells of
// it late: neither the merge nor the commit is a foreign move.
func TestAMergeBesideACommit(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	var hold *durable.Lease
	var move drivestate.Move
	s.change = func(e *drive.Engine) {
		passed, tell := e.Passed, e.Tell
		e.Passed = func(p string) {
			if passed(p); p != "commit recorded" || hold != nil {
				return
			}
			stamp, _ := proc.Started(os.Getpid())
			var err error
			hold, _, err = s.store().Acquire("warp-merge", durable.Process{PID: os.Getpid(), Stamp: stamp, Host: "here"}, proc.Started)
			s.must(err)
			move = drivestate.Move{Branch: "main", Old: s.sh("git rev-parse main")}
			move.New = s.sh("git commit-tree -p main -m theirs 'main^{tree}'")
			s.sh("git update-ref refs/heads/main " + move.New)
		}
		e.Tell = func(n drive.Note) {
			if tell(n); hold != nil && strings.Contains(n.Text, "which is merging") {
				s.must(e.Drive.Watch.RecordMoves("drive", move))
				s.must(hold.Release())
			}
		}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.says("which is merging")
	s.want("main", s.sh("git log --format=%s -2 main"), "feat: Thing 1 (#1)\ntheirs")
}
