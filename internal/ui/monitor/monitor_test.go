package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
)

// project is one whose journal has something of everything.
func project(t *testing.T) *feed.Feed {
	t.Helper()
	dir := t.TempDir()
	env := turnstile.System()
	now := time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)
	env.Now = func() time.Time { return now }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, ".claude"), 0o755))
	d := turnstile.Open(dir, env)
	_, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "7", PID: os.Getpid(), Headless: true})
	must(err)
	must(d.SetWaiting(now.Add(time.Hour), "a limit"))
	now = now.Add(30 * time.Second)
	must(d.SetWaiting(time.Time{}, ""))
	for kind, rows := range map[string][]any{
		event.Run: {
			evidence.Run{Issue: "7", Epoch: 5, Role: "code", Agent: "claude", Model: `odd "model"` + "\n\xff", End: "done", Input: 100, Output: 20, CacheRead: 7, CacheWrite: 3, MicroUSD: 1_250_000, Seconds: 90, Denials: 2,
				Hooks: &evidence.Hooks{Slowest: 0.1, Events: []evidence.HookTimes{{Event: "PreToolUse", Seconds: 0.2, Buckets: []int{0, 1, 3}}, {Event: "Stop", Seconds: 6, Buckets: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}}}},
			evidence.Run{Issue: "7", Epoch: 5, Role: "code", Agent: "claude", End: "done", Unpriced: true, Hooks: &evidence.Hooks{Slowest: 0.05, Events: []evidence.HookTimes{{Event: "PreToolUse", Seconds: 0.05, Buckets: []int{0, 0, 0, 0, 0, 1}}}}},
			evidence.Run{Work: "session x", Role: "iterate", Agent: "codex", End: "idle", Seconds: 10},
		},
		event.Intervened: {evidence.Intervened{Issue: "7", What: "destroyed", Text: "a file"}, evidence.Intervened{Work: "session x", What: "destroyed"}, evidence.Intervened{Work: "workflow w", What: "commit"}},
		event.Tested:     {evidence.Tested{Issue: "7", Stage: "chunk", Passed: true, Seconds: 12}, evidence.Tested{Issue: "7", Stage: "chunk", NotRun: true}},
		event.Outcome:    {evidence.Outcome{Issue: "8", Epoch: 4, Result: evidence.Merged}, evidence.Outcome{Issue: "9", Epoch: 4, Result: evidence.Merged}},
	} {
		for _, row := range rows {
			must(d.Store().Append(kind, row))
		}
	}
	_, err = d.ExceedBudget("cost_exceeded")
	must(err)
	f, err := feed.Read(d, env)
	must(err)
	for n := range f.Items {
		if f.Items[n].PID != 0 {
			f.Items[n].Live = &livestate.State{Agents: []livestate.Agent{{Role: "code"}}, Windows: []livestate.Window{{Name: "five_hour", Percent: 40}}}
		}
	}
	return f
}

func scrape(t *testing.T, read func() *feed.Feed) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	monitor.Metrics(read).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Code, w.Body.String()
}

func TestWhatIsCounted(t *testing.T) {
	f := project(t)
	_, text := scrape(t, func() *feed.Feed { return f })
	for _, want := range []string{
		`warp_drives_ended_total{end="merged"} 2`,
		`warp_phases_total{phase="prerequisites"} 1`,
		`warp_phase_seconds_total{phase="prerequisites"} 30`,
		`warp_agent_runs_total{agent="claude",end="done",role="code"} 2`,
		`warp_agent_run_seconds_total{agent="codex",role="iterate"} 10`,
		`warp_tokens_total{kind="cache_read",model="odd \"model\" ` + "\uFFFD" + `",role="code"} 7`,
		`warp_cost_dollars_total{model="odd \"model\" ` + "\uFFFD" + `",role="code"} 1.25`,
		`warp_unpriced_runs_total{agent="claude"} 1`,
		`warp_wait_seconds_total{why="limit"} 30`,
		`warp_interventions_total{what="destroyed"} 2`,
		`warp_interventions_total{what="commit"} 1`,
		`warp_denied_calls_total 2`,
		`warp_hook_duration_seconds_bucket{agent="claude",event="PreToolUse",le="0.001"} 0`,
		`warp_hook_duration_seconds_bucket{agent="claude",event="PreToolUse",le="0.005"} 4`,
		`warp_hook_duration_seconds_bucket{agent="claude",event="PreToolUse",le="0.05"} 5`,
		`warp_hook_duration_seconds_sum{agent="claude",event="PreToolUse"} 0.25`,
		`warp_hook_duration_seconds_bucket{agent="claude",event="Stop",le="5"} 0`,
		`warp_hook_duration_seconds_bucket{agent="claude",event="Stop",le="+Inf"} 1`,
		`warp_hook_duration_seconds_count{agent="claude",event="Stop"} 1`,
		`warp_hook_slowest_seconds{agent="claude"} 0.1`,
		`warp_test_runs_total{passed="true",stage="chunk"} 1`,
		`warp_engines_running{kind="loop"} 0`,
		`warp_items_open{kind="drive",state="parked"} 1`,
		`warp_questions_waiting 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	var once strings.Builder
	if err := monitor.Write(&once, f); err != nil || once.String() != text {
		t.Errorf("what is printed is not what is served: %v\n%s\n%s", err, once.String(), text)
	}
}

// A project that cannot be read is no project without figures.
func TestWhatCannotBeReadFails(t *testing.T) {
	if code, text := scrape(t, func() *feed.Feed { return nil }); code != http.StatusInternalServerError || !strings.Contains(text, "cannot be read") {
		t.Errorf("%d %s", code, text)
	}
}

func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	tool := need.Tool(t, "promtool")
	for name, f := range map[string]*feed.Feed{"a project": project(t), "a hostile one": hostile()} {
		_, text := scrape(t, func() *feed.Feed { return f })
		check := exec.Command(tool, "check", "metrics")
		check.Stdin = strings.NewReader(text)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// hostile is a feed in which agents say whatever they like, without end.
func hostile() *feed.Feed {
	f := &feed.Feed{Book: &evidence.Book{}}
	for _, empty := range []string{"", "\x00", "\x00\x00", " \n"} {
		f.Book.Runs = append(f.Book.Runs, evidence.Entry[evidence.Run]{Row: evidence.Run{Role: empty, Agent: empty, Model: empty, End: empty, Unpriced: true}})
	}
	for n := range 5000 {
		evil := fmt.Sprintf("\x1b[31m\xff\x00\u202e\"\n%d\\", n)
		if n%100 == 0 {
			evil += strings.Repeat("A", 1<<20)
		}
		row := evidence.Run{Role: evil, Agent: evil, Model: evil, End: evil, Input: math.MaxInt64, MicroUSD: math.MinInt64, Seconds: 1e308, Denials: -1,
			Hooks: &evidence.Hooks{Slowest: -1, Events: []evidence.HookTimes{{Event: evil, Seconds: -1, Buckets: slices.Repeat([]int{math.MaxInt, -1}, 20)}}}}
		f.Book.Runs = append(f.Book.Runs, evidence.Entry[evidence.Run]{Row: row})
		f.Book.Interventions = append(f.Book.Interventions, evidence.Entry[evidence.Intervened]{Row: evidence.Intervened{What: evil}})
		f.Items = append(f.Items, feed.Item{Kind: feed.Kind(evil), State: feed.State(evil), PID: 1, Live: &livestate.State{
			Agents: []livestate.Agent{{Role: evil}}, Windows: []livestate.Window{{Name: evil, Percent: -1e308}}}})
	}
	f.Today.MicroUSD = math.MinInt64
	return f
}

// An agent names its model and its windows. However many names it makes up, there are few
// series, with short labels, and no figure that goes down.
func TestLabelsAreFewAndShort(t *testing.T) {
	values, samples := map[string]map[string]bool{}, 0
	reading := monitor.Measure(hostile())
	for _, family := range monitor.Families {
		for _, s := range reading[family.Name] {
			samples++
			if len(s.Labels) != len(family.Labels) || s.Value < 0 || math.IsInf(s.Value, 0) {
				t.Fatalf("%s: %+v", family.Name, s)
			}
			for i, value := range s.Labels {
				if values[family.Labels[i]] == nil {
					values[family.Labels[i]] = map[string]bool{}
				}
				values[family.Labels[i]][value] = true
				if !utf8.ValidString(value) || len(value) > 100 || value == "" || strings.ContainsAny(value, "\x00\x1b\n\u202e") {
					t.Fatalf("%s is %q", family.Labels[i], value)
				}
			}
		}
	}
	for label, all := range values {
		if len(all) > 62 {
			t.Errorf("%s has %d values", label, len(all))
		}
	}
	if samples > 20_000 || !values["model"]["other"] || !values["model"]["unknown"] {
		t.Errorf("%d samples, of models %v", samples, values["model"])
	}
}

// A real Prometheus scrapes a real server, and knows the figure.
func TestPrometheusScrapes(t *testing.T) {
	program := need.Tool(t, "prometheus")
	f := project(t)
	server := httptest.NewServer(monitor.Metrics(func() *feed.Feed { return f }))
	defer server.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: warp\n  static_configs: [{targets: [%q]}]\n", strings.TrimPrefix(server.URL, "http://"))
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	address := freePort(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	run := exec.CommandContext(ctx, program, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	run.Stdout, run.Stderr = log, log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = run.Wait() }()
	query := "http://" + address + "/api/v1/query?query=" + url.QueryEscape("warp_drives_ended_total")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if value, ok := ask(query); ok {
			if value != "2" {
				t.Errorf("Prometheus has %s, want 2", value)
			}
			return
		}
		select {
		case <-ctx.Done():
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("Prometheus does not have the figure: %s", said)
		case <-tick.C:
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	return strings.TrimPrefix(server.URL, "http://")
}

func ask(query string) (value string, ok bool) {
	answer, err := http.Get(query)
	if err != nil {
		return "", false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	var found struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err != nil || json.Unmarshal(body, &found) != nil || len(found.Data.Result) != 1 {
		return "", false
	}
	value, ok = found.Data.Result[0].Value[1].(string)
	return value, ok
}
