package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/trustledger"
)

func open(vars map[string]string) *Store {
	return Open(func(n string) string { return vars[n] }, time.Now, os.Getpid())
}

func refused(err error) bool {
	var not *trustledger.Untrusted
	return errors.As(err, &not)
}

func TestLedgerIsKeptOutsideAndPrivate(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	file := filepath.Join(project, "dev.json")
	s := open(map[string]string{"HOME": home})
	if err := s.Check(file, []byte("a")); !refused(err) {
		t.Errorf("check: %v", err)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Error("a look made a ledger")
	}
	if err := s.Allow(file, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := open(map[string]string{"HOME": home}).Check(file, []byte("a")); err != nil {
		t.Error(err)
	}
	if err := s.Check(file, []byte("b")); !refused(err) {
		t.Errorf("changed: %v", err)
	}
	info, err := os.Stat(filepath.Join(home, ".local", "state", "warp", "trust.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := os.ReadDir(project); len(left) > 0 {
		t.Error("something was written into the project")
	}
	if had, err := s.Revoke(file); err != nil || !had {
		t.Errorf("revoke: %v, %v", had, err)
	}
	if had, err := s.Revoke(file); err != nil || had {
		t.Errorf("revoke again: %v, %v", had, err)
	}
	if err := s.Check(file, []byte("a")); !refused(err) {
		t.Errorf("revoked: %v", err)
	}
}

// A project has one name, by whichever link it was reached; a link in its place
// that leads elsewhere is another.
func TestLinksToAProjectAreFollowed(t *testing.T) {
	home, project, other := t.TempDir(), t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	s := open(map[string]string{"HOME": home})
	if err := s.Allow(filepath.Join(link, "dev.json"), []byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(filepath.Join(project, "dev.json"), []byte("a")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(filepath.Join(link, "dev.json"), []byte("a")); !refused(err) {
		t.Errorf("another project behind the same link: %v", err)
	}
}

func TestWithoutAHomeNothingIsTrusted(t *testing.T) {
	for _, vars := range []map[string]string{{}, {"HOME": "relative"}, {"XDG_STATE_HOME": ".state"}} {
		s := open(vars)
		file := filepath.Join(t.TempDir(), "dev.json")
		if s.Check(file, []byte("a")) == nil || s.Allow(file, []byte("a")) == nil {
			t.Errorf("%v: trusted", vars)
		}
	}
	dir := t.TempDir()
	if got, err := Folder(func(n string) string { return map[string]string{"XDG_STATE_HOME": dir, "HOME": "/h"}[n] }); err != nil || got != filepath.Join(dir, "warp") {
		t.Errorf("%q, %v", got, err)
	}
}

// A change of one setting must not vouch for the others.
func TestCarryVouchesForItsOwnChangeAlone(t *testing.T) {
	s := open(map[string]string{"HOME": t.TempDir()})
	file := filepath.Join(t.TempDir(), "settings.local.json")
	mine, both := []byte(`{"_workflow": {"test_command": "mine"}}`), []byte(`{"_workflow": {"test_command": "mine", "agent_command": ["theirs"]}}`)
	theirs := []byte(`{"_workflow": {"agent_command": ["theirs"]}}`)
	if ok, err := s.Carry(file, theirs, both); ok || err != nil || !refused(s.Check(file, both)) {
		t.Errorf("it vouched for what came with the clone: %v, %v", ok, err)
	}
	if ok, err := s.Carry(file, nil, mine); !ok || err != nil || s.Check(file, mine) != nil {
		t.Errorf("it did not vouch for its own: %v, %v", ok, err)
	}
	if ok, err := s.Carry(file, mine, both); !ok || err != nil || s.Check(file, both) != nil {
		t.Errorf("nor for the next: %v, %v", ok, err)
	}
}

func TestDamagedLedgerTrustsNothing(t *testing.T) {
	home := t.TempDir()
	s := open(map[string]string{"HOME": home})
	file := filepath.Join(t.TempDir(), "dev.json")
	dir := filepath.Join(home, ".local", "state", "warp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trust.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Check(file, []byte("a")) == nil {
		t.Error("trusted")
	}
}
