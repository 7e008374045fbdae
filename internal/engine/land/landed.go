package land

import (
	"errors"
	"fmt"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
)

// RecordLanded records in the journal that a branch has landed. Sweep deletes branches by that
// record, even if this process is killed before.
func RecordLanded(l *Lander, row evidence.Landed) error {
	if l.Remote != nil {
		var err error
		if row.Pushed, err = l.Work.Repo().Ref("refs/remotes/" + l.Remote.Name + "/" + row.Branch); err != nil && !errors.Is(err, git.ErrNoRef) {
			return err
		}
	}
	if err := l.Home.AppendSynced(event.Landed, row); err != nil {
		return fmt.Errorf("keeping that %s has landed: %w", row.Branch, err)
	}
	l.pass("landed")
	return nil
}
