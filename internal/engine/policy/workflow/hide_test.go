package workflow

import (
	"testing"
)

// A project that an older version has set up does not ignore archives; git does not
// see them all the same, and no tracked file is changed for it.
func TestArchivesAreHiddenFromGit(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.write(".gitignore", ".claude/state/\n.claude/locks/\n.claude/locks.json\n.claude/checkpoint*.json\n.claude/agent-state.json\n.claude/learnings.jsonl\n.claude/task.md\n.claude/.warp-drive*\n.claude/*.tmp\n")
	p.git("commit", "-q", "-am", "chore: an older block")
	p.run()
	p.run()
	p.wants(p.git("status", "--porcelain", "-uall"), "")
	p.write(".claude/agent-state.old.json", "{}")
	p.write(".claude/agent-state.json.damaged-20260115T120000Z", "{}")
	p.wants(p.git("status", "--porcelain", "-uall"), "")
	exclude := p.read(".git/info/exclude")
	p.run()
	p.wants(p.read(".git/info/exclude"), exclude) // each line once
}
