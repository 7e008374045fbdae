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
	var found *leak.FoundError
	if !errors.As(err, &found) {
		return move{on: drivestate.TestsPassed}, err
	}
	no := false
	t.tell(Note{Kind: Gated, Text: found.Brief(), Passed: &no})
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
	var found *leak.FoundError
	return errors.As(err, &found)
}
