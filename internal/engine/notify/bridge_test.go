package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/testkit/faultfs"
)

// post is a channel that keeps what it is sent.
type post struct {
	name string
	mu   sync.Mutex
	got  []string
	fail func(notify.Letter) error // nil: it takes everything
}

func (p *post) Name() string { return p.name }

func (p *post) Send(ctx context.Context, l notify.Letter) (int64, error) {
	p.mu.Lock()
	fail := p.fail
	p.mu.Unlock()
	if fail != nil {
		if err := fail(l); err != nil {
			return 0, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, l.Text)
	return l.Seq, nil
}

func (p *post) texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

type disk struct{ fs *faultfs.FS }

func newDisk() disk { return disk{faultfs.New()} }

func (d disk) store(pid int) *durable.Store {
	return durable.New(durable.Config{Dir: "/p/.claude", FS: d.fs, Now: time.Now, PID: pid})
}

// bridge is one of another process.
func (d disk) bridge(t *testing.T, pid int, channels ...notify.Channel) *notify.Bridge {
	b := notify.New(notify.Config{
		Store: d.store(pid), Project: "p", Channels: channels, Now: time.Now,
		Me: durable.Process{PID: pid, Host: "h"}, Started: func(int) (string, bool) { return "", true },
	})
	b.Start(t.Context())
	return b
}

func say(text string) notify.Message { return notify.Message{Kind: notify.Remark, Text: text} }

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestOneProcessSendsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, a, b := newDisk(), &post{name: "x"}, &post{name: "x"}
		first := d.bridge(t, 1, a)
		synctest.Wait()
		second := d.bridge(t, 2, b)
		second.Notify(say("one"))
		if !second.Flush(within(t, time.Minute)) || len(a.texts()) != 1 || len(b.texts()) != 0 {
			t.Error(a.texts(), b.texts())
		}
		first.Stop()
		second.Notify(say("two")) // the other takes over
		if !second.Flush(within(t, time.Minute)) || !slices.Equal(b.texts(), []string{"two"}) {
			t.Error(a.texts(), b.texts())
		}
		second.Stop()
	})
}

func TestNobodyWaitsForAChannelThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, dead, alive := newDisk(), &post{name: "dead"}, &post{name: "alive"}
		dead.fail = func(notify.Letter) error { return errors.New("no route") }
		b := d.bridge(t, 1, dead, alive)
		begun := time.Now()
		for n := range 5 {
			b.Notify(say(fmt.Sprint(n)))
		}
		if time.Since(begun) > 0 {
			t.Error("Notify waited")
		}
		time.Sleep(time.Minute)
		if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(alive.texts(), want) {
			t.Error(alive.texts())
		}
		box, err := notify.Read(d.store(1), time.Now)
		if at, waiting := box.Standing("dead"); err != nil || waiting != 5 || at.Trouble != "no route" {
			t.Error(at, waiting, err)
		}
		dead.mu.Lock()
		dead.fail = nil
		dead.mu.Unlock()
		if !b.Flush(within(t, time.Hour)) || !slices.Equal(dead.texts(), alive.texts()) {
			t.Error(dead.texts())
		}
		box, _ = notify.Read(d.store(1), time.Now)
		if at, _ := box.Standing("dead"); at.Trouble != "" || len(box.Queue) != 0 {
			t.Error(at, len(box.Queue))
		}
		b.Stop()
	})
}

func TestWhatIsRefusedIsNotInTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, x := newDisk(), &post{name: "x"}
		x.fail = func(l notify.Letter) error {
			if l.Text == "bad" {
				return &notify.Refused{Why: "bad"}
			}
			return nil
		}
		b := d.bridge(t, 1, x)
		defer b.Stop()
		for _, text := range []string{"one", "bad", "two"} {
			b.Notify(say(text))
		}
		b.Flush(within(t, time.Minute))
		box, _ := notify.Read(d.store(1), time.Now)
		if at, _ := box.Standing("x"); !slices.Equal(x.texts(), []string{"one", "two"}) || at.Refused != 1 || at.Sent != 2 {
			t.Error(x.texts(), at)
		}
	})
}

// Tries are counted over processes; one that is known not to have arrived is
// none.
func TestTriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, x := newDisk(), &post{name: "x"}
		var tries []int
		answers := []error{&notify.Later{After: 5 * time.Second}, errors.New("lost"), errors.New("lost"), errors.New("lost")}
		x.fail = func(l notify.Letter) error {
			tries = append(tries, l.Tries)
			if len(tries) > len(answers) {
				return nil
			}
			return answers[len(tries)-1]
		}
		b := d.bridge(t, 1, x)
		b.Notify(say("one"))
		time.Sleep(6 * time.Second) // the pause, and a try
		b.Stop()
		b = d.bridge(t, 2, x)
		b.Flush(within(t, time.Hour))
		b.Stop()
		if want := []int{1, 1, 2, 3, 3}; !slices.Equal(tries, want) {
			t.Errorf("%v, want %v", tries, want)
		}
	})
}

func TestAChannelThatIsNewGetsNothingOld(t *testing.T) {
	d := newDisk()
	for _, channels := range [][]string{{"x"}, {"x", "y"}} {
		if err := notify.Post(d.store(1), time.Now, channels, say("m")); err != nil {
			t.Fatal(err)
		}
	}
	box, _ := notify.Read(d.store(1), time.Now)
	if _, x := box.Standing("x"); x != 2 {
		t.Error(x)
	}
	if _, y := box.Standing("y"); y != 1 {
		t.Error(y)
	}
}

func TestTheLinesOfSeed001(t *testing.T) {
	for want, have := range map[string]string{
		"[warp-drive] coding -- chunk 2/5 for #42":           notify.PhaseText("coding", 2, 5, "42"),
		"[warp-drive] planning -- #42":                       notify.PhaseText("planning", 0, 0, "42"),
		"[warp-drive] discovering":                           notify.PhaseText("discovering", 0, 0, ""),
		"[warp-drive] session ending -- 4 commits, 3 chunks": notify.EndText(4, 3),
		"[warp-drive] session ending -- 1 commit, 1 chunk":   notify.EndText(1, 1),
	} {
		if have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}

func TestSettingsNameNoServerForTheToken(t *testing.T) {
	for text, ok := range map[string]bool{
		``: true, `{}`: true, `{"_rdb":true}`: true, `{"_rdb":{"chat":"-1001"}}`: true, `{"_rdb":{"chat":7}}`: true,
		`{"_rdb":{"chat":"x"}}`: false, `{"_rdb":{"api_base":"http://127.0.0.1:8081"}}`: true, `{"_rdb":{"api_base":"https://evil.example"}}`: false,
		`{"_rdb":{"api_base":"http://localhost.evil.example"}}`: false, `{"_rdb":{"api_base":"http://localhost@evil.example"}}`: false, `{`: false,
	} {
		if _, err := notify.ReadSettings([]byte(text), ""); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	s, err := notify.ReadSettings([]byte(`{"_rdb":{"enabled":true,"chat":1}}`), "99")
	if err != nil || s.Chat != 99 || !slices.Equal(s.Channels(), []string{"telegram"}) {
		t.Error(s, err)
	}
}
