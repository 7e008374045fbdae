// Package evidence answers why a drive's work should be believed. It holds the journal's rows about
// agent runs, verdicts, tests, commits and filed issues, the book that collects them by
// requirement, and the pages made from it. It does no I/O.
package evidence

import (
	"slices"

	"warp/internal/core/redfirst"
	"warp/internal/core/scope"
)

// Each row names its requirement, and its chunk if it has one. Epoch identifies the drive's session
// by its start in milliseconds; rows of older versions have none.
type (
	// Run is one run of an agent.
	Run struct {
		Issue      string   `json:"issue"`
		Work       string   `json:"work,omitempty"` // if not for a requirement: "session NAME"
		Epoch      int64    `json:"epoch,omitempty"`
		Chunk      int      `json:"chunk,omitempty"`
		Phase      string   `json:"phase"`
		Role       string   `json:"role"`
		Agent      string   `json:"agent"`
		Model      string   `json:"model,omitempty"`
		Session    string   `json:"session,omitempty"`
		End        string   `json:"end"`
		Why        string   `json:"why,omitempty"`
		Summary    string   `json:"summary,omitempty"`
		Criteria   []string `json:"criteria,omitempty"`
		Input      int64    `json:"input_tokens"`
		Output     int64    `json:"output_tokens"`
		CacheRead  int64    `json:"cache_read_tokens,omitempty"`
		CacheWrite int64    `json:"cache_write_tokens,omitempty"`
		MicroUSD   int64    `json:"micro_usd"`
		Unpriced   bool     `json:"unpriced,omitempty"` // its cost is unknown
		Turns      int      `json:"turns,omitempty"`
		Seconds    float64  `json:"seconds"`
		Denials    int      `json:"denials,omitempty"`
		Orphans    int      `json:"orphans,omitempty"`
		Holds      string   `json:"sandbox,omitempty"` // how well it was confined
		Hooks      *Hooks   `json:"hooks,omitempty"`   // answered by the engine
		Lessons    []string `json:"lessons,omitempty"`
		Tree       string   `json:"tree,omitempty"` // the work tree afterwards
		Log        string   `json:"log,omitempty"`
		// What the agent said of its work: a subject for the commit, the files that belong in it, the
		// criteria that need no change, and why the verdict that it was shown is wrong.
		Commit    string   `json:"commit,omitempty"`
		Files     []string `json:"files,omitempty"`
		DoneIDs   []string `json:"done,omitempty"`
		Objection string   `json:"objection,omitempty"`
		Unread    string   `json:"unread,omitempty"` // why the answer could not be used; "": it was
		Again     bool     `json:"again,omitempty"`  // the same was asked before, and its answer could not be used
	}
	// Plan is the approach to a requirement.
	Plan struct {
		Issue    string     `json:"issue"`
		Epoch    int64      `json:"epoch,omitempty"`
		Approach string     `json:"approach,omitempty"`
		Chunks   [][]string `json:"chunks,omitempty"`
	}
	// Verdict is a verifier's judgement of one criterion.
	Verdict struct {
		Issue  string `json:"issue"`
		Epoch  int64  `json:"epoch,omitempty"`
		Chunk  int    `json:"chunk"`
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason,omitempty"`
		Agent  string `json:"agent,omitempty"`
		Tree   string `json:"tree,omitempty"` // the judged tree
	}
	// Gate is a gate's answer before an event.
	Gate struct {
		Issue   string  `json:"issue,omitempty"`
		Epoch   int64   `json:"epoch,omitempty"`
		Chunk   int     `json:"chunk,omitempty"`
		Event   string  `json:"event"`
		Gate    string  `json:"gate"`
		Passed  bool    `json:"passed"`
		Reason  string  `json:"reason,omitempty"`
		Excerpt string  `json:"excerpt,omitempty"` // the failing part of a command's output
		Log     string  `json:"log,omitempty"`
		Seconds float64 `json:"seconds"`
		Tree    string  `json:"tree,omitempty"`    // the work tree, for work that is already committed
		Untried bool    `json:"untried,omitempty"` // it could not run, so it says nothing about the work
	}
	// Tested is one run of the project's tests.
	Tested struct {
		Issue    string   `json:"issue"`
		Epoch    int64    `json:"epoch,omitempty"`
		Chunk    int      `json:"chunk,omitempty"`
		Stage    string   `json:"stage"` // baseline, chunk, final, merge
		Command  string   `json:"command,omitempty"`
		Passed   bool     `json:"passed"`
		NotRun   bool     `json:"not_run,omitempty"` // as configured
		Unready  bool     `json:"unready,omitempty"` // it fails in a clean checkout and passes in the project
		Red      bool     `json:"red,omitempty"`     // it failed, as before
		Broke    []string `json:"broke,omitempty"`   // new failures
		Exit     int      `json:"exit"`
		Seconds  float64  `json:"seconds"`
		Excerpt  string   `json:"excerpt,omitempty"` // the failing part
		Failing  []string `json:"failing,omitempty"`
		Nameless []string `json:"nameless,omitempty"` // failures that are not tests
		Log      string   `json:"log,omitempty"`
		Tree     string   `json:"tree,omitempty"`
		TimedOut bool     `json:"timed_out,omitempty"`
		// Commit is the tree on which the tests ran: that of a commit, or that the chunk's commit would
		// have; "" if not determined.
		Commit string `json:"commit_tree,omitempty"`
		Reused bool   `json:"reused,omitempty"` // not run again: they passed on the same tree
		// With are criteria whose checks were laid over the tree, where they join its commit.
		With []string `json:"with,omitempty"`
	}
	// Commit is a chunk that was committed.
	Commit struct {
		Issue      string   `json:"issue"`
		Epoch      int64    `json:"epoch,omitempty"`
		Chunk      int      `json:"chunk"`
		Hash       string   `json:"hash"`
		Subject    string   `json:"subject"`
		Criteria   []string `json:"criteria,omitempty"`
		Files      int      `json:"files"`
		Insertions int      `json:"insertions"`
		Deletions  int      `json:"deletions"`
		WIP        bool     `json:"wip,omitempty"`
		Was        string   `json:"was,omitempty"`       // the commit it was rebased from
		Recovered  bool     `json:"recovered,omitempty"` // found in git; no row shows that it was judged
		Earlier    bool     `json:"earlier,omitempty"`   // of earlier work, which has what the chunk asks for
	}
	// Filed is something posted to the tracker.
	Filed struct {
		Issue  string `json:"issue"`
		Epoch  int64  `json:"epoch,omitempty"`
		Chunk  int    `json:"chunk,omitempty"`
		What   string `json:"what"` // report, summary, lesson, decision, todo, bug, abort, pull, plan, closed, settling, settled
		Number int    `json:"number,omitempty"`
		URL    string `json:"url,omitempty"`
		Title  string `json:"title,omitempty"`
	}
	// Intervened is something an agent did that was undone.
	Intervened struct {
		Issue string `json:"issue"`
		Work  string `json:"work,omitempty"` // as in Run
		Epoch int64  `json:"epoch,omitempty"`
		Chunk int    `json:"chunk,omitempty"`
		What  string `json:"what"` // commit, destroyed, ticks, state, settings, read_only, orphans
		Text  string `json:"text"`
		Kept  string `json:"kept,omitempty"` // the reference that keeps the undone work
	}
	// Decision is a question and its answer.
	Decision struct {
		Issue    string   `json:"issue"`
		Epoch    int64    `json:"epoch,omitempty"`
		Chunk    int      `json:"chunk,omitempty"`
		Question string   `json:"question"`
		Options  []string `json:"options,omitempty"`
		Default  string   `json:"default,omitempty"`
		Answer   string   `json:"answer,omitempty"` // "": no answer
		By       string   `json:"by,omitempty"`
		Asked    string   `json:"asked,omitempty"` // the question's name in the inbox
		// From is the comment with the answer; "" if it did not come from the tracker. A comment
		// that answers no question has none.
		From string `json:"from,omitempty"`
	}
	// Skipped is a chunk that was given up.
	Skipped struct {
		Issue    string   `json:"issue"`
		Epoch    int64    `json:"epoch,omitempty"`
		Chunk    int      `json:"chunk"`
		Criteria []string `json:"criteria"`
		Why      string   `json:"why"`
		Kept     string   `json:"kept,omitempty"`
	}
	// Outcome is how a requirement ended in one session.
	Outcome struct {
		Issue   string `json:"issue"`
		Epoch   int64  `json:"epoch,omitempty"`
		Title   string `json:"title,omitempty"`
		Result  Result `json:"result"`
		Why     string `json:"why,omitempty"`
		Do      string `json:"do,omitempty"` // what a person can do about it
		Branch  string `json:"branch,omitempty"`
		Commit  string `json:"commit,omitempty"` // head of the merge target or the branch
		Pull    string `json:"pull,omitempty"`
		Started string `json:"started,omitempty"`
	}
	// PassedOver is an approved issue that could not be worked on.
	PassedOver struct {
		Issue string `json:"issue"`
		Epoch int64  `json:"epoch,omitempty"`
		Title string `json:"title,omitempty"`
		Why   string `json:"why"`
	}
	// Unasked is what no one asked for in a chunk.
	Unasked struct {
		Issue  string        `json:"issue"`
		Epoch  int64         `json:"epoch,omitempty"`
		Chunk  int           `json:"chunk"`
		Stage  string        `json:"stage"` // UnaskedTold, UnaskedJudged or UnaskedStands
		Tree   string        `json:"tree,omitempty"`
		Points []scope.Point `json:"points"`
		// Cleared is what the verifier says a criterion needs, for the coder's reason.
		Cleared []scope.Point `json:"cleared,omitempty"`
		Said    string        `json:"said,omitempty"`
	}
	// Check is a step in the proof of a criterion by a test that somebody else wrote.
	Check struct {
		Issue    string           `json:"issue"`
		Epoch    int64            `json:"epoch,omitempty"`
		Chunk    int              `json:"chunk,omitempty"`
		ID       string           `json:"id"`
		Stage    string           `json:"stage"` // CheckContract, CheckBefore, CheckWork, CheckSettled, CheckLost, CheckJoining, CheckJoined or CheckMetBefore
		Contract string           `json:"contract,omitempty"`
		Decided  string           `json:"decided,omitempty"` // what the contract decides beyond the issue
		Agent    string           `json:"agent,omitempty"`
		Kinds    []redfirst.Kind  `json:"kinds,omitempty"`
		Outcome  redfirst.Outcome `json:"outcome,omitempty"`
		Passed   bool             `json:"passed,omitempty"` // as it has to be at this stage
		Tree     string           `json:"tree,omitempty"`
		Why      string           `json:"why,omitempty"`        // what failed, or why it does not count
		Seen     bool             `json:"seen,omitempty"`       // nothing kept the coder from reading it
		Red      bool             `json:"red_before,omitempty"` // at work: it failed before
		File     string           `json:"file,omitempty"`       // that the check became
	}
	// Written is a requirement's list of criteria, from its text.
	Written struct {
		Issue    string      `json:"issue"`
		Epoch    int64       `json:"epoch,omitempty"`
		Criteria []Criterion `json:"criteria"`
	}
	Criterion struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	// Tick is a checkbox that was checked or unchecked.
	Tick struct {
		Issue   string `json:"issue"`
		Epoch   int64  `json:"epoch,omitempty"`
		ID      string `json:"id"`
		Checked bool   `json:"checked"`
	}
)

// Result is how a requirement ended.
type Result string

// Only Merged and Pull mean that everything asked for is done.
const (
	Merged  Result = "merged"       // in the merge target
	Pull    Result = "pull_request" // open, for a person to merge
	Partly  Result = "partly"       // some criteria are committed, others are not
	Budget  Result = "budget"       // spent; waits for a new one
	Person  Result = "needs_person"
	Failed  Result = "failed"
	Stopped Result = "stopped"
	NoWork  Result = "no_work"
)

// Good reports whether everything asked for was done.
func (r Result) Good() bool { return r == Merged || r == Pull || r == NoWork }

// OfChunk reports whether the tests ran for a chunk rather than the whole requirement.
func (t Tested) OfChunk() bool { return t.Stage == "chunk" }

// ofChunk reports whether the event is a chunk's rather than the whole requirement's.
func (g Gate) ofChunk() bool {
	return !slices.Contains([]string{"requirement_done", "merge_ready", "merged", "merge_failed", "push_failed"}, g.Event)
}

// Filed.What while warp closes an issue, and after.
const (
	FiledSettling = "settling"
	FiledSettled  = "settled"
)

// Unasked.Stage.
const (
	UnaskedTold   = "told"   // the coder is asked to take it back
	UnaskedJudged = "judged" // the verifier's list
	UnaskedStands = "stands" // what is left after that
)
