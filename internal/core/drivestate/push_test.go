package drivestate

import "testing"

func TestTheMergeTargetIsGuardedAlsoWhenTheDriveWorksOnIt(t *testing.T) {
	main := "main"
	s := &State{Phase: Committing, Branch: &main, MergeTarget: "main", Session: Session{Level: 2}}
	for _, branch := range []string{"", "main"} {
		if p, err := s.Guards().Permit("git_push", branch); err != nil || p.Allowed {
			t.Errorf("push of %q: %+v %v", branch, p, err)
		}
	}
}
