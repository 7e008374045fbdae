package recovery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/sys/git"
)

// trailMark is what a commit's message says about its chunk.
type trailMark struct {
	Hash         string
	Issue        string
	Chunk, Total int
	Session      int64 // its start, in milliseconds
	Criteria     []string
	WIP          bool // work in progress of a stopped drive
}

// maxChunks is more than any requirement has.
const maxChunks = 1000

// readMark reads the mark of a commit; false if it has none. Anyone may write a message: only
// warp's exact spelling counts.
func readMark(c git.Commit) (m trailMark, ok bool) {
	m = trailMark{Hash: c.Hash, WIP: strings.HasPrefix(c.Message, "wip: ")}
	for line := range strings.Lines(c.Message) {
		line = strings.TrimSpace(line)
		named := strings.TrimPrefix(line, "- ") // an older version's list
		if id, _, found := strings.Cut(named, ": "); found && strings.HasPrefix(named, "AC-") && isNumber(id[len("AC-"):]) {
			m.Criteria = append(m.Criteria, id)
			continue
		}
		const trailer = "Warp-Drive: #%d chunk %d/%d session %d"
		var issue, chunk, total int
		var session int64
		if _, err := fmt.Sscanf(line, trailer, &issue, &chunk, &total, &session); err != nil || fmt.Sprintf(trailer, issue, chunk, total, session) != line {
			continue
		}
		if issue > 0 && chunk > 0 && total >= chunk && total <= maxChunks && session > 0 {
			m.Issue, m.Chunk, m.Total, m.Session, ok = strconv.Itoa(issue), chunk, total, session, true
		}
	}
	return m, ok
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// trail is what the commits of a branch say about one requirement.
type trail struct {
	issue   string
	session int64 // the newest
	total   int
	marks   []trailMark // of that session, oldest first
	older   []string    // criteria that earlier sessions committed
}

// readTrail reads the trail of a requirement.
func readTrail(issue string, commits []git.Commit) trail {
	t := trail{issue: issue}
	var all []trailMark
	for _, c := range commits {
		if m, ok := readMark(c); ok && m.Issue == issue {
			all = append(all, m)
			t.session = max(t.session, m.Session)
		}
	}
	for _, m := range all {
		switch {
		case m.Session == t.session:
			t.marks = append(t.marks, m)
			t.total = m.Total
		case !m.WIP:
			t.older = append(t.older, m.Criteria...)
		}
	}
	return t
}

// stopped reports whether a person stopped the session: then its last commit is work in progress.
func (t trail) stopped() bool { return len(t.marks) > 0 && t.marks[len(t.marks)-1].WIP }

// done lists the committed chunks.
func (t trail) done() (list []int) {
	for _, m := range t.marks {
		if !m.WIP && !slices.Contains(list, m.Chunk) {
			list = append(list, m.Chunk)
		}
	}
	slices.Sort(list)
	return list
}

// isAheadOf reports whether a trail has more of the drive than another: a newer session, or more
// chunks of the same one.
func (t trail) isAheadOf(o trail) bool {
	return t.session > o.session || t.session == o.session && len(t.done()) > len(o.done())
}
