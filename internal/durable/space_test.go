package durable_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// A disk that is full, and one with every number of free bytes up to enough: an
// act is done or not done, the message says why, and once there is room again
// the same command works.
func TestAFullDiskLeavesTheOldStateOrCompletesTheUpdate(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, full, take := 0, 0, sample(97)
			f := s.disk()
			for i := range script {
				for free, enough := int64(0), false; !enough; free++ {
					if !take() && free > 0 {
						continue
					}
					points++
					disk := f.Restart()
					disk.Limit(used(disk) + free)
					_, err := perform(disk, s, script[i:i+1])
					if enough = err == nil; !enough {
						full++
						checkFull(t, err)
					}
					want := r.states[i]
					if enough {
						want = r.states[i+1]
					}
					// Repairing a damaged one needs space, too.
					if got, _, _ := look(s.doc(disk.Restart())); s.name != "a damaged snapshot" && got != want {
						t.Fatalf("act %d with %d bytes free ended with %v: found %s, want %s", i, free, err, got, want)
					}
					disk.Limit(-1)
					if err := sound(disk, s, want); err != nil {
						t.Fatalf("act %d with %d bytes free, then with room: %v\n%s", i, free, err, tail(disk))
					}
				}
				_, err := perform(f, s, script[i:i+1])
				must(t, err)
			}
			t.Logf("%d acts, %d sizes of disk, %d of them too small", len(script), points, full)
			row(t, points, 0)
		})
	}
}

func used(f *faultfs.FS) (sum int64) {
	for _, data := range f.Files() {
		sum += int64(len(data))
	}
	return sum
}

func checkFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("the message does not name the cause: %v", err)
	}
}

// Reading a good state needs no space.
func TestAFullDiskCanBeRead(t *testing.T) {
	f := project()
	update(t, docOn(f, roomy), step)
	f.Limit(0)
	if v := read(t, docOn(f, roomy)); v.Doc.Count != 1 {
		t.Errorf("found %+v", v.Doc)
	}
}

// What could not be read back is not written.
func TestADocumentThatCouldNotBeReadBackIsRefused(t *testing.T) {
	f := project()
	d := docOn(f, roomy)
	update(t, d, step)
	before := f.Files()[stateAt]
	for name, fn := range map[string]func(*durable.Tx[state]) error{
		"the snapshot": func(tx *durable.Tx[state]) error {
			tx.Doc.Items = append(tx.Doc.Items, item{Text: strings.Repeat("x", durable.MaxSize)})
			return nil
		},
		"the row": func(tx *durable.Tx[state]) error {
			tx.Log("huge", strings.Repeat("x", 2*durable.MaxSize))
			return nil
		},
	} {
		_, err := d.Update(fn)
		mentions(t, err, "nothing was changed", "more than can be read back")
		if string(f.Files()[stateAt]) != string(before) || len(named(f, ".tmp")) > 0 {
			t.Errorf("%s: something was written", name)
		}
	}
	update(t, d, step)
}
