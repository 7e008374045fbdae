package recovery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/turnstile"
)

// criteriaOf are those of a chunk.
func criteriaOf(chunk int) []string {
	return [][]string{{"AC-01", "AC-02", "AC-03"}, {"AC-04", "AC-05", "AC-06"}, {"AC-07"}}[chunk-1]
}

// message is that of a chunk's commit, as a drive writes it.
func message(issue, chunk int, session time.Time) string {
	text := fmt.Sprintf("feat: Things (#%d)\n\n", issue)
	for _, id := range criteriaOf(chunk) {
		text += "- " + id + ": thing\n"
	}
	return text + fmt.Sprintf("\nWarp-Drive: #%d chunk %d/3 session %d", issue, chunk, session.UnixMilli())
}

// chunk commits a chunk of #1 in a work tree, and ticks its boxes.
func (m *machine) chunk(root string, chunk int) string {
	m.t.Helper()
	in := *m
	in.at = root
	for _, id := range criteriaOf(chunk) {
		in.write(strings.ToLower(id)+".txt", id+"\n")
	}
	hash := in.commit(message(1, chunk, began))
	m.ok(m.tracker.Edit(context.Background(), 1, func(body string) (string, error) {
		for _, id := range criteriaOf(chunk) {
			body = strings.Replace(body, "[ ] "+id, "[x] "+id, 1)
		}
		return body, nil
	}))
	return hash
}

// journal tells what a drive tells of its commits.
func (m *machine) journal(commits ...string) {
	m.t.Helper()
	store := m.driveIn(m.at).Store()
	m.ok(store.Append(event.Criteria, evidence.Written{Issue: "1"}))
	for k, hash := range commits {
		m.ok(store.Append(event.Commit, evidence.Commit{Issue: "1", Chunk: k + 1, Hash: hash, Criteria: criteriaOf(k + 1)}))
	}
}

// state writes that of a drive which has reported its last chunk.
func (m *machine) state(root, issue, branch string, commits ...string) {
	m.t.Helper()
	_, err := m.driveIn(root).Recover(context.Background(), turnstile.Recovered{Issue: issue, Branch: branch, Level: 3, Epoch: began.UnixMilli(), Phase: drivestate.ChunkComplete,
		Chunks: [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, Index: len(commits), Commits: commits})
	m.ok(err)
}

// half is a drive that has committed, pushed and reported two of its chunks.
func (m *machine) half(apart bool) (commits []string) {
	m.t.Helper()
	root := m.at
	if apart {
		root = m.apart()
		m.git("worktree", "add", "-q", "-b", feature, root)
	} else {
		m.git("switch", "-q", "-c", feature)
	}
	commits = []string{m.chunk(root, 1), m.chunk(root, 2)}
	m.git("push", "-q", "origin", feature)
	m.journal(commits...)
	m.state(root, "1", feature, commits...)
	return commits
}

// recoveredInCoding is a drive that codes its second chunk.
func recoveredInCoding() turnstile.Recovered {
	return turnstile.Recovered{Issue: "1", Branch: feature, Level: 3, Epoch: began.UnixMilli(), Phase: drivestate.Coding, Chunks: [][]string{criteriaOf(1), criteriaOf(2)}, Index: 2}
}
