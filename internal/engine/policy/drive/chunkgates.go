package drive

import (
	"context"
	"errors"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/testoutput"
	"warp/internal/engine/gate"
	"warp/internal/engine/land"
	"warp/internal/engine/leak"
	"warp/internal/turnstile"
)

const verifierName = "verifier"

// completeCoding returns code_complete with the gates that check the agent's work. What costs least
// runs first: no agent judges what a command can refuse, and no box is ticked before the tests
// passed (a verifier was once asked about code that did not compile).
func completeCoding(t *turn) move {
	if wasDoneBefore(t) {
		return move{on: drivestate.CodeComplete, gates: []turnstile.Gate{integrityGate(t.Engine), doneGate(t.Engine), checksGate(t.Engine), testsGate(t.Engine), verifierGate(t.Engine)}}
	}
	return move{on: drivestate.CodeComplete, gates: append(chunkGates(t.Engine), hooksGate(t.Engine), verifierGate(t.Engine), unaskedGate(t.Engine))}
}

// chunkGates are those that need no agent and change nothing.
func chunkGates(e *Engine) []turnstile.Gate {
	return []turnstile.Gate{integrityGate(e), secretsGate(e), checksGate(e), testsGate(e), oldTestsGate(e)}
}

// checkedTree returns the tree that the present gates check.
func checkedTree(e *Engine) (tree string, err error) {
	if e.chunk.tree != "" {
		return e.chunk.tree, nil
	}
	return e.Drive.Tree.Fingerprint()
}

// secretsGate refuses a commit that would publish secrets. The agent, which can still fix it, is
// told the files and rules, never the values.
func secretsGate(e *Engine) turnstile.Gate {
	output := ""
	return turnstile.Gate{Name: "secrets", When: turnstile.Early, Cycle: true, Output: &output, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		tree, err := checkedTree(e)
		if err == nil {
			err = e.lander.Check(ctx, land.Commit{Change: chunkChange(&turn{e, s}, tree), Hooked: true})
		}
		if found, is := errors.AsType[*leak.FoundError](err); is {
			output = found.Error()
			return strings.TrimPrefix(found.Brief(), "secrets: "), nil
		}
		return "", err
	}}
}

// testsGate runs the tests. The phase testing takes their result.
func testsGate(e *Engine) turnstile.Gate {
	output := ""
	return turnstile.Gate{Name: "tests", When: turnstile.Early, Cycle: true, Output: &output, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		tree, err := checkedTree(e)
		if err != nil {
			return "", err
		}
		r, err := runTests(ctx, &turn{e, s}, tree, gate.Chunk)
		if err != nil || r.Passed {
			return "", err
		}
		output = r.Excerpt
		return gate.Describe(r), nil
	}}
}

// oldTestsGate compares the tests with those before the chunk.
func oldTestsGate(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: gateOld, When: turnstile.Early, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		tree, err := checkedTree(e)
		if err != nil {
			return "", err
		}
		return compareTests(ctx, &turn{e, s}, tree)
	}}
}

// hooksGate asks the repository's own commit hooks. What they change, as formatters do, is checked
// like the agent's work.
func hooksGate(e *Engine) turnstile.Gate {
	output := ""
	return turnstile.Gate{Name: "commit hooks", Cycle: true, Output: &output, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		t := &turn{e, s}
		tree, err := checkedTree(e)
		for n := 0; err == nil; n++ {
			next, v, err := askCommitHooks(ctx, t, tree)
			switch {
			case err != nil:
				return "", err
			case next != tree && n < hookRounds:
				t.remark("the repository's commit hooks changed files of the chunk: checking and testing it again")
				if why, err := checkAgain(ctx, t); err != nil || why != "" {
					return why, err
				}
				tree = next
			case !v.OK:
				output = t.Redact(testoutput.Excerpt(v.Output, maxExcerpt))
				return "the repository's commit hooks reject it", nil
			default:
				e.chunk.tree, e.chunk.hooked = tree, tree
				return "", nil
			}
		}
		return "", err
	}}
}

// checkAgain runs the gates that need no agent on the present work tree, and returns why they
// refuse.
func checkAgain(ctx context.Context, t *turn) (why string, err error) {
	list, err := t.Drive.Verify(ctx, drivestate.CodeComplete, chunkGates(t.Engine)...)
	t.keepGates(list)
	return explainRefused(err)
}

// explainRefused returns why a gate refused. The error says that one could not be run.
func explainRefused(err error) (string, error) {
	var refused *turnstile.GateError
	switch {
	case errors.As(err, &refused) && refused.Broken():
		return "", explainBrokenGate(refused)
	case errors.As(err, &refused):
		return refused.Error(), nil
	}
	return "", err
}

// verifierGate has a verifier judge the criteria, after everything that costs no agent.
func verifierGate(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: verifierName, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		tree, err := checkedTree(e)
		if err != nil {
			return "", err
		}
		e.Drive.Tree.AssumeChanged() // the agent's guard has to see everything
		return judgeTree(ctx, &turn{e, s}, verifierInput(e, s, tree), listNewlyIgnored(ctx, e))
	}}
}
