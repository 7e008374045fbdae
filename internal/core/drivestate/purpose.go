package drivestate

import (
	"fmt"
	"slices"

	"warp/internal/core/lazy"
)

type phaseAdvice struct{ words, purpose, now string }

// advice holds for each phase what a drive does in it, what it is for, and what is expected of
// a person who moves the drive by hand.
var advice = lazy.Table[Phase, phaseAdvice]{
	{Idle, phaseAdvice{"idle", "nothing is under way", "Nothing is expected; start begins a drive."}},
	{Prerequisites, phaseAdvice{"checking what it needs", "automation level, branch and test command are checked", "Check that the automation level is 2 or 3, the branch is not the main branch (level 2), and a test command exists."}},
	{Discovering, phaseAdvice{"looking for work", "approved work is looked for", "Select the next issue labelled req and approved, or report that there is none."}},
	{Planning, phaseAdvice{"planning", "the issue is read and an approach drafted", "Read the issue; draft an approach when it has more than 3 criteria or needs an architecture decision."}},
	{Chunking, phaseAdvice{"splitting the work into chunks", "the work is split into commit-sized chunks", "Split the acceptance criteria into chunks, in order."}},
	{Coding, phaseAdvice{"coding", "the chunk's acceptance criteria are implemented", "Implement the acceptance criteria of this chunk, nothing else. Do not commit yet."}},
	{UpdatingDocs, phaseAdvice{"checking off criteria", "the finished criteria are checked off in the issue", "Check off the finished criteria with warp issue check, and update the documentation."}},
	{Testing, phaseAdvice{"testing", "the project's tests run", "Run warp test: it runs the test suite as tests_passed wants it. Never weaken, skip or delete a test to make it pass."}},
	{Committing, phaseAdvice{"committing", "the chunk is committed", "Create one conventional commit with the files of this chunk only, as they were tested, with its trailer."}},
	{DocDriftCheck, phaseAdvice{"checking the documentation", "the documentation is held against the code", "Fix mechanical drift; findings of high severity lead back to coding."}},
	{Reporting, phaseAdvice{"filing a report", "the chunk's report is filed", "File the chunk report: warp state file . report. The report is missing until then."}},
	{ChunkComplete, phaseAdvice{"going on to the next chunk", "a chunk is done; the next one, or the end, is chosen", "Start the next chunk, or finish the requirement when all chunks are done."}},
	{RequirementComplete, phaseAdvice{"testing all of it", "the final full test runs", "Run the whole test suite once more (warp test), then go on to the merge."}},
	{Merging, phaseAdvice{"merging", "the work is merged, or a pull request opened", "Level 2: push and open a pull request (warp state file . pull). Level 3: rebase, test, fast-forward, push."}},
	{AwaitingContinue, phaseAdvice{"done, choosing what is next", "the next requirement, or the end, is chosen", "Ask: continue to the next task?"}},
	{SessionEnding, phaseAdvice{"filing the summary", "the session's summary is filed", "File the session summary, lessons and decisions: warp state file . summary."}},
	{BudgetExceeded, phaseAdvice{"stopped by a budget", "a budget tripped; a person has to decide", "Say what tripped and what was tried. Reset the budget and continue only when a person or the policy says so."}},
	{Aborted, phaseAdvice{"cleaning up", "the drive was stopped; it is being cleaned up", "Clean up: make a WIP commit of uncommitted work, file an abort report, then report the outcome."}},
	{Completed, phaseAdvice{"ended", "the drive is over", "Nothing is expected."}},
}

// Purpose describes a phase in one line; "" if it is no phase.
func Purpose(p Phase) string { return advice.Get(p).purpose }

// Expected returns what the driver has to do now.
func Expected(p Phase) string { return advice.Get(p).now }

// Label returns what a drive does in the phase, in plain words.
func (p Phase) Label() string { return advice.Get(p).words }

// chunked are the phases of a single chunk.
var chunked = []Phase{Coding, UpdatingDocs, Testing, Committing, DocDriftCheck, Reporting}

// Describe is Label with the chunk, for phases of a single chunk.
func Describe(p Phase, chunk, total int) string {
	if slices.Contains(chunked, p) && total > 0 {
		return fmt.Sprintf("%s, chunk %d of %d", p.Label(), chunk, total)
	}
	return p.Label()
}
