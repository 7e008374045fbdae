//go:build unix

package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
)

func failing(id, command, message string) payload {
	return payload{"tool_name": "Bash", "tool_input": payload{"command": command}, "tool_use_id": id, "error": message, "is_interrupt": false}
}

// recording is a project without a drive in which a session has begun.
func recording(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	return p
}

func (p *project) queue() *workqueue.Queue {
	p.t.Helper()
	v, err := p.drive.Project.Queue().Read()
	if durable.IsMissing(err) {
		return &workqueue.Queue{}
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return v.Doc
}

func TestAFailedCallIsAnsweredByThePolicyOfItsClass(t *testing.T) {
	p := recording(t)
	for i, c := range []struct{ message, told, message2 string }{
		{"Exit code 7\ncurl: (7) Failed to connect: Connection refused", "network error, retry 1 of 3: wait until ", "network error (Bash): it is tried again at "},
		{"Exit code 1\nHTTP 429 Too Many Requests\nretry-after: 90", "rate limit, retry 1 of 3: wait until ", "rate limit (Bash): it is tried again at "},
		{"Exit code 124", "time-out, retry 1 of 2: repeat the call now", ""},
		{"Exit code 1\nSyntaxError: invalid syntax", "in the work queue as work-001 (S0)", "work-001 (S0)"},
		{"Exit code 1\njsonschema.exceptions.ValidationError: 'id' is a required property", "in the work queue as work-002 (S1)", "work-002 (S1)"},
		{"Exit code 1\ncat: /etc/shadow: Permission denied", "permission error: do not retry", "needs you"},
		{"Exit code 1\nwrite /a: no space left on device", "retry 1 of 2: free some, wait until ", "lack of a resource"},
		{"Exit code 127\nnope: command not found", "unknown error: it is logged", ""},
	} {
		a := p.hook("PostToolUseFailure", failing(fmt.Sprint("t", i), fmt.Sprint("run ", i), c.message))
		if !strings.HasPrefix(a.Specific.Context, "[warp-drive] this call failed. ") || !strings.Contains(a.Specific.Context, c.told) {
			t.Errorf("%q: the agent is told %q, want %q", c.message, a.Specific.Context, c.told)
		}
		if !strings.Contains(a.Message, c.message2) || c.message2 == "" && a.Message != "" {
			t.Errorf("%q: the user is told %q, want %q", c.message, a.Message, c.message2)
		}
	}
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":1,"logged":0,"pending":5,"queued":2,"recovered":0,"total":8}`})
	if a := p.hook("PostToolUseFailure", failing("t9", "go test", "Exit code 1\n--- FAIL: TestX\nFAIL")); a.Out != "" {
		t.Errorf("a failing test is no error: %s", a.Out)
	}
}

func TestRetriesAreUsedUp(t *testing.T) {
	p := recording(t)
	var a answer
	for i := range 4 {
		a = p.hook("PostToolUseFailure", failing(fmt.Sprint(i), "curl x", "Exit code 7\nConnection refused"))
	}
	if !strings.Contains(a.Specific.Context, "all 3 retries are used up") || !strings.Contains(a.Message, "needs you") {
		t.Errorf("told %s", a.Out)
	}
}

func TestWhatCannotBeReadIsWorkAtOnceAndIsClosedWhenItRecovers(t *testing.T) {
	p := recording(t)
	p.hook("PostToolUseFailure", failing("t1", "python3 a.py", "Exit code 1\nSyntaxError: invalid syntax"))
	p.hook("PostToolUseFailure", failing("t2", "python3 b.py", "Exit code 1\nIndentationError: unexpected indent"))
	q := p.queue()
	if len(q.Items) != 2 || q.Items[0].Priority != workqueue.S0 || q.Items[0].Source != workqueue.FromError || q.Items[0].Status != workqueue.Pending {
		t.Fatalf("%+v", q.Items)
	}
	p.ran("python3 a.py")
	if q := p.queue(); q.Items[0].Status != workqueue.Done || q.Items[1].Status != workqueue.Pending {
		t.Errorf("%+v", q.Items)
	}
}

// A command line that the shell cannot read is corrected by the next that it can.
func TestAMisspelledCommandIsClosedByTheNextThatRuns(t *testing.T) {
	p := recording(t)
	p.hook("PostToolUseFailure", failing("t1", `echo "a`, "Exit code 2\n/bin/bash: eval: line 1: unexpected EOF while looking for matching `\"'"))
	if q := p.queue(); len(q.Items) != 1 || q.Items[0].Priority != workqueue.S0 {
		t.Fatalf("%+v", q.Items)
	}
	p.ran("echo a")
	if q := p.queue(); q.Items[0].Status != workqueue.Done {
		t.Errorf("%+v", q.Items)
	}
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":0,"logged":0,"pending":0,"queued":0,"recovered":1,"total":1}`})
}

// What people and loops have put into the queue stays there.
func TestAQueueThatOthersWriteKeepsWhatTheyWrote(t *testing.T) {
	p := recording(t)
	for i := range 3 {
		_, err := p.drive.Project.Queue().Update(func(tx *durable.Tx[workqueue.Queue]) error {
			if tx.Doc == nil {
				tx.Doc = &workqueue.Queue{Version: workqueue.Version, Task: "task"}
				tx.Doc.Begin(time.Unix(0, 0))
			}
			tx.Doc.Add(workqueue.Found{Title: fmt.Sprint("theirs ", i), Source: workqueue.FromPerson})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p.hook("PostToolUseFailure", failing(fmt.Sprint(i), fmt.Sprint("python3 ", i), fmt.Sprintf("Exit code 1\nSyntaxError: number %d", i)))
	}
	if q := p.queue(); len(q.Items) != 6 || q.Task != "task" || q.Loop == nil {
		t.Errorf("%+v", q)
	}
}

func TestThreeUnknownErrorsInARowAskAPerson(t *testing.T) {
	p := recording(t)
	var a answer
	for i := range 3 {
		if a = p.hook("PostToolUseFailure", failing(fmt.Sprint(i), fmt.Sprint("nope", i), fmt.Sprintf("Exit code 127\nnope%d: command not found", i))); i < 2 && strings.Contains(a.Out, "inbox") {
			t.Errorf("asked after %d", i+1)
		}
	}
	if !strings.Contains(a.Specific.Context, "3 unknown errors in a row: a person was asked about them (q1 in the inbox)") || !strings.Contains(a.Message, "q1 in the inbox") {
		t.Errorf("told %s", a.Out)
	}
	items := p.doc("inbox.json")["items"].([]any)
	one := items[0].(map[string]any)
	if len(items) != 1 || one["session"] != owner || one["root"] != p.root || !strings.Contains(one["context"].(string), "nope2: command not found") {
		t.Errorf("asked %v", items)
	}
	for i := range 3 {
		p.hook("PostToolUseFailure", failing(fmt.Sprint("again", i), fmt.Sprint("more", i), "Exit code 127\nmore: command not found"))
	}
	if items := p.doc("inbox.json")["items"].([]any); len(items) != 1 {
		t.Errorf("asked twice: %v", items)
	}
}

// A question tells whose run asked it, so that it goes when that work ends: a drive's has its issue.
func TestAQuestionAboutErrorsNamesItsWork(t *testing.T) {
	for work, want := range map[string][2]any{"session auth": {"session auth", nil}, "": {nil, "42"}} {
		p := driven(t, drivestate.Coding)
		p.env = map[string]string{"WARP_WORK": work}
		for i := range 3 {
			p.hook("PostToolUseFailure", failing(fmt.Sprint(i), fmt.Sprint("nope", i), fmt.Sprintf("Exit code 127\nnope%d: command not found", i)))
		}
		one := p.doc("inbox.json")["items"].([]any)[0].(map[string]any)
		if got := [2]any{one["work"], one["issue"]}; got != want {
			t.Errorf("%q: %v, want %v", work, got, want)
		}
	}
}

// A call that fails three times is three errors, too.
func TestACallThatFailsThreeTimesAsksAPerson(t *testing.T) {
	p := recording(t)
	var a answer
	for i := range 3 {
		a = p.hook("PostToolUseFailure", failing(fmt.Sprint(i), "nope", "Exit code 127\nnope: command not found"))
	}
	if !strings.Contains(a.Specific.Context, "3 unknown errors in a row") {
		t.Errorf("told %s", a.Out)
	}
}

// The owner of a drive is told as every other session is.
func TestSessionsBesideADriveAreToldOfTheirOwnErrors(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, session := range []string{owner, "another"} {
		more := failing("t-"+session, "curl x", "Exit code 7\nConnection refused")
		more["session_id"] = session
		if a := p.hook("PostToolUseFailure", more); !strings.Contains(a.Specific.Context, "network error, retry 1 of 3") {
			t.Errorf("%s is told %s", session, a.Out)
		}
	}
}

// Gemini has no event of its own for failures: an error, or an exit code behind the output,
// tells them.
func TestGeminiIsToldOfItsErrors(t *testing.T) {
	p := recording(t)
	for i, c := range []struct {
		response payload
		told     string
	}{
		{payload{"error": "connect ECONNREFUSED"}, "network error, retry 1 of 3"},
		{payload{"llmContent": "<untrusted_context>\nOutput: write error: No space left on device\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>"}, "retry 1 of 2: free some"},
		{payload{"llmContent": "<untrusted_context>\nOutput: nope: command not found\nExit Code: 127\n</untrusted_context>"}, "unknown error: it is logged"},
		{payload{"llmContent": "<untrusted_context>\nOutput: Exit Code: 1\nExit Code: 0\n</untrusted_context>"}, ""},
		{payload{"llmContent": "<untrusted_context>\nOutput: connection refused\n</untrusted_context>"}, ""},
	} {
		text, err := json.Marshal(payload{"session_id": "g", "cwd": p.root, "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
			"tool_input": payload{"command": fmt.Sprint("curl ", i)}, "tool_response": c.response})
		if err != nil {
			t.Fatal(err)
		}
		if a := p.raw(string(text), "--agent", "gemini", "AfterTool"); !strings.Contains(a.Specific.Context, c.told) || c.told == "" && a.Out != "" {
			t.Errorf("%v: gemini is told %s", c.response, a.Out)
		}
	}
}
