// Package evidence is what a drive leaves behind for those who want to know why
// they should believe it: the rows of the journal that tell of agents' runs,
// verdicts, tests, commits and filed issues, and the book that they add up to,
// requirement by requirement. It does no I/O: rows come in, pages go out.
package evidence

import "warp/internal/core/budget"

// Each row names its requirement, and its chunk where it has one. Epoch is the
// drive's session: when it began, in milliseconds. Rows that older versions wrote
// have none.
type (
	// Run is one run of an agent.
	Run struct {
		Issue      string   `json:"issue"`
		Work       string   `json:"work,omitempty"` // what it is of where that is no requirement: "session NAME"
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
		Unpriced   bool     `json:"unpriced,omitempty"` // what it cost is not known
		Turns      int      `json:"turns,omitempty"`
		Seconds    float64  `json:"seconds"`
		Denials    int      `json:"denials,omitempty"`
		Orphans    int      `json:"orphans,omitempty"`
		Holds      string   `json:"sandbox,omitempty"` // how well it was contained
		Hooks      *Hooks   `json:"hooks,omitempty"`   // that the engine answered
		Lessons    []string `json:"lessons,omitempty"`
		Tree       string   `json:"tree,omitempty"` // the work tree after it
		Log        string   `json:"log,omitempty"`
	}
	// Plan is the approach to a requirement.
	Plan struct {
		Issue    string     `json:"issue"`
		Epoch    int64      `json:"epoch,omitempty"`
		Approach string     `json:"approach,omitempty"`
		Chunks   [][]string `json:"chunks,omitempty"`
	}
	// Verdict is what a verifier said about one criterion.
	Verdict struct {
		Issue  string `json:"issue"`
		Epoch  int64  `json:"epoch,omitempty"`
		Chunk  int    `json:"chunk"`
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason,omitempty"`
		Agent  string `json:"agent,omitempty"`
		Tree   string `json:"tree,omitempty"` // what was judged
	}
	// Gate is what a gate said before an event counted.
	Gate struct {
		Issue   string  `json:"issue,omitempty"`
		Epoch   int64   `json:"epoch,omitempty"`
		Chunk   int     `json:"chunk,omitempty"`
		Event   string  `json:"event"`
		Gate    string  `json:"gate"`
		Passed  bool    `json:"passed"`
		Reason  string  `json:"reason,omitempty"`
		Excerpt string  `json:"excerpt,omitempty"` // of a command: the failing part
		Log     string  `json:"log,omitempty"`
		Seconds float64 `json:"seconds"`
		Tree    string  `json:"tree,omitempty"`    // of what is committed already: what the work tree was
		Untried bool    `json:"untried,omitempty"` // it could not be run: it says nothing about the work
	}
	// Tested is one run of the project's tests.
	Tested struct {
		Issue    string   `json:"issue"`
		Epoch    int64    `json:"epoch,omitempty"`
		Chunk    int      `json:"chunk,omitempty"`
		Stage    string   `json:"stage"` // baseline, chunk, final, merge
		Command  string   `json:"command,omitempty"`
		Passed   bool     `json:"passed"`
		NotRun   bool     `json:"not_run,omitempty"` // the settings say so
		Unready  bool     `json:"unready,omitempty"` // it fails in a clean checkout, and passes in the project
		Red      bool     `json:"red,omitempty"`     // it failed, as it did before
		Broke    []string `json:"broke,omitempty"`   // what fails that did not before
		Exit     int      `json:"exit"`
		Seconds  float64  `json:"seconds"`
		Excerpt  string   `json:"excerpt,omitempty"` // the failing part
		Failing  []string `json:"failing,omitempty"`
		Nameless []string `json:"nameless,omitempty"` // what fails that is no test
		Log      string   `json:"log,omitempty"`
		Tree     string   `json:"tree,omitempty"`
		TimedOut bool     `json:"timed_out,omitempty"`
		// Commit is the tree that the chunk's commit would have had, which is what the
		// tests ran on; "": it was not asked.
		Commit string `json:"commit_tree,omitempty"`
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
		Was        string   `json:"was,omitempty"`       // the commit that a rebase has made it from
		Recovered  bool     `json:"recovered,omitempty"` // it was found in git: no row says that it was judged
	}
	// Filed is something that the tracker was given.
	Filed struct {
		Issue  string `json:"issue"`
		Epoch  int64  `json:"epoch,omitempty"`
		Chunk  int    `json:"chunk,omitempty"`
		What   string `json:"what"` // report, summary, lesson, decision, todo, bug, abort, pull, plan, closed, settling, settled
		Number int    `json:"number,omitempty"`
		URL    string `json:"url,omitempty"`
		Title  string `json:"title,omitempty"`
	}
	// Intervened is something that an agent did and that was taken back.
	Intervened struct {
		Issue string `json:"issue"`
		Work  string `json:"work,omitempty"` // as in Run
		Epoch int64  `json:"epoch,omitempty"`
		Chunk int    `json:"chunk,omitempty"`
		What  string `json:"what"` // commit, destroyed, ticks, state, settings, read_only, orphans
		Text  string `json:"text"`
		Kept  string `json:"kept,omitempty"` // the reference that keeps what was there
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
		// From is the comment that says it; "": it was not said in the tracker. One
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
	// Outcome is what became of a requirement in one session.
	Outcome struct {
		Issue   string `json:"issue"`
		Epoch   int64  `json:"epoch,omitempty"`
		Title   string `json:"title,omitempty"`
		Result  Result `json:"result"`
		Why     string `json:"why,omitempty"`
		Do      string `json:"do,omitempty"` // what a person can do about it
		Branch  string `json:"branch,omitempty"`
		Commit  string `json:"commit,omitempty"` // of the merge target, or the branch's last
		Pull    string `json:"pull,omitempty"`
		Started string `json:"started,omitempty"`
		// Caps are the limits that the command line gave.
		Caps budget.Amount `json:"caps,omitzero"`
	}
	// PassedOver is an approved issue that could not be worked on.
	PassedOver struct {
		Issue string `json:"issue"`
		Epoch int64  `json:"epoch,omitempty"`
		Title string `json:"title,omitempty"`
		Why   string `json:"why"`
	}
	// Written are a requirement's criteria as its text has them.
	Written struct {
		Issue    string      `json:"issue"`
		Epoch    int64       `json:"epoch,omitempty"`
		Criteria []Criterion `json:"criteria"`
	}
	// Criterion is one of them.
	Criterion struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	// Tick is a criterion that was checked off, or back on.
	Tick struct {
		Issue   string `json:"issue"`
		Epoch   int64  `json:"epoch,omitempty"`
		ID      string `json:"id"`
		Checked bool   `json:"checked"`
	}
)

// Result is how a requirement ended.
type Result string

// The results. Only Merged and Pull are all that was asked for.
const (
	Merged  Result = "merged"       // in the merge target
	Pull    Result = "pull_request" // open, for a person to merge
	Partly  Result = "partly"       // some criteria are committed, others are not
	Budget  Result = "budget"       // a budget is spent; it waits for a fresh one
	Person  Result = "needs_person"
	Failed  Result = "failed"
	Stopped Result = "stopped"
	NoWork  Result = "no_work"
)

// Good reports whether all that was asked for was done.
func (r Result) Good() bool { return r == Merged || r == Pull || r == NoWork }

// OfChunk reports whether the tests were run for a chunk, and not for the whole
// requirement.
func (t Tested) OfChunk() bool { return t.Stage == "chunk" }

// ofChunk reports whether the gate's event is a chunk's, and not the whole
// requirement's.
func (g Gate) ofChunk() bool {
	switch g.Event {
	case "requirement_done", "merge_ready", "merged", "merge_failed", "push_failed":
		return false
	}
	return true
}

// What Filed says of the closing of an issue: it began, and it has ended.
const (
	FiledSettling = "settling"
	FiledSettled  = "settled"
)
