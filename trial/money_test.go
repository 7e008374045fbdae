//go:build linux

package trial

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// priced makes a script the agent claude or codex, which tell what they have used:
// the coder and every other role, in tokens, and claude in dollars too. What
// is done besides, in shell, comes before that is told. How each run was started
// and what it has told is in ../runs.
func (p *project) priced(name string, s script, besides string) {
	p.t.Helper()
	p.employ(s)
	dir := filepath.Join(filepath.Dir(p.root), "paid")
	text := `#!/bin/sh
case "$*" in
*--version*) echo '2.1.325 (Claude Code)'; exit ;;
'auth status'* | 'login status'*) echo '{"loggedIn":true}'; exit ;;
esac
sh "` + filepath.Dir(p.root) + `/agent.sh" >&2 || exit
input=2000 output=100 read=800 write=100 usd=3 used=0.6
[ "$WARP_ROLE" = code ] || { input=1900 output=200; used=0.9; }
` + besides + `
echo "$WARP_ROLE $WARP_CHUNK $input $output $read $write $usd $*" >> "$TRIAL/../runs"
` + map[string]string{
		"claude": `cat <<END
{"type":"system","subtype":"init","session_id":"s$$"}
{"type":"assistant","session_id":"s$$","message":{"id":"m$$","model":"claude-opus-5","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"rate_limit_event","session_id":"s$$","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","utilization":$used,"resetsAt":4102444800}}
{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"s$$","total_cost_usd":$usd,"structured_output":$(cat "$WARP_RESULT"),"model_usage_since_last_result":{"claude-opus-5":{"inputTokens":$input,"outputTokens":$output,"cacheReadInputTokens":$read,"cacheCreationInputTokens":$write,"costUSD":$usd}}}
END
`,
		"codex": `cat <<END
{"type":"thread.started","thread_id":"t$$"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":$((input + read)),"cached_input_tokens":$read,"output_tokens":$output}}
END
`}[name]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+dir+":"+bin+":"+os.Getenv("PATH"))
	p.sh("warp config set agent " + name)
}

// told is what the runs have told.
type told struct {
	role, args                 string
	chunk                      int
	input, output, read, write int64
	usd                        float64
}

func (p *project) told() (list []told) {
	p.t.Helper()
	for line := range strings.Lines(p.read("../runs")) {
		var r told
		if _, err := fmt.Sscan(line, &r.role, &r.chunk, &r.input, &r.output, &r.read, &r.write, &r.usd); err != nil {
			p.t.Fatalf("%q: %v", line, err)
		}
		_, r.args, _ = strings.Cut(line, fmt.Sprintf(" %g ", r.usd))
		list = append(list, r)
	}
	return list
}

// used is a line of warp cost.
type used struct {
	Name          string
	Input, Output int64
	CacheRead     int64    `json:"cache_read"`
	CacheWrite    int64    `json:"cache_write"`
	Cost          *float64 `json:"cost_usd"`
	Known         float64  `json:"known_cost_usd"`
	Unknown       int64    `json:"unknown_cost_tokens"`
	Models        []string `json:"unknown_models"`
}

func (p *project) cost(by string) (lines map[string]used, total used) {
	p.t.Helper()
	var said struct {
		Lines []used
		Total used
	}
	if err := json.Unmarshal([]byte(p.sh("warp cost --json --by "+by+" 2>/dev/null")), &said); err != nil {
		p.t.Fatal(err)
	}
	lines = map[string]used{}
	for _, l := range said.Lines {
		lines[l.Name] = l
	}
	return lines, said.Total
}

// What warp cost says is what the agent has told, whichever way it is added up; so
// is what the ledger keeps.
func TestTheCostIsWhatTheAgentTold(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.priced("claude", script{}, "usd=$((WARP_CHUNK)).25")
	p.sh("warp config set max_acs_per_commit 1")
	began := time.Now()
	exit, said := p.drive()
	p.judge(exit, said, merged)
	want := map[string]map[string]used{"issue": {}, "chunk": {}, "phase": {}, "model": {}, "day": {}}
	day := began.Format(time.DateOnly)
	for _, r := range p.told() {
		for by, name := range map[string]string{"issue": "#1", "chunk": fmt.Sprintf("#1 chunk %d", r.chunk), "phase": "coding", "model": "claude-opus-5", "day": day} {
			u := want[by][name]
			u.Name, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Known = name, u.Input+r.input, u.Output+r.output, u.CacheRead+r.read, u.CacheWrite+r.write, u.Known+r.usd
			want[by][name] = u
		}
	}
	if len(want["chunk"]) != 2 || want["issue"]["#1"].Known != 7 {
		t.Fatalf("told was %+v", p.told())
	}
	if time.Now().Format(time.DateOnly) != day {
		delete(want, "day") // midnight has passed
	}
	for by, lines := range want {
		have, total := p.cost(by)
		if len(have) != len(lines) {
			t.Errorf("%s: %+v", by, have)
		}
		for name, w := range lines {
			h := have[name]
			if h.Cost == nil || *h.Cost != w.Known || h.Input != w.Input || h.Output != w.Output || h.CacheRead != w.CacheRead || h.CacheWrite != w.CacheWrite {
				t.Errorf("by %s: %+v, want %+v", by, h, w)
			}
		}
		if total.Cost == nil || *total.Cost != 7 {
			t.Errorf("by %s: %+v", by, total)
		}
		p.sheet(by, lines)
	}
	var ledger float64
	for line := range strings.Lines(p.sh(`cat "$HOME/.claude/token-usage.jsonl"`)) {
		var r struct {
			Kind string
			Cost float64 `json:"cost_usd"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind == "delta" {
			ledger += r.Cost
		}
	}
	if ledger != 7 {
		t.Errorf("the ledger has $%g\n%s", ledger, p.sh(`cat "$HOME/.claude/token-usage.jsonl"`))
	}
}

// sheet wants the same of --csv.
func (p *project) sheet(by string, want map[string]used) {
	p.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(p.sh("warp cost --csv --by " + by + " 2>/dev/null"))).ReadAll()
	if err != nil || len(rows) != len(want)+1 || strings.Join(rows[0], " ") != by+" input output cache_read cache_write tokens cost_usd unknown_cost_tokens" {
		p.t.Fatalf("%v, %v", rows, err)
	}
	for _, r := range rows[1:] {
		w := want[r[0]]
		sum := w.Input + w.Output + w.CacheRead + w.CacheWrite
		if usd, err := strconv.ParseFloat(r[6], 64); err != nil || usd != w.Known || r[1] != fmt.Sprint(w.Input) || r[5] != fmt.Sprint(sum) {
			p.t.Errorf("%v, want %+v", r, w)
		}
	}
}

// What a model without a price has cost is not known, until it has one.
func TestWhatHasNoPriceIsNotFree(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.priced("codex", script{}, "")
	exit, said := p.drive("--model", "mystery-1")
	p.judge(exit, said, merged)
	if strings.Contains(said, "$0.00") {
		t.Errorf("%s", said)
	}
	lines, total := p.cost("model")
	if m := lines["mystery-1"]; m.Cost != nil || total.Cost != nil || m.Input != 3900 || m.CacheRead != 1600 || m.Unknown != 5800 || strings.Join(m.Models, "") != "mystery-1" {
		t.Errorf("%+v, %+v", m, total)
	}
	if out := p.sh("warp cost"); !strings.Contains(out, "unknown") || !strings.Contains(out, "5,800 tokens of mystery-1 have no known price") {
		t.Errorf("%s", out)
	}
	if out := p.sh("warp cost --csv"); !strings.HasSuffix(out, ",5800,,5800") {
		t.Errorf("%s", out)
	}
	p.sh(`printf '{"models":{"mystery-1":{"input":10,"output":100,"cache_read":1}}}' > "$HOME/.claude/prices.json"`)
	p.sh(`warp config set max_session_cost 5`)
	p.issue("Second", 0, "AC-09")
	second := p.sh("ls .claude/issues | sort -n | tail -1 | sed s/.md//")
	if exit, said := p.warp("drive", second, "--level", "3", "--model", "mystery-1"); exit != 0 {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	if lines, _ := p.cost("issue"); lines["#"+second].Cost == nil || *lines["#"+second].Cost != (3900*10+300*100+1600)/1e6 {
		t.Errorf("%+v", lines)
	}
	// What can have no price can be held against no bound in dollars.
	p.sh(`rm "$HOME/.claude/prices.json"`)
	p.issue("Third", 0, "AC-10")
	if exit, said := p.warp("drive", p.sh("ls .claude/issues | sort -n | tail -1 | sed s/.md//"), "--level", "3", "--model", "mystery-1"); exit != 13 || !strings.Contains(said, "prices.json") {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
}

// A budget that is spent ends a drive where it is, whatever it bounds, after a
// warning; with more it goes on.
func TestBudgetsBindADrive(t *testing.T) {
	for setting, c := range sample(t, map[string]struct{ limit, more, warning, stop string }{
		"max_chunk_cost":         {"4", "90", "75% of max_chunk_cost ($4.00) is spent", "max_chunk_cost is spent: $6.00 of $4.00"},
		"max_session_cost":       {"4", "90", "75% of max_session_cost ($4.00) is spent", "$6.00"},
		"max_day_cost":           {"4", "90", "75% of max_day_cost ($4.00) is spent", "max_day_cost is spent: $6.00 of $4.00"},
		"max_chunk_tokens":       {"4000", "0", "75% of max_chunk_tokens (4000 tokens) is spent", "max_chunk_tokens is spent: 6000 tokens of 4000 tokens"},
		"max_session_tokens":     {"4000", "0", "75% of max_session_tokens (4000 tokens) is spent", "max_session_tokens is spent: 6000 tokens of 4000 tokens"},
		"max_day_tokens":         {"4000", "0", "75% of max_day_tokens (4000 tokens) is spent", "max_day_tokens is spent: 6000 tokens of 4000 tokens"},
		"stop_at_window_percent": {"80", "0", "75% of stop_at_window_percent (80%) of the window five_hour is used", "stop_at_window_percent is reached: 90% of the subscription's window five_hour is used, 80% is the limit; it resets at " + text.LocalStamp("2100-01-01T00:00:00Z")},
	}, "max_chunk_cost", "max_day_tokens", "stop_at_window_percent") { // TestMoreMoney bounds a session
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.priced("claude", script{work: `[ -e ../mend ] && ` + honest + ` || ` + wrong}, "")
			p.sh("warp config set max_retries_per_chunk 9; warp config set max_no_progress 9; warp config set " + setting + " " + c.limit)
			exit, said := p.drive()
			p.judge(exit, said, end{exit: 12, result: evidence.Budget, phase: "budget_exceeded"})
			if n := len(p.told()); n != 2 {
				t.Errorf("there were %d runs\n%s", n, said)
			}
			if strings.Count(said, c.warning) != 1 {
				t.Errorf("%q is said %d times\n%s", c.warning, strings.Count(said, c.warning), said)
			}
			if why := p.evidence().Outcome.Why; !strings.Contains(why, c.stop) {
				t.Errorf("why is %q, want %q", why, c.stop)
			}
			runs := 2
			if setting == "stop_at_window_percent" {
				runs = 3 // how much is used, only a run tells
			}
			if exit, said := p.warp("resume"); exit != 12 || len(p.told()) != runs {
				t.Errorf("nothing is left, and it ends with %d\n%s", exit, said)
			}
			p.sh("touch ../mend && warp config set " + setting + " " + c.more)
			exit, said = p.warp("resume")
			p.judge(exit, said, merged)
		})
	}
}

// How hard an agent is to think, and with which model, reaches it phase by phase.
func TestReasoningReachesTheAgent(t *testing.T) {
	for name, c := range sample(t, map[string]struct {
		set  string
		want map[string]string
	}{
		"as it is":     {"", map[string]string{"plan": "high", "code": "medium", "verify": "high"}},
		"as it is set": {`warp config set reasoning_budget '{"planning":"standard","coding":"low"}'`, map[string]string{"plan": "medium", "code": "low", "verify": "high"}},
	}, "as it is set") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.priced("claude", script{before: `[ "$WARP_ROLE" != plan ] || { echo '{"approach":"one by one"}' > "$WARP_RESULT"; exit 0; }`}, "")
			p.issue("Many", 0, "AC-01", "AC-02", "AC-03", "AC-04", "AC-05")
			p.sh("true; " + c.set)
			if exit, said := p.warp("drive", "2", "--level", "3", "--model", "opus"); exit != 0 {
				t.Fatalf("it ended with %d\n%s", exit, said)
			}
			have := map[string]bool{}
			for _, r := range p.told() {
				have[r.role] = true
				if want := c.want[r.role]; want != "" && !strings.Contains(r.args, "--effort "+want) || !strings.Contains(r.args, "--model opus") {
					t.Errorf("%s: %s", r.role, r.args)
				}
			}
			if !have["plan"] || !have["code"] || !have["verify"] {
				t.Errorf("%v", have)
			}
		})
	}
}
