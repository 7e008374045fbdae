package drive

import (
	"context"
	"errors"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/land"
	"warp/internal/engine/leak"
)

// refuseSecrets sends back a chunk whose commit would publish secrets. Its agent, which can still
// fix it, is told the files and rules, never the values.
func refuseSecrets(ctx context.Context, t *turn, tree string, r evidence.Tested) (move, error) {
	err := t.lander.Check(ctx, land.Commit{Change: chunkChange(t, tree), Hooked: true})
	found, is := errors.AsType[*leak.FoundError](err)
	if !is {
		return move{on: drivestate.TestsPassed}, err
	}
	t.tell(Note{Kind: Gated, Text: found.Brief(), Passed: new(false)})
	r.Passed, r.NotRun, r.Excerpt, r.Command = false, false, found.Error(), "the scan for secrets"
	keepTested(t, r)
	return move{on: drivestate.TestsFailed, data: data{Failure: r.Excerpt}}, nil
}

// secretsNeedPerson parks a drive when no agent is left that could remove the secrets.
func secretsNeedPerson(err error) error {
	if !isSecrets(err) {
		return err
	}
	return needsPerson("remove them, or allow false alarms with warp secrets allow, then warp resume", "%v", err)
}

func isSecrets(err error) bool {
	_, is := errors.AsType[*leak.FoundError](err)
	return is
}
