package watch

import (
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/ui/feed"
)

var now = time.Date(2026, 11, 17, 2, 14, 5, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

func stamp(d time.Duration) string { return ago(d).Format(time.RFC3339) }

func run(issue, role, end string, back time.Duration, seconds float64, micro, tokens int64) evidence.Entry[evidence.Run] {
	return evidence.Entry[evidence.Run]{At: stamp(back), Row: evidence.Run{Issue: issue, Role: role, Agent: "claude", End: end, Seconds: seconds, MicroUSD: micro, Input: tokens, Log: "/logs/output.log"}}
}

func entries[T any](rows ...T) (list []evidence.Entry[T]) {
	for n, r := range rows {
		list = append(list, evidence.Entry[T]{N: n + 1, At: stamp(40 * time.Minute), Row: r})
	}
	return list
}

// someReady are the approved issues of the tracker: 45 and 47 are begun already.
var someReady = []feed.ApprovedIssue{{Number: "45", Title: "Show attachments"}, {Number: "50", Title: "Sort by date"}, {Number: "48", Title: "Search all folders", Why: "waits for #47"}, {Number: "51", Title: "Sign mail", Why: "waits for #50"}}

// someNight is a night with one of everything.
func someNight() *feed.Feed {
	q := feed.Question{ID: "q7", Issue: "47", Text: "Keep drafts in SQLite, or in one file per draft?", Options: []string{"sqlite", "files"}, Default: "files", Deadline: now.Add(11 * time.Minute), Root: "/home/ada/mail"}
	b := &evidence.Book{
		Written: entries(evidence.Written{Issue: "45", Criteria: []evidence.Criterion{
			{ID: "AC-01", Text: "Headers are parsed, also folded ones"}, {ID: "AC-02", Text: "A message without a subject is shown as (none)"},
			{ID: "AC-03", Text: "Attachments are listed with their sizes"}, {ID: "AC-04", Text: "Quoted-printable text is decoded"}}}),
		Commits: entries(evidence.Commit{Issue: "45", Chunk: 1, Hash: "3f9c21ab77d0", Subject: "feat: parse", Criteria: []string{"AC-01", "AC-02"}}),
		Verdicts: entries(
			evidence.Verdict{Issue: "45", Chunk: 1, ID: "AC-01", Met: true, Reason: "header.go:41 unfolds, TestFolded shows it"},
			evidence.Verdict{Issue: "45", Chunk: 1, ID: "AC-02", Met: true, Reason: "view.go:18"},
			evidence.Verdict{Issue: "45", Chunk: 2, ID: "AC-03", Reason: "sizes are those of the encoded text"}),
		Tests: append(entries(
			evidence.Tested{Issue: "45", Chunk: 1, Stage: "chunk", Passed: true, Seconds: 41},
			evidence.Tested{Issue: "45", Chunk: 2, Stage: "chunk", Seconds: 38, Failing: []string{"TestAttachmentSize"}}),
			evidence.Entry[evidence.Tested]{N: 3, At: stamp(95 * time.Minute), Row: evidence.Tested{Issue: "44", Stage: "final", Failing: []string{"TestSendTwice"}, Seconds: 60}}),
		Interventions: entries(evidence.Intervened{Issue: "45", What: "commit", Text: "the agent committed by itself; its commit was taken back"}),
		Runs: []evidence.Entry[evidence.Run]{
			run("43", "plan", "done", 4*time.Hour, 60, 120_000, 41_000), run("43", "code", "done", 3*time.Hour, 1900, 1_480_000, 420_000),
			run("44", "code", "done", 110*time.Minute, 2400, 2_010_000, 610_000),
			run("45", "plan", "done", 70*time.Minute, 95, 90_000, 30_000), run("45", "code", "done", 50*time.Minute, 1100, 640_000, 210_000),
			run("45", "verify", "done", 47*time.Minute, 150, 60_000, 55_000), run("45", "code", "crashed", 25*time.Minute, 1000, 310_000, 90_000),
		},
	}
	for n := range b.Runs {
		b.Runs[n].N = n + 1
	}
	b.Chunks = entries(evidence.Chunked{Issue: "45", Chunk: 1, Criteria: []string{"AC-01", "AC-02"}}, evidence.Chunked{Issue: "45", Chunk: 2, Criteria: []string{"AC-03", "AC-04"}})
	cost := func(micro, tokens int64) evidence.Cost {
		return evidence.Cost{MicroUSD: micro, Tokens: tokens, Runs: 2}
	}
	live := &livestate.State{
		At: now, Name: "warp-drive", PID: 4711, Caps: livestate.Caps{MicroUSD: 20_000_000}, Windows: []livestate.Window{{Name: "five_hour", Percent: 41, Reset: now.Add(46 * time.Minute)}},
		Criteria: []livestate.Criterion{{ID: "AC-03", Doing: true}},
		Agents:   []livestate.Agent{{ID: 3, Agent: "claude", Role: "fix", Since: ago(4 * time.Minute), Tool: "Edit internal/mail/attach.go", Said: "The size has to be taken after decoding. I change attachmentSize to count the decoded bytes.", Tokens: 48_000, MicroUSD: 170_000}},
		Recent: []livestate.Line{{At: ago(9 * time.Minute), Kind: "test", Text: "failed: TestAttachmentSize"}, {At: ago(4 * time.Minute), Kind: "agent", Text: "claude as fix"},
			{At: ago(50 * time.Second), Kind: "tool", Text: "Read internal/mail/attach.go"}, {At: ago(12 * time.Second), Kind: "tool", Text: "Edit internal/mail/attach.go"}},
	}
	return &feed.Feed{Project: "mail", Root: "/home/ada/mail", Book: b, Questions: []feed.Question{q}, PassedOver: entries(evidence.PassedOver{Issue: "48", Title: "Search all folders", Why: "it waits for #47"}), Items: []feed.Item{
		{Kind: feed.Drive, Name: "47", Issue: "47", Title: "Save drafts", State: feed.Waiting, Doing: "coding", Since: ago(4 * time.Minute), Started: ago(20 * time.Minute), Question: &q, Cost: cost(220_000, 80_000), PID: 4711, Root: "/home/ada/mail/.claude/worktrees/issue-47"},
		{Kind: feed.Drive, Name: "45", Issue: "45", Title: "Show attachments and decode what people really send", State: feed.Running, Doing: "coding chunk 2 of 2, attempt 2", Since: ago(9 * time.Minute), Started: ago(72 * time.Minute), Cost: cost(1_100_000, 385_000), Criteria: &feed.Criteria{Met: 2, Total: 4},
			Branch: "feature/issue-45-show-attachments", PID: 4711, Root: "/home/ada/mail/.claude/worktrees/issue-45", Live: live},
		{Kind: feed.Loop, Name: "flaky", State: feed.Parked, Why: "a budget is spent", Do: "warp resume flaky --max-cost MORE, or --max-time MORE", Started: ago(3 * time.Hour), Cost: cost(990_000, 300_000)},
		{Kind: feed.Drive, Name: "44", Issue: "44", Title: "Send mail", State: feed.Failed, Result: "failed", Why: "the tests fail", Started: ago(150 * time.Minute), Ended: ago(90 * time.Minute), Cost: cost(2_010_000, 610_000)},
		{Kind: feed.Drive, Name: "43", Issue: "43", Title: "Fetch mail over IMAP", State: feed.Done, Result: "merged", Commit: "77ab01c9d2e4", Started: ago(4*time.Hour + 5*time.Minute), Ended: ago(170 * time.Minute), Cost: cost(1_600_000, 461_000)},
	}}
}
