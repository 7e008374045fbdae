package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/live"
)

func TestATerminalIsRedrawnTenTimesASecondAtMost(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		note(v, began, asked)
		for i := range 10_000 {
			note(v, said("text", "", fmt.Sprint(i)))
			time.Sleep(time.Millisecond)
		}
		if n := s.count(); n < 95 || n > 102 {
			t.Errorf("%d frames in 10 s", n)
		}
		frames(time.Second)
		once(t, s.seen(), "“9999”")
	})
}

// The bubble does not end while something of the view runs.
func TestNothingRunsWhenNoDriveDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTerminal(t, 80, 24)
		v := live.New(s, live.Options{Terminal: true, Verbose: true, Color: true, Size: s.size, Now: now})
		note(v, began, drive.Note{Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.NoWork}})
		note(v, drive.Note{Kind: drive.Remark, Text: "after the end"})
		frames(time.Second)
		once(t, s.all(), "after the end")
		if !s.styled {
			t.Error("no colours, though they were asked for")
		}
	})
}

func TestHold(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		note(v, began, coding)
		release := v.Hold()
		if got := s.all(); strings.Contains(got, "coding ·") || !strings.Contains(got, "began") {
			t.Errorf("the question would stand in the block:\n%s", got)
		}
		before := s.count()
		note(v, drive.Note{Kind: drive.Remark, Text: "meanwhile"})
		frames(time.Minute)
		if s.count() != before {
			t.Errorf("written into the question:\n%s", s.all())
		}
		release()
		synctest.Wait()
		once(t, s.all(), "meanwhile", "coding ·")
	})
}

func TestManyAtOnce(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				issue := fmt.Sprint(i)
				for j := range 50 {
					note(v, drive.Note{Issue: issue, Kind: drive.Remark, Text: fmt.Sprintf("<%d.%d>", i, j)}, drive.Note{Issue: issue, Kind: drive.Criteria, Criteria: criteria(5, j%5, 1)})
					time.Sleep(time.Millisecond * time.Duration(i))
					if j == 25 {
						v.Hold()()
					}
				}
			})
		}
		all.Go(func() {
			for i := range 20 {
				s.resize(60+i, 24+i) // lower than the block, its first lines could not be taken back
				time.Sleep(50 * time.Millisecond)
			}
		})
		all.Wait()
		v.Close()
		v.Close()
		note(v, drive.Note{Kind: drive.Remark, Text: "too late"})
		got := s.all()
		for i := range 8 {
			for j := range 50 {
				once(t, got, fmt.Sprintf("<%d.%d>", i, j))
			}
		}
		if strings.Contains(got, "⠋") || strings.Contains(got, "too late") {
			t.Errorf("left after the end:\n%s", got)
		}
	})
}

// stuck is an output that takes nothing until read is closed.
type stuck struct {
	got  bytes.Buffer
	read chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.read
	return s.got.Write(p)
}

var filler = strings.Repeat("x", 1500)

func TestAnOutputThatIsNotReadHoldsNobodyUp(t *testing.T) {
	for _, json := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			out := &stuck{read: make(chan struct{})}
			v := live.New(out, live.Options{JSON: json, Now: now})
			note(v, began)
			synctest.Wait()
			for range 4_000 {
				note(v, drive.Note{Kind: drive.Remark, Text: filler})
			}
			note(v, drive.Note{Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.Merged}})
			close(out.read)
			v.Close()
			got := strings.ReplaceAll(out.got.String(), filler, "")
			if n := strings.Count(got, "not read in time"); n != 1 {
				t.Errorf("what was left out is told %d times", n)
			}
			if n := strings.Count(got, "merged"); n != 1 {
				t.Errorf("the end is told %d times", n)
			}
			if out.got.Len() > 8<<20 {
				t.Errorf("%d bytes were kept", out.got.Len())
			}
		})
	}
}

type gone struct{ writes int }

func (g *gone) Write([]byte) (int, error) {
	g.writes++
	return 0, errors.New("nobody is there")
}

func TestAnOutputThatIsGoneFailsNobody(t *testing.T) {
	for _, o := range []live.Options{{Now: now}, {Terminal: true}, {JSON: true}} {
		synctest.Test(t, func(t *testing.T) {
			out := &gone{}
			v := live.New(out, o)
			note(v, began)
			synctest.Wait()
			note(v, coding)
			frames(time.Minute)
			v.Close()
			if out.writes != 1 {
				t.Errorf("%d writes", out.writes)
			}
		})
	}
}
