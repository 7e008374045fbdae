package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

func TestALimitIsWaitedForAndTheSessionResumed(t *testing.T) {
	dir := scratch(t)
	r := newRuns(t, dir, limit)
	begin := r.now
	res := r.ask(t, dir, agent.Code)
	if res.End != agent.Done || get(dir, "demo_ac_02.go") == "" {
		t.Fatalf("%s %s", res.End, res.Why)
	}
	if len(r.waits) != 1 || r.waits[0].Sub(begin).Round(100*time.Millisecond) != limitSeconds*time.Second {
		t.Errorf("waited until %v from %v", r.waits, begin)
	}
	if res.Session != SessionOf("code", "7", "1", "AC-01,AC-02", "Do it") {
		t.Errorf("session %s", res.Session)
	}
}

func TestQuotedWordsOfALimitAreNone(t *testing.T) {
	dir := scratch(t)
	r := newRuns(t, dir, quotes)
	res := r.ask(t, dir, agent.Code)
	quoted := slices.ContainsFunc(r.seen, func(e agent.Event) bool {
		return e.Kind == "text" && strings.Contains(e.Text, "You've hit your limit · resets 3pm")
	})
	if res.End != agent.Done || len(r.waits) != 0 || !quoted {
		t.Errorf("%s, %d waits, quoted %v", res.End, len(r.waits), quoted)
	}
}

func TestALiarsAnswerIsAnAnswerWithoutWork(t *testing.T) {
	dir := scratch(t)
	before := git(t, dir, "status", "--short")
	res := newRuns(t, dir, liar).ask(t, dir, agent.Code)
	if res.End != agent.Done || compact(res.JSON) != `{"summary":"2 criteria are done"}` || git(t, dir, "status", "--short") != before {
		t.Errorf("%s %s", res.End, compact(res.JSON))
	}
}

// The first half is there, the second is not: the run was stopped in its course.
func TestOverspendingIsStoppedByTheBudget(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, overspend).ask(t, dir, agent.Code, func(t *agent.Task) { t.Budget.MicroUSD = 500_000 })
	if res.End != agent.Budgeted || res.Usage.MicroUSD < fortune*1e6 || res.Duration > thinking {
		t.Errorf("%s after %s, %d spent", res.End, res.Duration, res.Usage.MicroUSD)
	}
	if get(dir, "demo_ac_01.go") == "" || get(dir, "demo_ac_02.go") != "" {
		t.Error("it was not stopped halfway")
	}
	if res.Spends() || res.Session == "" {
		t.Errorf("spends %v, session %q", res.Spends(), res.Session)
	}
}

func TestACrashComesHalfway(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, crash).ask(t, dir, agent.Code)
	if res.End != agent.Crashed || res.Exit < 128 && res.Exit != 1 || res.JSON != nil || !res.Spends() || res.Usage.MicroUSD == 0 {
		t.Errorf("%s, exit %d, %s, %+v", res.End, res.Exit, compact(res.JSON), res.Usage)
	}
	if get(dir, "demo_ac_01.go") == "" || get(dir, "demo_ac_02.go") != "" {
		t.Error("not halfway")
	}
}

func TestGarbageIsNeverAYes(t *testing.T) {
	dir := scratch(t)
	for _, role := range []agent.Role{agent.Verify, agent.Judge, agent.Code, agent.Supervise, agent.Scan, agent.Plan, agent.Iterate} {
		res := newRuns(t, dir, garbage).ask(t, dir, role)
		if res.End != agent.Unusable || res.JSON != nil || res.Invalid == "" || res.Exit != 0 || res.Usage.MicroUSD != 0 {
			t.Errorf("%s: %s, exit %d, %s", role, res.End, res.Exit, compact(res.JSON))
		}
	}
}

func TestAHangingAgentIsEndedBySilence(t *testing.T) {
	dir := scratch(t)
	res := newRuns(t, dir, hang).ask(t, dir, agent.Code, func(t *agent.Task) { t.Idle = 300 * time.Millisecond })
	if res.End != agent.Idle || res.JSON != nil || res.Duration > 20*time.Second {
		t.Errorf("%s after %s", res.End, res.Duration)
	}
}

func TestAnOrphanIsGoneAfterwards(t *testing.T) {
	need.Linux(t)
	dir := scratch(t)
	begin := time.Now()
	res := newRuns(t, dir, orphan).ask(t, dir, agent.Code)
	if res.End != agent.Done || res.Orphans == 0 {
		t.Errorf("%s, %d orphans", res.End, res.Orphans)
	}
	if took := time.Since(begin); took > orphanStart {
		t.Errorf("its hold on the output was waited for: %s", took)
	}
	size := len(get(dir, orphanFile))
	time.Sleep(10 * orphanBeat)
	if now := len(get(dir, orphanFile)); size == 0 || now != size {
		t.Errorf("it still writes: %d, then %d bytes", size, now)
	}
}

func TestSwitchesOfOneRole(t *testing.T) {
	dir := scratch(t)
	r := newRuns(t, dir, "verify:liar,judge:garbage")
	if res := r.ask(t, dir, agent.Judge); res.End != agent.Unusable {
		t.Error(res.End)
	}
	if res := r.ask(t, dir, agent.Verify); strings.Count(compact(res.JSON), `"met":true`) != 2 {
		t.Error(compact(res.JSON))
	}
	if res := r.ask(t, dir, agent.Plan); res.End != agent.Done {
		t.Error(res.End)
	}
}
