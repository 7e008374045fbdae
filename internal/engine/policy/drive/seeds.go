package drive

import (
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// seedGate is the name of the seed data advice in evidence. It refuses nothing.
const seedGate = "seed_data"

// adviseOnSeeds checks whether a chunk changes the schema without seed data. It reports whether to
// tell the agent: once per chunk, since it is only advice. The chunk's report has the latest
// result.
func adviseOnSeeds(t *turn) (again bool) {
	if t.Dev == nil || !t.cfg.DevSeed || !t.Dev.Present() || t.s.Chunk.Base == "" {
		return false
	}
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil || tree == t.s.Chunk.Base {
		return false
	}
	changes, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree)
	if err != nil {
		return false
	}
	advice := text.Clip(strings.Join(t.Dev.SeedAdvice(git.Paths(changes)), "\n"), maxReason)
	given, before := findSeedAdvice(t.evidenceOfIssue(t.s), t.s)
	if advice == "" && !before || before && given.Row.Reason == advice {
		return false
	}
	t.recordEvidence(t.s, event.Gate, evidence.Gate{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, Event: string(drivestate.CodeComplete), Gate: seedGate, Passed: true, Reason: advice})
	if advice != "" {
		t.remark("seed data: %s", advice)
	}
	return !before
}

// findSeedAdvice returns the latest advice on the chunk's seed data; false if there was none.
func findSeedAdvice(page *evidence.Book, s *drivestate.State) (evidence.Entry[evidence.Gate], bool) {
	return evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == seedGate && g.Chunk == s.Chunk.Index })
}
