//go:build unix

package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/adapter/agent/program"
	"warp/internal/engine/agent"
)

func script(text string) agent.Adapter {
	return program.New(program.Options{Argv: []string{"sh", "-c", text}})
}

func TestOnlyAValidResultIsOne(t *testing.T) {
	const yes = `{"stop":true,"reason":"r"}`
	for name, c := range map[string]struct {
		script  string
		valid   bool
		invalid string
	}{
		"in the file":            {`echo '` + yes + `' > "$WARP_RESULT"`, true, ""},
		"in words":               {`echo '` + yes + `'`, true, ""},
		"in a block":             {"printf 'I think:\\n```json\\n" + yes + "\\n```\\nso be it\\n'", true, ""},
		"none":                   {`echo "stop: true, I say"`, false, "there is none"},
		"prose around it":        {`echo 'the answer {"stop":true} is'`, false, "there is none"},
		"no verdict":             {`echo '{"reason":"r"}' > "$WARP_RESULT"`, false, "it lacks stop"},
		"a verdict in words":     {`echo '{"stop":"true"}' > "$WARP_RESULT"`, false, "stop must be"},
		"a null verdict":         {`echo '{"stop":null}' > "$WARP_RESULT"`, false, "it lacks stop"},
		"torn":                   {`printf '{"stop":true' > "$WARP_RESULT"`, false, "not valid JSON"},
		"empty":                  {`: > "$WARP_RESULT"`, false, "not valid JSON"},
		"bad file, good words":   {`echo no > "$WARP_RESULT"; echo '` + yes + `'`, false, "not valid JSON"},
		"a pipe":                 {`mkfifo "$WARP_RESULT"`, false, "not a regular file"},
		"a link":                 {`echo '` + yes + `' > x; ln -s "$PWD/x" "$WARP_RESULT"`, false, "not a regular file"},
		"a folder":               {`mkdir "$WARP_RESULT"`, false, "not a regular file"},
		"larger than anything":   {`truncate -s 3G "$WARP_RESULT"`, false, "larger than"},
		"a list":                 {`echo '[true]' > "$WARP_RESULT"`, false, "must be an object"},
		"an extra of wrong form": {`echo '{"stop":true,"learnings":"x"}' > "$WARP_RESULT"`, false, "learnings must be"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, script(c.script))
			task := p.task()
			task.Role = agent.Judge
			r := p.run(t, task)
			if (r.JSON != nil) != c.valid || !strings.Contains(r.Invalid, c.invalid) || (r.Invalid == "") != c.valid {
				t.Errorf("taken: %v, because %q; ended with %q", r.JSON != nil, r.Invalid, r.End)
			}
		})
	}
}

// The clock of a place stands still, so only their folders tell runs apart.
func TestTheResultOfAnEarlierRunIsNotTakenAgain(t *testing.T) {
	p := newPlace(t, script(once(`echo '{"stop":true}' > "$WARP_RESULT"`, "true")))
	task := p.task()
	task.Role = agent.Judge
	first, second := p.run(t, task), p.run(t, task)
	if first.JSON == nil || second.JSON != nil || first.Log == second.Log {
		t.Errorf("first %v, second %v; logs %s, %s", first.JSON, second.JSON, first.Log, second.Log)
	}
}

func TestAChildKnowsWhatItIsFor(t *testing.T) {
	p := newPlace(t, script(`cat > prompt; printf '%s\n' "$WARP_ROLE" "$WARP_WORK" "$WARP_ISSUE" "$WARP_CHUNK" "$WARP_CRITERIA" "$HELLO" > env; [ -n "$WARP_RESULT" ]`))
	p.Environ = append(p.Environ, "HELLO=inherited")
	task := p.task()
	task.Role, task.Of, task.Issue, task.Chunk, task.Criteria = agent.Verify, "session auth", "42", 3, []string{"AC-01", "AC-02"}
	if r := p.run(t, task); r.End != agent.Done {
		t.Fatalf("%+v", r)
	}
	if got := strings.Join(p.counted(t, "env"), " "); got != "verify session auth 42 3 AC-01,AC-02 inherited" {
		t.Errorf("got %q", got)
	}
	if prompt, _ := os.ReadFile(filepath.Join(p.dir, "prompt")); string(prompt) != "work" {
		t.Errorf("the prompt was %q", prompt)
	}
}

// What an agent is given in its environment or its prompt is nowhere written.
func TestNoSecretIsWritten(t *testing.T) {
	const secret = "fake-token-0123456789"
	p := newPlace(t, script(`cat >/dev/null; [ -n "$A_TOKEN" ] && echo begun; exit 1`))
	p.Environ = append(p.Environ, "A_TOKEN="+secret)
	store := p.Store.Dir()
	var during, record []string
	p.Watch = func(string, agent.Event) {
		during = append(during, grep(t, store, secret)...)
		record = append(record, grep(t, store, "WARP_RUN_")...)
	}
	task := p.task()
	task.Prompt = "use " + secret
	r := p.run(t, task)
	if r.Text != "begun" {
		t.Fatalf("it did not get the secret: %+v", r)
	}
	if found := append(during, grep(t, store, secret)...); len(found) > 0 || strings.Contains(r.Why+r.Text, secret) {
		t.Errorf("the secret is in %v, or in %q", found, r.Why)
	}
	if len(record) == 0 {
		t.Error("nothing was recorded, so this shows nothing")
	}
}
