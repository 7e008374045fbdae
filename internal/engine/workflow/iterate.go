package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"warp/internal/core/failure"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
)

const (
	checkTime = 30 * time.Minute
	maxDiff   = 60_000 // bytes of a diff that a verifier is shown
	mostSaid  = 3000   // bytes of a failing command that an agent is told
	stuckAt   = 3      // failing iterations after which the supervisor is asked
)

// turn is what came of an iteration. It is kept: what was found then is not found
// out again from what has become of the files since.
type turn struct {
	Met []workflow.Criterion `json:"met,omitempty"`
	OK  bool                 `json:"ok"` // the criteria are met and nobody objects
	Why string               `json:"why,omitempty"`
}

// iterate is one turn of a task, unless it was made before a crash. Ok says that
// the criteria are met and nobody objects.
func (j *job) iterate(ctx context.Context, n int) (met workflow.Criteria, ok bool, err error) {
	step := fmt.Sprint("iteration-", n)
	text, err := j.mem.fact(step, func() (string, error) {
		met, ok, err := j.turn(ctx, n)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(turn{met, ok, j.why})
		return string(text), err
	})
	if err != nil {
		return nil, false, err
	}
	var t turn
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, false, err
	}
	j.why = t.Why
	return t.Met, t.OK, nil
}

// turn is implement, verify, review, learn, decide.
func (j *job) turn(ctx context.Context, n int) (met workflow.Criteria, ok bool, err error) {
	held, err := j.renew()
	if err == nil && !held {
		err = j.claim(j.Files)
	}
	if err != nil {
		return nil, false, err
	}
	if err := j.update("iteration_began", func(s *workflow.State) error { s.IterationBegun(j.ID, n); return nil }); err != nil {
		return nil, false, err
	}
	j.tell(Note{Kind: Iterated, Phase: j.Phase, Task: j.ID, Text: fmt.Sprintf("iteration %d", n)})
	a, err := j.ask(ctx, fmt.Sprint("implement-", n), workflow.TaskExecutor, n, j.agent(), agent.Task{
		Role: agent.Code, Prompt: j.prompt(n), Dir: j.dir, Criteria: keys(j.Criteria)})
	if err != nil {
		return nil, false, err
	}
	if a.End != agent.Done {
		j.why = fmt.Sprintf("the agent's run came to nothing: %s %s", a.End, a.Why)
		return nil, false, j.learned(n, a, nil)
	}
	met, why, err := j.verify(ctx, fmt.Sprint("verify-", n), n, j.Criteria)
	if err != nil {
		return nil, false, err
	}
	j.why = why
	if ok = all(met); ok {
		if err := j.supervise(ctx, workflow.PostTask, n); err != nil {
			return nil, false, err
		}
		ok = j.why == ""
	} else if n%stuckAt == 0 {
		if err := j.supervise(ctx, workflow.OnDemand, n); err != nil {
			return nil, false, err
		}
	}
	return met, ok, j.learned(n, a, met)
}

// agent is the one that the document names for the task.
func (j *job) agent() string {
	if len(j.Agents) > 0 {
		return j.Agents[0]
	}
	return ""
}

func keys(list []taskdoc.Criterion) (out []string) {
	for _, c := range list {
		out = append(out, c.Key)
	}
	return out
}

// verify finds out which criteria are met: by their commands, or by an agent that
// can only read and sees the diff.
func (j *job) verify(ctx context.Context, step string, n int, list []taskdoc.Criterion) (met workflow.Criteria, why string, err error) {
	var judged []taskdoc.Criterion
	var wanting []string
	met = make(workflow.Criteria, len(list))
	for i, c := range list {
		met[i].Key = c.Key
		if c.Run == "" {
			judged = append(judged, c)
			continue
		}
		said, passed, err := j.command(ctx, j.dir, c.Run)
		if err != nil {
			return nil, "", err
		}
		met[i].Met = passed
		j.tell(Note{Kind: Verified, Task: j.ID, Text: c.Key + ": " + c.Run, Passed: &passed})
		if !passed {
			wanting = append(wanting, fmt.Sprintf("%s: %s", c.Text, said))
		}
	}
	if len(wanting) == 0 && len(judged) > 0 {
		verdicts, err := j.judge(ctx, step, n, judged)
		if err != nil {
			return nil, "", err
		}
		for i := range met {
			v, ok := verdicts[met[i].Key]
			if list[i].Run != "" {
				continue
			}
			met[i].Met = ok && v.Met
			j.tell(Note{Kind: Verified, Task: j.ID, Text: met[i].Key + ": " + v.Reason, Passed: &met[i].Met})
			if !met[i].Met {
				wanting = append(wanting, fmt.Sprintf("%s: %s", list[i].Text, v.Reason))
			}
		}
	}
	return met, strings.Join(wanting, "\n"), nil
}

// verdict is what a verifier says of a criterion.
type verdict struct {
	ID     string `json:"id"`
	Met    bool   `json:"met"`
	Reason string `json:"reason"`
}

// judge asks a verifier. What it does not name is not met.
func (j *job) judge(ctx context.Context, step string, n int, list []taskdoc.Criterion) (map[string]verdict, error) {
	now, err := snapshot(j.tree)
	if err != nil {
		return nil, err
	}
	diff, cut, err := j.tree.Diff(ctx, j.mem.Base, now, maxDiff)
	if err != nil {
		return nil, err
	}
	a, err := j.ask(ctx, step, workflow.SupervisorAgent, n, "", agent.Task{
		Role: agent.Verify, Prompt: verifyPrompt(j.Task, list, diff, cut), Dir: j.dir, ReadOnly: true, Criteria: keys(list)})
	if err != nil {
		return nil, err
	}
	var said struct {
		Criteria []verdict `json:"criteria"`
	}
	out := map[string]verdict{}
	if !a.read(&said) {
		for _, c := range list {
			out[c.Key] = verdict{Reason: "the verifier gave no verdict: " + string(a.End) + " " + a.Why}
		}
		return out, nil
	}
	for _, v := range said.Criteria {
		if was, twice := out[v.ID]; twice && !was.Met {
			continue // a no counts more
		}
		out[v.ID] = v
	}
	return out, nil
}

// command runs one of the document's commands.
func (r *run) command(ctx context.Context, dir, line string) (said string, passed bool, err error) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: []string{"sh", "-c", line}, Dir: dir, Env: append(os.Environ(), "CI=1"), Timeout: checkTime})
	if err != nil {
		return "", false, fmt.Errorf("running %q: %w", line, err)
	}
	if res.Exit == 0 && !res.TimedOut {
		return "", true, nil
	}
	how := fmt.Sprintf("ended with %d", res.Exit)
	if res.TimedOut {
		how = fmt.Sprintf("was ended after %s", checkTime)
	}
	return r.Redact(strings.TrimSuffix(fmt.Sprintf("%s %s: %s", line, how, failure.Excerpt(string(res.Output), mostSaid)), ": ")), false, nil
}

// snapshot is a work tree as a tree of git's.
func snapshot(t work.Tree) (string, error) {
	tree, err := t.Repo().Snapshot(".claude")
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = nil // what cannot be read is not the agent's
	}
	return tree, err
}
