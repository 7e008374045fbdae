package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/seal"
)

// signed is a scene whose guard has a key.
func signed(t *testing.T) (*scene, func() *Guard) {
	s := newScene(t)
	state := filepath.Join(filepath.Dir(s.root), "state")
	key, err := seal.Open(func(string) string { return "" }, state)
	must(t, err)
	open := func() *Guard {
		g, err := New(Options{Root: s.root, Store: durable.New(durable.Config{Dir: filepath.Join(s.root, ".claude"), Now: time.Now, PID: os.Getpid(), Signer: key}),
			State: state, Now: time.Now, Remark: s.guard.Remark})
		must(t, err)
		return g
	}
	s.guard = open()
	return s, open
}

func (s *scene) told(words string) bool {
	for _, f := range s.found {
		if strings.Contains(f.Text, words) {
			return true
		}
	}
	return false
}

// After a kill a copy that was changed, or is missing, brings nothing back: what is
// there stays, and it is not said to be put back.
func TestCopiesAreVerifiedAfterAKill(t *testing.T) {
	for name, does := range map[string]struct{ does, look, want, told string }{
		"a changed copy of settings":       {`echo evil > COPIES/state/.claude/settings.json; echo '{"mine":1}' > .claude/settings.json`, `cat .claude/settings.json`, `{"mine":1}`, "copies from before the run are missing or were changed"},
		"a missing copy of settings":       {`rm COPIES/state/.claude/settings.json`, `cat .claude/settings.json`, `{"a":1}`, "copies from before"},
		"all copies are gone":              {`rm -rf COPIES/state COPIES/files`, `cat .claude/settings.json .claude/issues/1.md scratch.txt .env`, "{\"a\":1}\nissue\nmine\nSECRET=1", "copies from before"},
		"a changed copy of a file":         {`echo evil > COPIES/files/scratch.txt; rm scratch.txt`, `cat scratch.txt 2>/dev/null || echo none`, "none", "copies from before"},
		"a copy that was never made":       {`mkdir -p COPIES/files/src; echo evil > COPIES/files/src/evil.txt`, `ls src/evil.txt 2>/dev/null || echo none`, "none", ""},
		"a copy in the place of a pipe":    {`rm COPIES/state/.claude/settings.json; mkfifo COPIES/state/.claude/settings.json`, `cat .claude/settings.json`, `{"a":1}`, "copies from before"},
		"nothing but the file was changed": {`echo '{"evil":1}' > .claude/settings.json; rm scratch.txt`, `cat .claude/settings.json scratch.txt`, "{\"a\":1}\nmine", "put back"},
	} {
		t.Run(name, func(t *testing.T) {
			s, open := signed(t)
			_, err := s.guard.Before(context.Background(), s.scope())
			must(t, err)
			s.sh(strings.ReplaceAll(does.does, "COPIES", s.guard.Dir))
			s.guard = open()
			_, err = s.guard.Recover(context.Background(), s.scope())
			must(t, err)
			if have := strings.TrimSpace(s.sh(does.look)); have != does.want {
				t.Errorf("there is %q, want %q: %v", have, does.want, s.found)
			}
			if does.told != "" && !s.told(does.told) || does.told != "put back" && s.told("put back, and") {
				t.Errorf("it was told %v", s.found)
			}
		})
	}
}

// A note that is not the guard's own says nothing: nothing is put back from it.
func TestAChangedNoteIsNotBelieved(t *testing.T) {
	s, open := signed(t)
	_, err := s.guard.Before(context.Background(), s.scope())
	must(t, err)
	note, err := os.ReadFile(s.guard.recordFile())
	must(t, err)
	must(t, os.WriteFile(s.guard.recordFile(), []byte(strings.Replace(string(note), "scratch.txt", "scratch.tyt", 1)), 0o600))
	s.sh(`echo '{"mine":1}' > .claude/settings.json; echo more >> scratch.txt`)
	before := s.sh(look)
	s.guard = open()
	if _, err = s.guard.Recover(context.Background(), s.scope()); !errors.Is(err, errNote) {
		t.Errorf("%v", err)
	}
	if after := s.sh(look); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	if found, err := s.guard.Recover(context.Background(), s.scope()); found || err != nil {
		t.Errorf("again: %v, %v", found, err)
	}
}

// An agent that changes a copy together with its file gets neither.
func TestACopyThatIsChangedTogetherWithItsFile(t *testing.T) {
	s, _ := signed(t)
	s.run(s.scope(), strings.ReplaceAll(`echo '{"evil":1}' | tee .claude/settings.json > COPIES/state/.claude/settings.json; echo evil > COPIES/files/scratch.txt; rm scratch.txt; echo evil > COPIES/files/.env; : > .env`, "COPIES", s.guard.Dir))
	if have := s.sh(`cat .claude/settings.json; ls scratch.txt 2>/dev/null || echo none; cat .env`); have != "{\"a\":1}\nnone\n" {
		t.Errorf("there is %q", have)
	}
	if !s.told("LOST: ") {
		t.Errorf("it was told %v", s.found)
	}
}
