package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

func TestInvoke(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	base := []string{"codex", "exec", "--json", "--skip-git-repo-check"}
	for name, c := range map[string]struct {
		task agent.Task
		want []string
	}{
		"little":    {agent.Task{Level: 2}, []string{"-c", `approval_policy="never"`, "-c", `sandbox_mode="workspace-write"`, "-"}},
		"read only": {agent.Task{Level: 3, ReadOnly: true}, []string{"-c", `approval_policy="never"`, "-c", `sandbox_mode="read-only"`, "-"}},
		"boxed":     {agent.Task{Level: 2, ReadOnly: true, Work: agent.Work{Boxed: true}}, []string{"-c", `approval_policy="never"`, "-c", `sandbox_mode="danger-full-access"`, "-"}},
		"much": {agent.Task{Level: 3, Session: "id", Model: "m", Effort: "standard"}, []string{"-c", `approval_policy="never"`, "-c", `sandbox_mode="workspace-write"`,
			"--model", "m", "-c", `model_reasoning_effort="medium"`, "resume", "id", "-"}},
	} {
		c.task.Prompt = "a secret prompt"
		got, err := New(Options{}).Invoke(c.task, file, nil)
		if err != nil || !slices.Equal(got.Argv, append(slices.Clone(base), c.want...)) || got.Stdin != c.task.Prompt {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := New(Options{}).Invoke(agent.Task{}, file, nil); err == nil {
		t.Error("an empty prompt was taken")
	}
}

// The API's strict mode takes a schema only where nothing is optional.
func TestTheSchemaIsStrict(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	for _, role := range []agent.Role{agent.Plan, agent.Code, agent.Verify, agent.Judge, agent.Iterate, agent.Supervise, agent.Scan} {
		inv, err := New(Options{}).Invoke(agent.Task{Prompt: "x"}, file, answer.Schema(role, nil))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(inv.Argv, "--output-schema")
		text, err := os.ReadFile(inv.Argv[at+1])
		if err != nil {
			t.Fatal(err)
		}
		v, err := lossless.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		walk(t, string(role), v)
	}
}

func walk(t *testing.T, at string, v *lossless.Value) {
	if items := v.Get("items"); items != nil {
		walk(t, at+"[]", items)
	}
	props := v.Get("properties")
	if props == nil {
		return
	}
	if v.Get("additionalProperties") == nil || v.Get("additionalProperties").Raw != "false" || len(v.Get("required").Elems) != len(props.Members) {
		t.Errorf("%s is not strict: %s", at, lossless.AppendCompact(nil, v))
	}
	for _, m := range props.Members {
		walk(t, at+"."+m.Key, m.Value)
	}
}

func TestWhatIsRequiredMayNotBeNull(t *testing.T) {
	got := string(strict([]byte(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["b"]}`)))
	want := `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"boolean"}},"required":["a","b"],"additionalProperties":false}`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func feed(a agent.Adapter, lines ...string) agent.Result {
	p := a.Parser(agent.Task{})
	for _, l := range lines {
		p.Line([]byte(l))
	}
	return p.End(0, "")
}

const (
	started = `{"type":"thread.started","thread_id":"t"}`
	spoke   = `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hello"}}`
)

// The usage of a thread grows over its runs; a run is what it grew by.
func TestARunIsNotBilledForTheOnesBefore(t *testing.T) {
	a := New(Options{})
	first := feed(a, started, `{"type":"turn.started"}`, spoke, `{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":5}}`)
	if want := (agent.Usage{Input: 40, CacheRead: 60, Output: 5, Turns: 1}); first.Usage != want || first.End != agent.Done {
		t.Errorf("first: %+v", first)
	}
	second := feed(a, started, spoke, `{"type":"turn.completed","usage":{"input_tokens":150,"cached_input_tokens":90,"output_tokens":9}}`)
	if want := (agent.Usage{Input: 20, CacheRead: 30, Output: 4}); second.Usage != want {
		t.Errorf("second: %+v", second.Usage)
	}
}

func TestEnds(t *testing.T) {
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	failed := func(text string) string { return `{"type":"turn.failed","error":{"message":"` + text + `"}}` }
	const upgrade = "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at "
	for name, c := range map[string]struct {
		lines []string
		exit  int
		end   agent.End
		class errorclass.Class
		reset time.Time
	}{
		"nothing":            {nil, 0, agent.Unusable, "", time.Time{}},
		"nothing, and error": {nil, 1, agent.Crashed, "", time.Time{}},
		"no word":            {[]string{`{"type":"turn.completed","usage":{}}`}, 0, agent.Refused, "", time.Time{}},
		"filtered":           {[]string{failed("stream disconnected before completion: Incomplete response returned, reason: content_filter")}, 1, agent.Refused, "", time.Time{}},
		"today":              {[]string{failed(upgrade + "10:53 AM.")}, 1, agent.Limited, "", time.Date(2026, 11, 15, 10, 54, 0, 0, time.UTC)},
		"after midnight":     {[]string{failed(upgrade + "7:10 AM.")}, 1, agent.Limited, "", time.Date(2026, 11, 16, 7, 11, 0, 0, time.UTC)},
		"another day":        {[]string{failed(upgrade + "Nov 23rd, 2026 1:05 PM.")}, 1, agent.Limited, "", time.Date(2026, 11, 23, 13, 5, 0, 0, time.UTC)},
		"not told":           {[]string{failed("You’ve hit your usage limit. Try again later.")}, 1, agent.Limited, "", time.Time{}},
		"said by the model":  {[]string{`{"type":"item.completed","item":{"type":"agent_message","text":"` + upgrade + `10:53 AM."}}`, `{"type":"turn.completed","usage":{}}`}, 0, agent.Done, "", time.Time{}},
		"401":                {[]string{failed("unexpected status 401 Unauthorized: Incorrect API key")}, 1, agent.NoLogin, errorclass.Permission, time.Time{}},
		"429":                {[]string{failed("exceeded retry limit, last status: 429 Too Many Requests")}, 1, agent.APIError, errorclass.RateLimit, time.Time{}},
		"no credit":          {[]string{failed("Quota exceeded. Check your plan and billing details.")}, 1, agent.NoCredit, errorclass.Permission, time.Time{}},
		"no such model":      {[]string{failed("The model 'none' does not exist or you do not have access to it.")}, 1, agent.NoModel, errorclass.Permission, time.Time{}},
		"at capacity":        {[]string{failed("Selected model is at capacity. Please try a different model.")}, 1, agent.APIError, errorclass.RateLimit, time.Time{}},
		"500":                {[]string{failed("We’re currently experiencing high demand, which may cause temporary errors.")}, 1, agent.APIError, errorclass.Network, time.Time{}},
		"too long":           {[]string{failed("Codex ran out of room in the model's context window.")}, 1, agent.Crashed, "", time.Time{}},
		"survived":           {[]string{`{"type":"error","message":"Reconnecting... 1/5"}`, spoke, `{"type":"turn.completed","usage":{}}`}, 0, agent.Done, "", time.Time{}},
		"torn":               {[]string{`{"type":"turn.comp`, "noise", spoke, `{"type":"turn.completed","usage":{}}`, `{"type":"turn.failed"`}, 0, agent.Done, "", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{Now: func() time.Time { return now }}).Parser(agent.Task{})
			for _, l := range c.lines {
				p.Line([]byte(l))
			}
			r := p.End(c.exit, "Reading additional input from stdin...\n")
			if r.End != c.end || r.Class != c.class || !r.Reset.Equal(c.reset) {
				t.Errorf("got %q, class %q, reset %v (%s)", r.End, r.Class, r.Reset, r.Why)
			}
			if strings.HasSuffix(r.Why, ":") {
				t.Errorf("nothing follows the colon: %q", r.Why)
			}
		})
	}
}

func TestEventsForPeople(t *testing.T) {
	p := New(Options{}).Parser(agent.Task{})
	var got []string
	for _, l := range []string{
		started,
		`{"type":"item.started","item":{"type":"command_execution","command":"ls -l"}}`,
		`{"type":"item.completed","item":{"type":"command_execution","command":"ls -l"}}`,
		`{"type":"item.started","item":{"type":"file_change","changes":[{"path":"a.go"}]}}`,
		`{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}`, spoke,
	} {
		for _, e := range p.Line([]byte(l)) {
			got = append(got, strings.TrimSpace(e.Kind+" "+e.Tool+" "+e.Text))
		}
	}
	want := []string{"note  session t", "tool command_execution ls -l", "tool file_change a.go", "thinking  hm", "text  hello"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func FuzzParser(f *testing.F) {
	f.Add([]byte(started+"\n"+spoke+"\n"+`{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":5}}`), 0)
	f.Add([]byte(`{"type":"turn.failed","error":{"message":"hit your usage limit, try again at Nov 31st, 2026 1:00 PM."}}`), 1)
	f.Fuzz(func(t *testing.T, stream []byte, exit int) {
		p := New(Options{}).Parser(agent.Task{})
		for line := range strings.SplitSeq(string(stream), "\n") {
			p.Line([]byte(line))
		}
		if r := p.End(exit, ""); r.End == "" || r.Usage.Input < 0 || r.Usage.Output < 0 {
			t.Fatalf("%+v", r)
		}
	})
}
