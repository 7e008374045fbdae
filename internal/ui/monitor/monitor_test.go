package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
				Hooks: &evidence.Hooks{Calls: 4, Seconds: 0.2, Slowest: 0.1}},
			evidence.Run{Issue: "7", Epoch: 5, Role: "code", Agent: "claude", End: "done", Unpriced: true, Hooks: &evidence.Hooks{Calls: 1, Seconds: 0.05, Slowest: 0.05}},
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
		`warp_tokens_total{kind="cache_read",model="odd \"model\"\n` + "\uFFFD" + `",role="code"} 7`,
		`warp_cost_dollars_total{model="odd \"model\"\n` + "\uFFFD" + `",role="code"} 1.25`,
		`warp_unpriced_runs_total{agent="claude"} 1`,
		`warp_wait_seconds_total{why="limit"} 30`,
		`warp_interventions_total{what="destroyed"} 2`,
		`warp_interventions_total{what="commit"} 1`,
		`warp_denied_calls_total 2`,
		`warp_hook_calls_total{agent="claude"} 5`,
		`warp_hook_seconds_total{agent="claude"} 0.25`,
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
	f := project(t)
	_, text := scrape(t, func() *feed.Feed { return f })
	check := exec.Command(tool, "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
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
