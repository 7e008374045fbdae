package guard

import (
	"errors"
	"strings"
	"testing"
)

// What a person changes between two runs is found without a run, once. While a run is in progress
// it is not looked for like that: what the run did to refs has to be reverted first.
func TestBetweenFindsAPersonsChanges(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), "echo by the agent > agent.txt")
	s.sh("echo theirs > theirs.txt; echo theirs >> code.txt")
	for _, want := range []string{"code.txt theirs.txt", ""} {
		paths, ok, err := s.guard.Between(t.Context(), s.scope())
		if have := strings.Join(paths, " "); have != want || !ok || err != nil {
			t.Errorf("%q, want %q (%v, %v)", have, want, ok, err)
		}
	}
	r, err := s.guard.Before(t.Context(), s.scope())
	if err != nil || len(r.Between) > 0 {
		t.Fatal(r, err)
	}
	if _, ok, err := s.guard.Between(t.Context(), s.scope()); ok || err != nil {
		t.Errorf("it was looked for while a run is in progress (%v)", err)
	}
	s.sh("echo more >> theirs.txt")
	out, err := r.After(t.Context())
	if err != nil || strings.Join(out.Yours, " ") != "theirs.txt" {
		t.Errorf("%+v %v", out, err)
	}
	s.sh("rm -rf .git")
	if _, _, err := s.guard.Between(t.Context(), s.scope()); !errors.As(err, new(*GoneError)) {
		t.Error(err)
	}
}
