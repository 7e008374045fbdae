package step

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/answer"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
)

const (
	// mostAsks is how often a step is asked again: by the same agent, then by another one.
	mostAsks = 2
	// maxLastWords bounds what an agent is shown of its own words, in characters, fewLastWords beside
	// the whole task.
	maxLastWords = 1_500
	fewLastWords = 500
)

// fault is why an answer cannot be used as it is; zero: it can.
type fault struct {
	why     string
	missing []string // the criteria without a verdict; nil: the whole answer
	idle    bool     // nothing was said that a person or a verifier can settle
}

// Idle is why the answer of a step that changed nothing cannot be used.
const Idle = "it changed nothing, asked nothing and claims nothing done"

// Asks is why the answer of a step cannot be used that asks in prose.
const Asks = "it ends with a question in prose"

// asks reports whether an answer asks something without a decision for it: in prose, or in what it
// says of the work.
func (s *Step) asks(a *Answer) bool {
	if a.Result == nil {
		return answer.Asks(a.Text)
	}
	return !s.settles(a) && answer.Asks(a.result().Get("summary").Text())
}

// examine returns what is wrong with an answer. What is wrong with the work is not its business.
func (s *Step) examine(a *Answer) fault {
	optional := s.Role == "" || s.Role == agent.Code || s.Role == agent.Fix || s.Role == agent.Iterate
	switch {
	case a.Failed() && (!s.ReadOnly || !a.Spends()):
		return fault{}
	case a.Failed():
		return fault{why: strings.TrimSpace(fmt.Sprintf("it ended early (%s) %s", a.End, text.Opening(a.Why)))}
	case a.Result == nil && !(optional && (a.Invalid == answer.None || a.Invalid == "")):
		why := a.Invalid
		if why == "" || why == answer.None {
			why = "it has no JSON object of the form that was asked for"
		}
		return fault{why: why}
	case a.Result != nil && s.Role != "" && answer.Valid(s.Role, a.result()) != "":
		return fault{why: answer.Valid(s.Role, a.result())}
	case s.Works && len(a.Changed)+len(a.Outside)+len(a.Yours) == 0 && !s.settles(a) && (s.Role != agent.Iterate || a.Result == nil):
		return fault{why: Idle, idle: true}
	case (s.Role == agent.Code || s.Role == agent.Fix) && s.asks(a):
		return fault{why: Asks, idle: true}
	case s.Role == agent.Verify:
		if missing := answer.Unjudged(s.Criteria, a.result()); len(missing) > 0 {
			return fault{why: "it has no verdict on " + strings.Join(missing, ", "), missing: missing}
		}
	}
	return fault{}
}

// result returns the structured result; nil if there is none.
func (a *Answer) result() *lossless.Value {
	v, err := lossless.Parse(a.Result)
	if err != nil {
		return nil
	}
	return v
}

// settles reports whether an answer says why nothing had to be changed: a question to a person,
// criteria of the task that are met, or an objection to a verdict.
func (s *Step) settles(a *Answer) bool {
	v := a.result()
	done := func(e *lossless.Value) bool { return slices.Contains(s.Criteria, e.Text()) }
	return v.Get("decision").Get("question").Text() != "" || s.mayObject() && v.Get("objection").Text() != "" ||
		v.Get("done") != nil && slices.ContainsFunc(v.Get("done").Elems, done)
}

// mayObject reports whether the agent is shown a verdict.
func (s *Step) mayObject() bool { return s.Role == agent.Fix || s.Door.Faulted }

// LastWords returns what an agent said last: its text, or the summary in its result.
func (a *Answer) LastWords() string {
	return cmp.Or(strings.TrimSpace(a.Text), a.result().Get("summary").Text())
}

// Run takes a step. The answer says how the run ended. An answer that cannot be used is asked for
// again: from the same agent, for what is missing, then from another one if there is one. What stays
// unusable says so (Unread): that is never the fault of the work. It fails if the context ended, with
// a *StoppedError, or if the guard could not do its work.
func (t *Taker) Run(ctx context.Context, s Step) (Answer, error) {
	a, err := t.runOnce(ctx, s)
	for err == nil && a.Asked < mostAsks {
		f := s.examine(&a)
		next, ok := t.again(s, &a, f)
		if !ok {
			break
		}
		t.Remark("the answer of %s (%s) cannot be used, so it is asked again: %s", a.Agent, s.Role, f.why)
		b, err := t.runOnce(ctx, next)
		if err != nil || b.Failed() && !b.Spends() {
			return b, err
		}
		a = a.joined(b, f)
		if s.Name != "" {
			delete(t.Memory.Answers, next.Name)
			if err := t.Memory.Keep(s.Name, a); err != nil {
				return a, err
			}
		}
	}
	a.Unread = s.examine(&a).why
	return a, err
}

// again returns the step that asks for what an answer lacks; false if no one is left to ask.
func (t *Taker) again(s Step, a *Answer, f fault) (Step, bool) {
	if f.why == "" {
		return s, false
	}
	who, err := t.Agents(s.Agent)
	if err != nil {
		return s, false
	}
	if r, ok := who.(interface{ Reminds() bool }); ok && r.Reminds() {
		return s, false // it was reminded while it worked on the task
	}
	n := s
	n.Again, n.Name = true, ""
	if s.Name != "" {
		n.Name = fmt.Sprintf("%s again %d", s.Name, a.Asked+1)
	}
	if len(f.missing) > 0 {
		n.Criteria = f.missing
	}
	n.First, n.Session = a.Agent, a.Session
	if a.Asked > 0 {
		other, has := who.(interface{ HasOther(name string) bool })
		if f.idle || !s.ReadOnly || !has || !other.HasOther(a.Agent) {
			return s, false
		}
		n.First, n.Except, n.Session = "", a.Agent, ""
	}
	values := map[string]any{"Task": s.Prompt, "Idle": f.idle, "Asks": f.why == Asks, "Judged": s.mayObject(), "Missing": f.missing, "Why": f.why,
		"Iterates": s.Role == agent.Iterate}
	values["Said"] = text.Tail(a.LastWords(), fewLastWords)
	if n.Prompt = prompt.Render("again", values); n.Session == "" || a.Failed() {
		n.Session = ""
		return n, true
	}
	n.Whole = n.Prompt // another agent does not know the conversation
	values["Said"] = text.Tail(a.LastWords(), maxLastWords)
	if values["Task"] = ""; !f.idle {
		values["Said"] = ""
	}
	n.Prompt = prompt.Render("again", values)
	return n, true
}

// joined returns the answer with what it lacked. A later answer replaces one that could not be read.
func (a Answer) joined(b Answer, f fault) Answer {
	usage := a.Usage
	usage.Add(b.Usage)
	out := b
	if len(f.missing) > 0 {
		if first, later := a.result(), b.result(); first != nil && later != nil {
			out.Result = json.RawMessage(lossless.AppendCompact(nil, answer.Join(first, later)))
		} else { // what the first one said still stands
			out = a
		}
	}
	if out.Result == nil && a.Text != b.Text { // both may say what is asked
		out.Text = text.JoinNonEmpty("\n\n", a.Text, b.Text)
	}
	out.Usage, out.Asked, out.Counted = usage, a.Asked+1, false
	out.Changed = merge(a.Changed, b.Changed)
	out.Yours, out.Outside, out.Revealed = merge(a.Yours, b.Yours), merge(a.Outside, b.Outside), merge(a.Revealed, b.Revealed)
	return out
}

func merge(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
