package conductor

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/conduct"
)

// A worker that is stopped keeps its pipes: the drive notices by what it is no longer told.
func TestADriveEndsWhenTheFleetNoLongerStandsByIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := meet(t)
		phase := ask(t.Context(), c, conduct.Say{Kind: conduct.Phase, Phase: "coding"})
		n := w.hear().Serial
		w.reply(conduct.Reply{Good: 1000})
		time.Sleep(time.Hour) // it waits for its turn, and no agent works
		synctest.Wait()
		if len(w.lost) != 0 {
			t.Fatal("a drive that waits was ended")
		}
		w.reply(conduct.Reply{Good: 1000})
		w.reply(conduct.Reply{Serial: n, Go: true})
		<-phase
		for range 3 {
			time.Sleep(900 * time.Millisecond)
			w.reply(conduct.Reply{Good: 1000})
		}
		synctest.Wait()
		if len(w.lost) != 0 {
			t.Fatal("a drive that the fleet stands by was ended")
		}
		time.Sleep(1200 * time.Millisecond)
		synctest.Wait()
		if len(w.lost) != 1 {
			t.Error("the drive goes on although its fleet may have given it away")
		}
		_ = w.in.Close()
		_ = w.read.Close()
	})
}

// A worker can be stopped between the server's word and its own.
func TestAReplyThatComesLateIsNotHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := meet(t)
		phase := ask(t.Context(), c, conduct.Say{Kind: conduct.Phase, Phase: "coding"})
		n := w.hear().Serial
		w.reply(conduct.Reply{Good: 1000})
		time.Sleep(time.Minute)
		w.reply(conduct.Reply{Serial: n, Go: true})
		if got := <-phase; !errors.Is(got.err, ErrGone) {
			t.Errorf("the drive goes on: %+v", got)
		}
		synctest.Wait()
		if len(w.lost) != 1 {
			t.Error("the drive does not end")
		}
		_ = w.in.Close()
		_ = w.read.Close()
	})
}
