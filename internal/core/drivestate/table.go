// Package drivestate is the core of a drive: its phases, the transition table, the document that
// stores where the drive is, and the pure functions that apply a transition to it. It does no I/O
// and reads no clock: time, limits and facts about the work tree come in as values.
package drivestate

import (
	"fmt"
	"slices"

	"warp/internal/core/lazy"
	"warp/internal/core/machine"
)

// Phase is a state of a drive.
type Phase string

// Event moves a drive from one phase to another.
type Event string

const (
	Idle                Phase = "idle"
	Prerequisites       Phase = "prerequisites"
	Discovering         Phase = "discovering"
	Planning            Phase = "planning"
	Chunking            Phase = "chunking"
	Coding              Phase = "coding"
	UpdatingDocs        Phase = "updating_docs"
	Testing             Phase = "testing"
	Committing          Phase = "committing"
	DocDriftCheck       Phase = "doc_drift_check"
	Reporting           Phase = "reporting"
	ChunkComplete       Phase = "chunk_complete"
	RequirementComplete Phase = "requirement_complete"
	Merging             Phase = "merging"
	AwaitingContinue    Phase = "awaiting_continue"
	SessionEnding       Phase = "session_ending"
	BudgetExceeded      Phase = "budget_exceeded"
	Aborted             Phase = "aborted"
	Completed           Phase = "completed"
)

const (
	Start              Event = "start"
	PrerequisitesOK    Event = "prerequisites_ok"
	WorkSelected       Event = "work_selected"
	NoWork             Event = "no_work"
	PlanReady          Event = "plan_ready"
	ChunksDefined      Event = "chunks_defined"
	CodeComplete       Event = "code_complete"
	DocsUpdated        Event = "docs_updated"
	TestsPassed        Event = "tests_passed"
	TestsFailed        Event = "tests_failed"
	Committed          Event = "committed"
	CommitWithDocGate  Event = "commit_with_doc_gate"
	DriftClean         Event = "drift_clean"
	DriftBlocked       Event = "drift_blocked"
	ReportFiled        Event = "report_filed"
	NextChunk          Event = "next_chunk"
	RequirementDone    Event = "requirement_done"
	MergeReady         Event = "merge_ready"
	Merged             Event = "merged"
	MergeFailed        Event = "merge_failed"
	PushFailed         Event = "push_failed"
	ContinueYes        Event = "continue_yes"
	ContinueNo         Event = "continue_no"
	SessionEnded       Event = "session_ended"
	BudgetContinue     Event = "budget_continue"
	BudgetAbort        Event = "budget_abort"
	Abort              Event = "abort"
	AbortResolved      Event = "abort_resolved"
	AbortCleanupFailed Event = "abort_cleanup_failed"
	Restart            Event = "restart"
)

// Table holds a drive's transitions: 46 rows, 19 phases, 30 events.
var Table = machine.New([]machine.Row[Phase, Event]{
	{From: Idle, On: Start, To: Prerequisites},
	{From: Idle, On: Abort, To: Aborted},
	{From: Prerequisites, On: PrerequisitesOK, To: Discovering},
	{From: Prerequisites, On: Abort, To: Aborted},
	{From: Discovering, On: WorkSelected, To: Planning},
	{From: Discovering, On: NoWork, To: SessionEnding},
	{From: Discovering, On: Abort, To: Aborted},
	{From: Planning, On: PlanReady, To: Chunking},
	{From: Planning, On: Abort, To: Aborted},
	{From: Chunking, On: ChunksDefined, To: Coding},
	{From: Chunking, On: Abort, To: Aborted},
	{From: Coding, On: CodeComplete, To: UpdatingDocs},
	{From: Coding, On: Abort, To: Aborted},
	{From: UpdatingDocs, On: DocsUpdated, To: Testing},
	{From: UpdatingDocs, On: Abort, To: Aborted},
	{From: Testing, On: TestsPassed, To: Committing},
	{From: Testing, On: TestsFailed, To: Coding},
	{From: Testing, On: Abort, To: Aborted},
	{From: Committing, On: Committed, To: Reporting},
	{From: Committing, On: CommitWithDocGate, To: DocDriftCheck},
	{From: Committing, On: Abort, To: Aborted},
	{From: DocDriftCheck, On: DriftClean, To: Reporting},
	{From: DocDriftCheck, On: DriftBlocked, To: Coding},
	{From: DocDriftCheck, On: Abort, To: Aborted},
	{From: Reporting, On: ReportFiled, To: ChunkComplete},
	{From: Reporting, On: Abort, To: Aborted},
	{From: ChunkComplete, On: NextChunk, To: Coding},
	{From: ChunkComplete, On: RequirementDone, To: RequirementComplete},
	{From: ChunkComplete, On: Abort, To: Aborted},
	{From: RequirementComplete, On: MergeReady, To: Merging},
	{From: RequirementComplete, On: Abort, To: Aborted},
	{From: Merging, On: Merged, To: AwaitingContinue},
	{From: Merging, On: MergeFailed, To: Merging},
	{From: Merging, On: PushFailed, To: Merging},
	{From: Merging, On: Abort, To: Aborted},
	{From: AwaitingContinue, On: ContinueYes, To: Discovering},
	{From: AwaitingContinue, On: ContinueNo, To: SessionEnding},
	{From: AwaitingContinue, On: Abort, To: Aborted},
	{From: SessionEnding, On: SessionEnded, To: Completed},
	{From: SessionEnding, On: Abort, To: Aborted},
	{From: BudgetExceeded, On: BudgetContinue, To: Coding},
	{From: BudgetExceeded, On: BudgetAbort, To: Aborted},
	{From: BudgetExceeded, On: Abort, To: Aborted},
	{From: Aborted, On: AbortResolved, To: Completed},
	{From: Aborted, On: AbortCleanupFailed, To: Completed},
	{From: Aborted, On: Restart, To: Idle},
})

// Drawing describes the table's diagram: an exceeded budget leads from every working phase to
// budget_exceeded.
func Drawing(current Phase) machine.Drawing[Phase] {
	d := machine.Drawing[Phase]{Start: Idle, Current: current, Trap: BudgetExceeded, Why: "a budget trips"}
	for _, p := range Table.States() {
		if p.Trips() {
			d.Trapped = append(d.Trapped, p)
		}
	}
	return d
}

// Known reports whether p is one of the 19 phases.
func (p Phase) Known() bool { return Purpose(p) != "" }

// Trips reports whether a budget can trip in the phase; waiting and final phases have none.
func (p Phase) Trips() bool {
	switch p {
	case Idle, AwaitingContinue, BudgetExceeded, Aborted, Completed:
		return false
	}
	return true
}

// Active reports whether the drive still has work or clean-up to do.
func (p Phase) Active() bool { return p != Completed && p != Idle }

// BeforeWork reports whether no work is chosen yet: the branches still belong to the user, who may
// update them.
func (p Phase) BeforeWork() bool { return p == Prerequisites || p == Discovering }

type phaseAdvice struct{ words, purpose, now string }

// advice holds for each phase what a drive does in it, what it is for, and what is expected of
// a person who moves the drive by hand.
var advice = lazy.Table[Phase, phaseAdvice]{
	{Idle, phaseAdvice{"idle", "nothing is under way", "Nothing is expected; start begins a drive."}},
	{Prerequisites, phaseAdvice{"checking what it needs", "checks automation level, branch and test command", "Check that the automation level is 2 or 3, the branch is not the main branch (level 2), and a test command exists."}},
	{Discovering, phaseAdvice{"looking for work", "looks for approved work", "Select the next issue labelled req and approved, or report that there is none."}},
	{Planning, phaseAdvice{"planning", "reads the issue and drafts an approach", "Read the issue; draft an approach when it has more than 3 criteria or needs an architecture decision."}},
	{Chunking, phaseAdvice{"splitting the work into chunks", "splits the work into commit-sized chunks", "Split the acceptance criteria into chunks, in order."}},
	{Coding, phaseAdvice{"coding", "implements the chunk's acceptance criteria", "Implement the acceptance criteria of this chunk, nothing else. Do not commit yet."}},
	{UpdatingDocs, phaseAdvice{"checking off criteria", "checks off the finished criteria in the issue", "Check off the finished criteria with warp issue check, and update the documentation."}},
	{Testing, phaseAdvice{"testing", "runs the project's tests", "Run warp test: it runs the test suite as tests_passed wants it. Never weaken, skip or delete a test to make it pass."}},
	{Committing, phaseAdvice{"committing", "commits the chunk", "Create one conventional commit with the files of this chunk only, as they were tested, with its trailer."}},
	{DocDriftCheck, phaseAdvice{"checking the documentation", "compares the documentation with the code", "Fix mechanical drift; findings of high severity lead back to coding."}},
	{Reporting, phaseAdvice{"filing a report", "files the chunk's report", "File the chunk report: warp state file . report. The report is missing until then."}},
	{ChunkComplete, phaseAdvice{"moving on to the next chunk", "starts the next chunk, or finishes the requirement", "Start the next chunk, or finish the requirement when all chunks are done."}},
	{RequirementComplete, phaseAdvice{"testing all of it", "runs all tests once more", "Run the whole test suite once more (warp test), then continue to the merge."}},
	{Merging, phaseAdvice{"merging", "merges the work, or opens a pull request", "Level 2: push and open a pull request (warp state file . pull). Level 3: rebase, test, fast-forward, push."}},
	{AwaitingContinue, phaseAdvice{"done, choosing what is next", "chooses the next requirement, or the end", "Ask: continue to the next task?"}},
	{SessionEnding, phaseAdvice{"filing the summary", "files the session's summary", "File the session summary, lessons and decisions: warp state file . summary."}},
	{BudgetExceeded, phaseAdvice{"stopped by a budget", "waits for a person, because a budget tripped", "Say what tripped and what was tried. Reset the budget and continue only when a person or the policy says so."}},
	{Aborted, phaseAdvice{"cleaning up", "cleans up after the drive was stopped", "Clean up: make a WIP commit of uncommitted work, file an abort report, then report the outcome."}},
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
