package simulate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warp/internal/core/fleetfile"
	"warp/internal/core/simulate"
)

func fleet(t testing.TB, change ...string) *fleetfile.File {
	t.Helper()
	text := strings.NewReplacer(change...).Replace(`
repositories:
  - {url: a, at_once: 0}
  - {url: b, at_once: 0}
pools: [{label: linux, slots: 1, accounts: [max]}]
accounts: [{name: max}]
caps: {night: 0}
quiet_hours: []
`)
	f, problems := fleetfile.Parse([]byte(text))
	if problems != nil {
		t.Fatal(problems)
	}
	return f
}

func plan(t testing.TB, f *fleetfile.File) simulate.Plan {
	t.Helper()
	return simulate.Plan{Fleet: f, Requirements: 100, Workers: 10, Agent: distribution(t, "10m"), Train: distribution(t, "1s"),
		Begin: time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC), Tries: 3, Cost: 6, Random: rand.New(rand.NewPCG(1, 2))}
}

func distribution(t testing.TB, s string) simulate.Distribution {
	t.Helper()
	d, err := simulate.ParseDistribution(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func run(t testing.TB, p simulate.Plan) simulate.Result {
	t.Helper()
	r, err := simulate.Run(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestANightWithoutSurprises(t *testing.T) {
	r := run(t, plan(t, fleet(t)))
	if r.Merged != 100 || r.Unfinished != 0 || math.Abs(r.Dollars-100) > 1e-3 {
		t.Errorf("%+v", r)
	}
	// Ten rounds of ten minutes, and seconds in the trains.
	if r.Took < 100*time.Minute || r.Took > 102*time.Minute || r.Slots < 0.95 || !strings.Contains(r.Bottleneck, "more workers") {
		t.Errorf("%+v", r)
	}
	if len(r.Hours) != 2 || r.Hours[0].Merged+r.Hours[1].Merged != 100 {
		t.Errorf("%+v", r.Hours)
	}
}

func TestWhatHoldsAFleetUp(t *testing.T) {
	for name, c := range map[string]struct {
		fleet  []string
		change func(*simulate.Plan)
		want   string
		check  func(simulate.Result) bool
	}{
		"slow trains": {nil, func(p *simulate.Plan) { p.Train = distribution(t, "10m"); p.Workers = 50 }, "the merge train of ",
			func(r simulate.Result) bool { return r.Merged == 100 && r.Took >= 500*time.Minute }},
		"too few workers":     {nil, func(p *simulate.Plan) { p.Workers = 1 }, "more workers", func(r simulate.Result) bool { return r.Merged == 100 }},
		"at most so many":     {[]string{"at_once: 0", "at_once: 1"}, func(*simulate.Plan) {}, "is at its limit (at_once)", func(r simulate.Result) bool { return r.Merged == 100 && r.Slots < 0.3 }},
		"an account's bound":  {[]string{"{name: max}", "{name: max, at_once: 2}"}, func(*simulate.Plan) {}, "at its limit of agents", func(r simulate.Result) bool { return r.Merged == 100 }},
		"the money is spent":  {[]string{"night: 0", "night: 50"}, func(*simulate.Plan) {}, "50 requirements were not finished: the cap of the night is reached", func(r simulate.Result) bool { return r.Dollars <= 50 && r.Merged == 50 }},
		"quiet hours":         {[]string{"quiet_hours: []", `quiet_hours: ["22:30-23:30"]`}, func(*simulate.Plan) {}, "quiet hours", func(r simulate.Result) bool { return r.Merged == 100 && r.Took > 150*time.Minute }},
		"everything fails":    {nil, func(p *simulate.Plan) { p.Fail = 1 }, "more workers", func(r simulate.Result) bool { return r.Parked == 100 && math.Abs(r.Dollars-300) < 1e-3 }},
		"one after the other": {nil, func(p *simulate.Plan) { p.Needs = 1 }, "wait for others", func(r simulate.Result) bool { return r.Merged == 100 && r.Took > 500*time.Minute }},
		"merges that fail":    {nil, func(p *simulate.Plan) { p.TrainFail = 0.5; p.Tries = 50 }, "", func(r simulate.Result) bool { return r.Merged == 100 && r.Dollars > 120 }},
		"an account's window": {nil, func(p *simulate.Plan) { p.Window = 5 * time.Hour }, "max: it reached a limit",
			func(r simulate.Result) bool { return r.Merged == 100 && r.Took > 10*time.Hour }},
		"work comes gradually": {nil, func(p *simulate.Plan) { p.Over = 100 * time.Hour }, "not enough work", func(r simulate.Result) bool { return r.Merged == 100 && r.TimeToMerge.Longest < 11*time.Minute }},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, fleet(t, c.fleet...))
			c.change(&p)
			if r := run(t, p); !strings.Contains(r.Bottleneck, c.want) || !c.check(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestTheSameChanceIsTheSameNight(t *testing.T) {
	one, two := plan(t, fleet(t)), plan(t, fleet(t))
	for _, p := range []*simulate.Plan{&one, &two} {
		p.Agent, p.Fail, p.Needs = distribution(t, "lognormal(12m,0.6)"), 0.2, 0.1
	}
	if a, b := run(t, one), run(t, two); a.Took != b.Took || a.Dollars != b.Dollars || a.TimeToMerge != b.TimeToMerge {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// Twice the workers on twice the work take as long, where nothing else is in the way.
func TestItScales(t *testing.T) {
	small, large := plan(t, fleet(t)), plan(t, fleet(t))
	large.Requirements, large.Workers = 200, 20
	for _, p := range []*simulate.Plan{&small, &large} {
		p.Agent = distribution(t, "lognormal(12m,0.6)")
	}
	if a, b := run(t, small), run(t, large); b.Took.Seconds() > 1.2*a.Took.Seconds() {
		t.Errorf("%s, then %s", a.Took, b.Took)
	}
}

func TestDistributions(t *testing.T) {
	for s, mean := range map[string]time.Duration{
		"12m": 12 * time.Minute, "fixed(90s)": 90 * time.Second, "uniform(5m, 15m)": 10 * time.Minute, "exponential(12m)": 12 * time.Minute,
		"normal(12m,1m)": 12 * time.Minute, "lognormal(10m,0.5)": 679889071840 * time.Nanosecond,
	} {
		d := distribution(t, s)
		if got := d.Mean(); got != mean || d.String() != s {
			t.Errorf("%s: %d", d, got)
		}
		p := plan(t, fleet(t))
		p.Agent, p.Requirements, p.Workers, p.Cost = d, 4000, 1, 1
		if r := run(t, p); math.Abs(r.Dollars-4000*mean.Hours()) > 0.1*4000*mean.Hours() {
			t.Errorf("%s: $%.2f, expected $%.2f", s, r.Dollars, 4000*mean.Hours())
		}
	}
	for _, s := range []string{"", "soon", "fixed()", "fixed(1m", "uniform(1m)", "lognormal(1,2)", "normal(1m,-2m)", "fixed(-1m)", "gamma(1m,2)", "uniform(1m,2)", "lognormal(1m,Inf)"} {
		if _, err := simulate.ParseDistribution(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
	if _, err := simulate.Run(simulate.Plan{Fleet: &fleetfile.File{}}); err == nil {
		t.Error("nothing was simulated")
	}
}

func BenchmarkHundredThousand(b *testing.B) {
	for b.Loop() {
		p := plan(b, fleet(b))
		p.Requirements, p.Workers, p.Fail, p.Train = 100_000, 1000, 0.2, distribution(b, "2s")
		p.Agent = distribution(b, "lognormal(12m,0.6)")
		run(b, p)
	}
}
