package gemini

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/errorclass"
	"warp/internal/engine/agent"
)

func TestInvoke(t *testing.T) {
	base := []string{"gemini", "--output-format", "stream-json"}
	for name, c := range map[string]struct {
		task agent.Task
		want []string
	}{
		"little":    {agent.Task{Level: 2}, []string{"--approval-mode", "yolo"}},
		"read only": {agent.Task{Level: 3, ReadOnly: true}, []string{"--approval-mode", "plan"}},
		"much":      {agent.Task{Level: 3, Session: "id", Model: "m"}, []string{"--approval-mode", "yolo", "--model", "m", "--resume", "id"}},
	} {
		c.task.Prompt = "a secret prompt"
		got, err := New(Options{}).Invoke(c.task, "", []byte(`{"type":"object"}`))
		if err != nil || !slices.Equal(got.Argv, append(slices.Clone(base), c.want...)) {
			t.Errorf("%s: %q, %v", name, got.Argv, err)
		}
		if !strings.HasPrefix(got.Stdin, c.task.Prompt) || !strings.Contains(got.Stdin, `{"type":"object"}`) {
			t.Errorf("%s: stdin is %q", name, got.Stdin)
		}
	}
	if _, err := New(Options{}).Invoke(agent.Task{}, "", nil); err == nil {
		t.Error("an empty prompt was taken")
	}
}

const begun = `{"type":"init","session_id":"s","model":"m"}`

func piece(text string) string {
	return fmt.Sprintf(`{"type":"message","role":"assistant","content":%q,"delta":true}`, text)
}

func TestWordsAreTheLastMessage(t *testing.T) {
	p := New(Options{}).Parser(agent.Task{})
	var denied []string
	for _, l := range []string{
		begun, `{"type":"message","role":"user","content":"prompt"}`, piece("first"),
		`{"type":"tool_use","tool_name":"run_shell_command","tool_id":"1","parameters":{"command":"rm x"}}`,
		`{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"tool_not_registered"}}`,
		piece("se"), piece("cond"),
		`{"type":"result","status":"success","stats":{"input":3,"output_tokens":4,"cached":2}}`,
	} {
		p.Line([]byte(l))
	}
	r := p.End(0, "")
	denied = r.Denials
	if r.End != agent.Done || r.Text != "second" || r.Session != "s" || r.Usage != (agent.Usage{Input: 3, Output: 4, CacheRead: 2, Turns: 1, Model: "m"}) {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(denied, []string{"run_shell_command rm x"}) {
		t.Errorf("denied: %q", denied)
	}
}

func TestEnds(t *testing.T) {
	failed := func(text string) string {
		return fmt.Sprintf(`{"type":"result","status":"error","error":{"type":"unknown","message":%q},"stats":{}}`, text)
	}
	for name, c := range map[string]struct {
		lines   []string
		exit    int
		end     agent.End
		class   errorclass.Class
		session string
	}{
		"nothing":             {nil, 0, agent.Unusable, "", ""},
		"nothing, and error":  {[]string{begun}, 1, agent.Crashed, "", ""},
		"no login":            {nil, 41, agent.NoLogin, errorclass.Permission, ""},
		"not trusted":         {nil, 55, agent.NoLogin, errorclass.Permission, ""},
		"safety":              {[]string{begun, `{"type":"error","message":"The model response was blocked due to safety settings."}`, `{"type":"result","status":"error","stats":{}}`}, 0, agent.Refused, "", ""},
		"quota":               {[]string{begun, failed("[API Error: You have exhausted your daily quota on this model.]")}, 173, agent.Limited, "", ""},
		"quota in the middle": {[]string{begun, piece("I begin"), failed("[API Error: You have exhausted your daily quota on this model.]")}, 173, agent.Limited, "", "s"},
		"quota in words":      {[]string{begun, piece("You have exhausted your daily quota on this model."), `{"type":"result","status":"success","stats":{}}`}, 0, agent.Done, "", "s"},
		"401":                 {[]string{begun, failed("[API Error: no]")}, 401 % 256, agent.NoLogin, errorclass.Permission, ""},
		"429":                 {[]string{begun, failed("[API Error: slow]")}, 429 % 256, agent.APIError, errorclass.RateLimit, ""},
		"529":                 {[]string{begun, failed("[API Error: busy]")}, 529 % 256, agent.APIError, errorclass.RateLimit, ""},
		"no credit":           {[]string{begun, failed("[API Error: This API method requires billing to be enabled.]")}, 403 % 256, agent.NoCredit, errorclass.Permission, ""},
		"no such model":       {[]string{begun, failed("[API Error: models/none is not found for API version v1beta]")}, 404 % 256, agent.NoModel, errorclass.Permission, ""},
		"plan and billing":    {[]string{begun, failed("[API Error: You exceeded your current quota, please check your plan and billing details. Please retry in 34s.]")}, 429 % 256, agent.APIError, errorclass.RateLimit, ""},
		"500":                 {[]string{begun, failed("[API Error: boom]")}, 500 % 256, agent.APIError, errorclass.Network, ""},
		"hung up":             {[]string{begun, failed("[API Error: terminated]")}, 1, agent.APIError, errorclass.Network, ""},
		"its own error":       {[]string{begun, failed("cannot read the settings")}, 1, agent.Crashed, "", ""},
		"torn":                {[]string{begun, piece("x"), `{"type":"result","sta`}, 0, agent.Unusable, "", "s"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{}).Parser(agent.Task{})
			for _, l := range c.lines {
				p.Line([]byte(l))
			}
			r := p.End(c.exit, "on stderr")
			if r.End != c.end || r.Class != c.class || r.Session != c.session {
				t.Errorf("got %q, class %q, session %q (%s)", r.End, r.Class, r.Session, r.Why)
			}
			if r = p.End(c.exit, ""); strings.HasSuffix(r.Why, ": ") {
				t.Errorf("nothing follows the colon: %q", r.Why)
			}
		})
	}
}

func FuzzParser(f *testing.F) {
	f.Add([]byte(begun+"\n"+piece("x")+"\n"+`{"type":"result","status":"success","stats":{"input":-3}}`), 0)
	f.Add([]byte(`{"type":"tool_use","tool_name":"x","tool_id":"1"}`+"\n"+`{"type":"tool_result","tool_id":"1","error":{"type":"policy_violation"}}`), 1)
	f.Fuzz(func(t *testing.T, stream []byte, exit int) {
		p := New(Options{}).Parser(agent.Task{})
		for line := range strings.SplitSeq(string(stream), "\n") {
			p.Line([]byte(line))
		}
		if r := p.End(exit, ""); r.End == "" || r.Usage.Input < 0 {
			t.Fatalf("%+v", r)
		}
	})
}
