package recover_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/conduct"
	"warp/internal/testkit/need"
)

// A drive that is conducted asks before everything that it does, and does what any other
// does. Asked again, it says again what became of it: the worker may have died meanwhile.
func TestAConductedDrive(t *testing.T) {
	need.Tool(t, "git")
	t.Parallel()
	w := newWorld(t, seven)
	a := w.machine("a")
	c := a.finish(calm(t), "")
	chunk := " coding* updating_docs testing* committing reporting chunk_complete"
	if have, want := c.phases(), "prerequisites discovering planning* chunking"+strings.Repeat(chunk, 3)+" requirement_complete merging* awaiting_continue session_ending"; have != want {
		t.Errorf("phases: %s\nwant:   %s", have, want)
	}
	if tip := w.sh("git -C octo/widgets.git rev-parse main"); c.end.Result != "merged" || c.end.Commit != tip {
		t.Errorf("%+v, and main is at %s", c.end, tip)
	}
	if last := c.asked[len(c.asked)-1]; last.Kind != conduct.Push || last.What != "delete feature/issue-1-seven-things" || last.Tokens == 0 {
		t.Errorf("the last question: %+v", last)
	}
	for name, m := range map[string]*world{"on the same machine": a, "on another": w.machine("b")} {
		if again := m.finish(calm(t), ""); again.end.Result != "merged" || again.end.Commit != c.end.Commit || len(again.asked) > 0 {
			t.Errorf("%s: %+v, asked %+v\n%s", name, again.end, again.asked, &again.err)
		}
	}
}

// Whatever the fleet does not let go, the drive is parked without a change, and what comes
// of it in the end is the same.
func TestARefusalParksTheDrive(t *testing.T) {
	need.Tool(t, "git")
	sample := []string{"labels", "the push of the merge"}
	for name, refuses := range map[string]func(conduct.Say) bool{
		"the first phase":       func(s conduct.Say) bool { return s.Kind == conduct.Phase },
		"labels":                func(s conduct.Say) bool { return s.What == "labels" },
		"a phase with an agent": func(s conduct.Say) bool { return s.Kind == conduct.Phase && s.Phase == "coding" && s.Tokens > 0 },
		"the boxes":             func(s conduct.Say) bool { return s.Kind == conduct.File && s.Phase == "updating_docs" },
		"a push of the branch":  func(s conduct.Say) bool { return s.Kind == conduct.Push },
		"a report":              func(s conduct.Say) bool { return s.Kind == conduct.File && s.Phase == "reporting" },
		"the push of the merge": func(s conduct.Say) bool { return s.Kind == conduct.Push && s.What == "main" },
		"what comes after it":   func(s conduct.Say) bool { return s.Kind == conduct.File && s.Phase == "merging" },
		"closing":               func(s conduct.Say) bool { return s.What == "#1 is closed" },
		"the summary":           func(s conduct.Say) bool { return s.Kind == conduct.File && s.Phase == "session_ending" },
	} {
		if !complete() && !slices.Contains(sample, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := calm(t)
			w := newWorld(t, seven)
			a := w.machine("a")
			c := a.conduct("")
			var then seen
			exit := c.lead(func(s conduct.Say) conduct.Reply {
				no := refuses(s)
				if no && then == (seen{}) {
					then = c.before
				} else if then != (seen{}) {
					t.Errorf("after the refusal it asked %+v", s)
				}
				return conduct.Reply{Go: !no, Why: "the lease is gone"}
			})
			if then == (seen{}) || c.end == nil || c.end.Result != "stopped" || c.end.Why != "the fleet does not let it continue: the lease is gone" || exit != 130 {
				t.Fatalf("exit %d, %+v\n%s", exit, c.end, &c.err)
			}
			if now := w.see(); now != then {
				t.Errorf("it changed something:\n%s%s", cmp.Diff(then.tracker, now.tracker), cmp.Diff(then.refs, now.refs))
			}
			if again := a.finish(want, ""); again.end.Result != "merged" {
				t.Errorf("%+v", again.end)
			}
		})
	}
}

// A drive that is refused again and again gets on by what it was let go.
func TestADriveOfManyWorkers(t *testing.T) {
	need.Tool(t, "git")
	t.Parallel()
	want := calm(t)
	w := newWorld(t, seven)
	a := w.machine("a")
	var c *worker
	for turns := 1; c == nil || c.end == nil || c.end.Result == "stopped"; turns++ {
		if turns > 30 {
			t.Fatalf("it does not get on: %+v\n%s", c.end, &c.err)
		}
		c = a.conduct("")
		left := 2 + turns*3%11
		c.lead(func(conduct.Say) conduct.Reply { left--; return conduct.Reply{Go: left >= 0} })
	}
	if diff := cmp.Diff(want, w.account()); diff != "" || c.end.Result != "merged" {
		t.Errorf("%+v\n%s\n%s", c.end, diff, &c.err)
	}
}

// killAfterPush lets a drive go until it has pushed so often, and kills it.
func (c *worker) killAfterPush(pushes int) {
	c.t.Helper()
	for s, more := c.hear(); more; s, more = c.hear() {
		if s.Kind == conduct.Push {
			pushes--
		} else if pushes <= 0 {
			_ = c.cmd.Process.Kill()
			c.wait()
			return
		}
		c.reply(conduct.Reply{Serial: s.Serial, Go: true})
	}
	c.t.Fatalf("it ended: %+v\n%s", c.end, &c.err)
}

// Another machine takes a drive over after its last pushed chunk, and the first one takes it
// back: what was done elsewhere counts, at both levels.
func TestAnotherMachineTakesOver(t *testing.T) {
	need.Tool(t, "git")
	for _, c := range []struct{ flags, result string }{{"--level 3", "merged"}, {"--level 2", "pull_request"}} {
		t.Run(c.flags, func(t *testing.T) {
			t.Parallel()
			want := calm(t)
			if c.result != "merged" {
				alone := newWorld(t, seven)
				alone.machine("a").conduct(c.flags).lead(letGo)
				want = alone.account()
			}
			w := newWorld(t, seven)
			a, b := w.machine("a"), w.machine("b")
			a.conduct(c.flags).killAfterPush(1)
			b.conduct(c.flags).killAfterPush(1)
			a.conduct(c.flags).killAfterPush(1)
			end := b.finish(want, c.flags)
			if end.end.Result != c.result || (end.end.Pull != "") != (c.result == "pull_request") {
				t.Errorf("%+v", end.end)
			}
			for _, m := range []*world{a, b, w.machine("c")} {
				again := m.finish(want, c.flags)
				if again.end.Result != c.result || again.end.Commit != end.end.Commit || again.end.Pull != end.end.Pull {
					t.Errorf("%+v, want %+v\n%s", again.end, end.end, &again.err)
				}
			}
		})
	}
}

func TestConductedTakesOneIssue(t *testing.T) {
	w := newWorld(t, seven)
	a := w.machine("a")
	for _, flags := range []string{"", "1 2", "1 --detach", "1 --ui", "1 --parallel 2", "1 --json", "1 --worktree", "1 --dry-run"} {
		if out, exit := a.run("warp drive --conducted " + flags + " < /dev/null"); exit != 2 || !strings.Contains(out, "--conducted") {
			t.Errorf("%s: exit %d\n%s", flags, exit, out)
		}
	}
	if out, exit := a.run("warp drive --help"); exit != 0 || strings.Contains(out, "conducted") {
		t.Errorf("people have no use for it:\n%s", out)
	}
}

// A machine that comes back after another one has merged the work has nothing to do.
func TestADriveThatWasMergedElsewhere(t *testing.T) {
	need.Tool(t, "git")
	t.Parallel()
	want := calm(t)
	w := newWorld(t, seven)
	a := w.machine("a")
	a.conduct("").killAfterPush(1)
	b := w.machine("b").finish(want, "")
	for range 2 { // and once more, with nothing left of it
		if late := a.finish(want, ""); late.end.Result != "merged" || late.end.Commit != b.end.Commit || len(late.asked) > 0 {
			t.Errorf("%+v, asked %+v\n%s", late.end, late.asked, &late.err)
		}
	}
}

// Wherever a machine is lost, another one ends the drive as if nothing had been.
func TestAMachineOfAFleetIsLost(t *testing.T) {
	need.Tool(t, "git")
	points := []string{
		"ticked#1",        // boxes are checked, and nothing was committed
		"ran_code#2",      // the chunk is done again
		"target_pushed#1", // it is merged, and the issue is open
		"labels#1", "branch#1", "planned#1", "ran_code#1", "committed_in_git#1", "commit_recorded#1", "pushed#1", "filed_report#1", "pushed#3",
		"requirement_done#1", "merged_in_git#1", "closing_comment#1",
	}
	if !complete() {
		points = points[:3]
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			want := calm(t)
			w := newWorld(t, seven)
			a := w.machine("a")
			lost := a.conduct("", "WARP_CRASH_AT="+point)
			if lost.lead(letGo); lost.end != nil {
				t.Fatalf("it was not killed: %+v", lost.end)
			}
			if err := os.RemoveAll(a.at); err != nil {
				t.Fatal(err)
			}
			if end := w.machine("b").finish(want, "").end; end.Result != "merged" {
				t.Errorf("%+v", end)
			}
		})
	}
}

// A machine that is lost between a merge of rebased commits and the closing of the issue has
// merged: the one that takes over still has the branch as it was before.
func TestAMachineIsLostAfterItHasMergedWhatItRebased(t *testing.T) {
	need.Tool(t, "git")
	t.Parallel()
	w := newWorld(t, seven)
	a := w.machine("a")
	lost := a.conduct("", "WARP_CRASH_AT=target_pushed#1")
	moved := false
	lost.lead(func(s conduct.Say) conduct.Reply {
		if s.Kind == conduct.Phase && s.Phase == "merging" && !moved {
			moved = true
			w.sh("cd seed && echo more > more.txt && git add more.txt && git commit -q -m 'chore: others are at work' && git push -q ../octo/widgets.git main")
			lost.before = w.see()
		}
		return letGo(s)
	})
	if lost.end != nil || !moved {
		t.Fatalf("it was not killed: %+v", lost.end)
	}
	merged := w.sh("git -C octo/widgets.git rev-parse main")
	b := w.machine("b").conduct("")
	if exit := b.lead(letGo); exit != 0 || b.end == nil || b.end.Result != "merged" || b.end.Commit != merged {
		t.Errorf("exit %d, %+v, want %s\n%s", exit, b.end, merged, &b.err)
	}
	if now := w.sh("git -C octo/widgets.git rev-parse main"); now != merged {
		t.Errorf("main moved on to %s", now)
	}
	w.hub.Lock()
	defer w.hub.Unlock()
	if w.hub.Items[0].Open {
		t.Error("the issue is still open")
	}
}
