package drivestate

// guide says, for each phase, what happens in it and what is expected now.
var guide = [...]advice{
	{Idle, "nothing is under way", "Nothing is expected; start begins a drive."},
	{Prerequisites, "automation level, branch and test command are checked", "Check that the automation level is 2 or 3, the branch is not the main branch (level 2), and a test command exists."},
	{Discovering, "approved work is looked for", "Select the next issue labelled req and approved, or report that there is none."},
	{Planning, "the issue is read and an approach drafted", "Read the issue; draft an approach when it has more than 3 criteria or needs an architecture decision."},
	{Chunking, "the work is split into commit-sized chunks", "Split the acceptance criteria into chunks, in order."},
	{Coding, "the chunk's acceptance criteria are implemented", "Implement the acceptance criteria of this chunk, nothing else. Do not commit yet."},
	{UpdatingDocs, "the finished criteria are checked off in the issue", "Check off the finished criteria with warp issue check, and update the documentation."},
	{Testing, "the project's tests run", "Run warp test: it runs the test suite as tests_passed wants it. Never weaken, skip or delete a test to make it pass."},
	{Committing, "the chunk is committed", "Create one conventional commit with the files of this chunk only, as they were tested, with its trailer."},
	{DocDriftCheck, "the documentation is held against the code", "Fix mechanical drift; findings of high severity lead back to coding."},
	{Reporting, "the chunk's report is filed", "File the chunk report: warp state file . report. The report is missing until then."},
	{ChunkComplete, "a chunk is done; the next one, or the end, is chosen", "Start the next chunk, or finish the requirement when all chunks are done."},
	{RequirementComplete, "the final full test runs", "Run the whole test suite once more (warp test), then go on to the merge."},
	{Merging, "the work is merged, or a pull request opened", "Level 2: push and open a pull request (warp state file . pull). Level 3: rebase, test, fast-forward, push."},
	{AwaitingContinue, "the next requirement, or the end, is chosen", "Ask: continue to the next task?"},
	{SessionEnding, "the session's summary is filed", "File the session summary, lessons and decisions: warp state file . summary."},
	{BudgetExceeded, "a budget tripped; a person has to decide", "Say what tripped and what was tried. Reset the budget and continue only when a person or the policy says so."},
	{Aborted, "the drive was stopped; it is being cleaned up", "Clean up: make a WIP commit of uncommitted work, file an abort report, then report the outcome."},
	{Completed, "the drive is over", "Nothing is expected."},
}

type advice struct {
	phase        Phase
	purpose, now string
}

func adviceFor(p Phase) advice {
	for _, a := range guide {
		if a.phase == p {
			return a
		}
	}
	return advice{}
}

// Purpose says in one line what happens in a phase; "" for what is no phase.
func Purpose(p Phase) string { return adviceFor(p).purpose }

// Expected says what the driver has to do now.
func Expected(p Phase) string { return adviceFor(p).now }
