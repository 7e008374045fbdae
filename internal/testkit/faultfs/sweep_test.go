package faultfs

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/durable"
)

// saver replaces /p/state by way of a temporary file. The switches leave out
// one step each: the sweep has to notice.
type saver struct{ noSync, noSyncDir, inPlace bool }

func (s saver) save(f durable.FS, text string) error {
	name := "/p/tmp"
	if s.inPlace {
		name = "/p/state"
	}
	o, err := f.Open(name, replace, 0o600)
	if err != nil {
		return err
	}
	defer o.Close()
	if _, err := o.Write([]byte(text)); err != nil {
		return err
	}
	if !s.noSync {
		if err := o.Sync(); err != nil {
			return err
		}
	}
	if !s.inPlace {
		if err := f.Rename(name, "/p/state"); err != nil {
			return err
		}
	}
	if s.noSyncDir {
		return nil
	}
	return f.SyncDir("/p")
}

// sweep saves twice with a crash at every number, cuts the power in every mode
// and returns what was then wrong: the state has to be one that was saved, and
// none older than the last save that reported success.
func sweep(s saver) (complaints []string) {
	states := []string{"state 0", "state 1", "state 2"}
	for _, how := range []Fault{Crash, CrashAfter} {
		for n := 1; ; n++ {
			f := New()
			f.WriteFile("/p/state", []byte(states[0]))
			f.Fail(n, how)
			done := 0
			for done < 2 && s.save(f, states[done+1]) == nil {
				done++
			}
			for _, mode := range Modes() {
				found := string(f.AfterPowerCut(mode).Files()["/p/state"])
				ok := false
				for _, allowed := range states[done:min(done+2, len(states))] {
					ok = ok || found == allowed
				}
				if !ok {
					complaints = append(complaints, fmt.Sprintf("%v after %q: found %q, %d saved",
						mode, strings.Join(f.Trace(), ", "), found, done))
				}
			}
			if f.Hits() == 0 {
				break
			}
		}
	}
	return complaints
}

func TestSweepAcceptsACorrectStore(t *testing.T) {
	for _, complaint := range sweep(saver{}) {
		t.Error(complaint)
	}
}

func TestSweepFindsBrokenStores(t *testing.T) {
	for _, test := range []struct {
		name string
		with saver
		mode Mode
	}{
		{"no sync of the content", saver{noSync: true}, MetadataFirst},
		{"no sync of the content", saver{noSync: true}, Torn},
		{"no sync of the folder", saver{noSyncDir: true}, DropAll},
		{"no sync of the folder", saver{noSyncDir: true}, DataFirst},
		{"written in place", saver{inPlace: true}, KeepAll},
	} {
		found := false
		for _, complaint := range sweep(test.with) {
			found = found || strings.HasPrefix(complaint, test.mode.String()+" ")
		}
		if !found {
			t.Errorf("%s: not noticed in mode %v", test.name, test.mode)
		}
	}
}

// The two faults that do not crash: the store must report a short write, and
// cannot know of a lying sync.
func TestSweepOfOtherFaults(t *testing.T) {
	for _, test := range []struct {
		how      Fault
		reported bool
		durable  string
	}{
		{ShortWrite, true, "old"},
		{LyingSync, false, ""},
	} {
		f := New()
		f.WriteFile("/p/state", []byte("old"))
		for n := 1; n <= 6; n++ {
			f.Fail(n, test.how)
		}
		err := saver{}.save(f, "new!")
		if (err != nil) != test.reported || f.Hits() == 0 {
			t.Errorf("%v: got %v, %v", test.how, err, f.Trace())
		}
		got := string(f.AfterPowerCut(MetadataFirst).Files()["/p/state"])
		if got != test.durable {
			t.Errorf("%v: found %q", test.how, got)
		}
	}
}
