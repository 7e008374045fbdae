// Package monitor computes the metrics that monitoring systems read: Prometheus from a page,
// OpenTelemetry through package otlp. It counts everything from the feed, and thus from journals,
// so a metric survives the process that shows it. It has no state, sends nothing and starts
// nothing.
package monitor

import (
	"fmt"
	"strings"
)

// Kind is the type of a metric.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter" // only grows
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram" // counts by size; only grows
)

// Family is one metric with its labels.
type Family struct {
	Name   string
	Help   string
	Kind   Kind
	Unit   string // in OpenTelemetry's notation
	Labels []string
}

// Sample is one value of a family.
type Sample struct {
	Labels  []string // values, in the family's order
	Value   float64  // of a histogram: the sum
	Buckets []uint64 // of a histogram: counts per bucket, not cumulative
}

// The families, in the order of the table in the documentation.
var (
	drivesEnded = Family{"warp_drives_ended_total", "Ends of drives, by result. A drive that is parked and resumed ends more than once.", Counter, "{drive}", []string{"end"}}
	workEnded   = Family{"warp_sessions_ended_total", "Loops, pipelines and workflows that have ended, by how they ended.", Counter, "{session}", []string{"kind", "end"}}
	phases      = Family{"warp_phases_total", "Phases that drives entered.", Counter, "{phase}", []string{"phase"}}
	phaseTime   = Family{"warp_phase_seconds_total", "Time that drives spent in phases they have left, waits and interruptions included.", Counter, "s", []string{"phase"}}
	runs        = Family{"warp_agent_runs_total", "Runs of agents, by agent, role and how they ended.", Counter, "{run}", []string{"agent", "role", "end"}}
	runTime     = Family{"warp_agent_run_seconds_total", "Time that agents ran.", Counter, "s", []string{"agent", "role"}}
	tokens      = Family{"warp_tokens_total", "Tokens that agents used, by kind: input, output, cache_read, cache_write.", Counter, "{token}", []string{"model", "role", "kind"}}
	cost        = Family{"warp_cost_dollars_total", "What agents cost, in US dollars, as far as prices are known.", Counter, "{USD}", []string{"model", "role"}}
	unpriced    = Family{"warp_unpriced_runs_total", "Runs whose price is unknown or only partly known: warp_cost_dollars_total lacks them.", Counter, "{run}", []string{"agent"}}
	waits       = Family{"warp_wait_seconds_total", "Time that drives waited: for the end of a limit, or because a person paused them.", Counter, "s", []string{"why"}}
	undone      = Family{"warp_interventions_total", "What the guard undid of agents' work: commits, destroyed files, ticked criteria, changed state or settings.", Counter, "{intervention}", []string{"what"}}
	denied      = Family{"warp_denied_calls_total", "Tool calls that were not permitted.", Counter, "{call}", nil}
	hookTime    = Family{"warp_hook_duration_seconds", "Time that an engine took to answer a hook of an agent in a sandbox, by event of the hook.", Histogram, "s", []string{"agent", "event"}}
	hookMax     = Family{"warp_hook_slowest_seconds", "The slowest answer of all runs.", Gauge, "s", []string{"agent"}}
	tests       = Family{"warp_test_runs_total", "Runs of the project's tests, by stage and whether they passed.", Counter, "{run}", []string{"stage", "passed"}}
	testTime    = Family{"warp_test_run_seconds_total", "Time that the project's tests ran.", Counter, "s", []string{"stage"}}
	commits     = Family{"warp_commits_total", "Chunks that were committed.", Counter, "{commit}", nil}
	engines     = Family{"warp_engines_running", "Engines that run now, by kind.", Gauge, "{engine}", []string{"kind"}}
	agents      = Family{"warp_agents_running", "Agents that work now, by role.", Gauge, "{agent}", []string{"role"}}
	open        = Family{"warp_items_open", "Unfinished work, by kind and state.", Gauge, "{item}", []string{"kind", "state"}}
	asked       = Family{"warp_questions_waiting", "Questions that wait for a person.", Gauge, "{question}", nil}
	today       = Family{"warp_cost_today_dollars", "What agents cost since midnight, in US dollars.", Gauge, "{USD}", nil}
	windows     = Family{"warp_window_used_ratio", "How much of a subscription's window is used, 0 to 1, as last reported by running agents.", Gauge, "1", []string{"window"}}
)

// Families lists all of them.
var Families = []Family{drivesEnded, workEnded, phases, phaseTime, runs, runTime, tokens, cost, unpriced, waits, undone, denied, hookTime, hookMax,
	tests, testTime, commits, engines, agents, open, asked, today, windows}

// Table returns the families as a Markdown table for the documentation.
func Table() string {
	var b strings.Builder
	b.WriteString("| Metric | Type | Labels | Meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range Families {
		labels := "none"
		if len(f.Labels) > 0 {
			labels = "`" + strings.Join(f.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Kind, labels, f.Help)
	}
	return b.String()
}
