package usage

import (
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/sys/seal"
	"warp/internal/turnstile"
)

// A run of negative cost would lift the day's budget, one of a great cost would use
// it up: neither was signed by an engine.
func TestForgedRunsCostNothing(t *testing.T) {
	root := t.TempDir()
	key, err := seal.Open(func(string) string { return "" }, filepath.Join(t.TempDir(), "user"))
	if err != nil {
		t.Fatal(err)
	}
	env := turnstile.System()
	env.Signer = key
	d := turnstile.Open(root, env)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(d.Store().Try())
	must(d.Store().AppendSynced(event.Run, evidence.Run{Issue: "1", MicroUSD: 7, Input: 1}))
	must(d.Store().AppendSynced(event.Run, evidence.Run{Issue: "1", MicroUSD: -7})) // a defect of ours would not count either
	agent := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: 1})
	must(agent.AppendSynced(event.Run, evidence.Run{Issue: "1", MicroUSD: -50_000_000}, evidence.Run{Work: "session x", MicroUSD: 50_000_000}))
	p, err := new(Ledger).Open(d, env)
	must(err)
	var sum int64
	for _, e := range p.runs() {
		sum += e.MicroUSD
	}
	if sum != 7 || len(p.Runs) != 1 {
		t.Errorf("%d runs for %d", len(p.Runs), sum)
	}
}
