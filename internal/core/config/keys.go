package config

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/core/questions"
)

// How much people are notified about.
const (
	NotifyAll       = "all"
	NotifyImportant = "important"
	NotifyQuestions = "questions"
)

// Key is one setting.
type Key struct {
	Name    string
	Purpose string
	Accepts string
	Default *lossless.Value // nil: not set
	Choices []string        // the accepted values, if they are a few words
	text    bool            // typed input is the string itself
	list    listKind
	members string // it may be an object; the member that a single value sets
	take    func(*Workflow, *lossless.Value) error
}

// listKind is whether a setting is a list, and how a single typed word becomes one.
type listKind int

const (
	notList     listKind = iota
	listOfWords          // the word is the only item
	commandLine          // the word is split as by a shell
)

// maxLimit is the largest accepted number of a limit.
const maxLimit = 1_000_000

// Keys returns the settings, in display order.
func Keys() []*Key { return keys.Get() }

var keys = lazy.Value[[]*Key]{Make: func() []*Key {
	return []*Key{
		number("max_acs_per_commit", 3, 1, "the most acceptance criteria in one chunk", func(w *Workflow) *int { return &w.Limits.ACsPerCommit }),
		flag("test_before_commit", true, "run the tests before each commit", func(w *Workflow) *bool { return &w.TestBeforeCommit }),
		flag("auto_merge", true, "level 3: merge to the main branch without asking", func(w *Workflow) *bool { return &w.AutoMerge }),
		choice("checks", "auto", []string{"auto", "evidence", "off"}, "have a test of each criterion written before the work, which the coder does not see; auto: when it turned green, it joins the commit where the project's own command runs it; evidence: it stays beside the evidence", func(w *Workflow) *string { return &w.Checks }),
		choice("unproven", "pull-request", []string{"merge", "pull-request", "ask"}, "level 3, with checks: what happens to work with a criterion that nothing can prove, or whose check got lost", func(w *Workflow) *string { return &w.Unproven }),
		number("max_phase_minutes", 30, 1, "minutes in one phase before its budget trips", func(w *Workflow) *int { return &w.Limits.PhaseMinutes }),
		number("max_coding_cycles", 3, 0, "code/test cycles of one chunk", func(w *Workflow) *int { return &w.Limits.CodingCycles }),
		number("max_retries_per_chunk", 5, 0, "retries of one chunk, of any kind", func(w *Workflow) *int { return &w.Limits.Retries }),
		number("max_no_progress", 3, 1, "identical failures in a row, with no new diff", func(w *Workflow) *int { return &w.Limits.NoProgress }),
		editsPerFile(),
		flag("pre_exit_verification", true, "check the criteria again before a phase ends", func(w *Workflow) *bool { return &w.PreExit }),
		number("decision_timeout_minutes", 10, 0, "minutes to wait for an answer; then unattended decides", func(w *Workflow) *int { return &w.DecisionMinutes }),
		choice("unattended", questions.TakeDefault, []string{questions.TakeDefault, questions.GiveUp, questions.KeepWaiting}, "what happens to a question that no person answers in time: take its own default, skip what depends on it, or wait without limit", func(w *Workflow) *string { return &w.Unattended }),
		choice("notify", NotifyImportant, []string{NotifyAll, NotifyImportant, NotifyQuestions}, "what is sent to people: everything, what ended and what needs you, or only questions", func(w *Workflow) *string { return &w.Notify }),
		optional("desktop_notifications", "also notify on this machine's desktop, and ring the terminal's bell; not set: if there is a display", func(w *Workflow) **bool { return &w.Desktop }),
		flag("heartbeat_on_commit", true, "notify on each commit", func(w *Workflow) *bool { return &w.Heartbeat }),
		flag("reconcile_per_chunk", true, "recompute the counters from git and tracker after each chunk", func(w *Workflow) *bool { return &w.Reconcile }),
		flag("dev_health_check", true, "check the dev environment between chunks", func(w *Workflow) *bool { return &w.DevHealth }),
		flag("dev_seed_check", true, "advise on seed data while coding", func(w *Workflow) *bool { return &w.DevSeed }),
		number("max_total_chunks", 20, 1, "chunks in one drive", func(w *Workflow) *int { return &w.Limits.TotalChunks }),
		number("max_session_minutes", 480, 1, "minutes of one drive", func(w *Workflow) *int { return &w.Limits.SessionMinutes }),
		dollars("max_session_cost", "dollars for one drive; 0: no limit", func(w *Workflow) *int64 { return &w.SessionMicroUSD }),
		number("max_idle_seconds", 600, 1, "seconds of silence after which an agent is stopped", func(w *Workflow) *int { return &w.IdleSeconds }),
		choice("phase_timeout_enforcement", "warn", []string{"warn", "block", "abort"}, "what happens when a phase takes too long", func(w *Workflow) *string { return &w.Limits.PhaseEnforcement }),
		flag("doc_drift_gate", false, "check the documentation against the code after each commit", func(w *Workflow) *bool { return &w.DocDriftGate }),
		{Name: "verification_gates", Purpose: "commands that must pass before an event counts", Accepts: gatesForm, take: takeGates},
		{Name: "reasoning_budget", members: "phase", Purpose: "reasoning effort per phase; verifying uses that of testing", Accepts: reasoningForm, take: takeReasoning},
		{Name: "level", Purpose: "automation level", Accepts: levelForm, take: takeLevel},
		words("test_command", "the project's tests; detected when not set", func(w *Workflow) *string { return &w.TestCommand }),
		words("coverage_command", "prints how much the tests cover, for warp test --coverage; detected when not set", func(w *Workflow) *string { return &w.CoverageCommand }),
		choice("forge", "auto", []string{"auto", "github", "gitea", "local"}, "the issue tracker", func(w *Workflow) *string { return &w.Forge }),
		choice("report_as", "comment", []string{"issue", "comment", "off"}, "how reports, lessons and decisions are filed: in one comment on the issue that is kept up to date, as issues (also the summary of a night), or not at all; the evidence always has them. Issues for what a person has to do are filed in any case", func(w *Workflow) *string { return &w.ReportAs }),
		flag("keep_branches", false, "keep the branches that warp made after they are merged; otherwise they are deleted, here and on the remote", func(w *Workflow) *bool { return &w.KeepBranches }),
		optional("follow_pulls", "fix open pull requests when their checks fail or a person with write access requests changes; not set: at level 2, and where a protected branch led to the pull request", func(w *Workflow) **bool { return &w.FollowPulls }),
		theAgent(),
		perRole("model", modelForm, "the model of the agent, for all roles or for each; without their own, fix and iterate use that of code, and judge that of verify", isModel, func(w *Workflow) *PerRole { return &w.Models }),
		perRole("effort", effortForm, "how hard the agent thinks, for all roles or for each; in drives, reasoning_budget takes precedence", isEffort, func(w *Workflow) *PerRole { return &w.Efforts }),
		choice("guided_verifier", "agent", []string{"agent", "session"}, "who judges the work of warp next: a separate run of the agent, or a subagent of the agent session", func(w *Workflow) *string { return &w.GuidedVerifier }),
		texts("quality_gates", listOfWords, "further gates of the quality loop, each as NAME=COMMAND; an empty command turns one off", func(w *Workflow) *[]string { return &w.QualityGates }),
		texts("agent_command", commandLine, "the command line of the agent named command", func(w *Workflow) *[]string { return &w.AgentCommand }),
		textsOf("agents", commandLine, "an array of agents: "+strings.Join(Agents(), ", "), "agents to fall back on, in order",
			func(s string) bool { return slices.Contains(Agents(), s) }, func(w *Workflow) *[]string { return &w.Agents }),
		dollars("max_chunk_cost", "dollars for one chunk; 0: no limit", func(w *Workflow) *int64 { return &w.ChunkMicroUSD }),
		dollars("max_day_cost", "dollars for one day of the project; 0: no limit", func(w *Workflow) *int64 { return &w.DayMicroUSD }),
		tokens("max_chunk_tokens", "tokens for one chunk; 0: no limit", func(w *Workflow) *int64 { return &w.ChunkTokens }),
		tokens("max_session_tokens", "tokens for one drive; 0: no limit", func(w *Workflow) *int64 { return &w.SessionTokens }),
		tokens("max_day_tokens", "tokens for one day of the project; 0: no limit", func(w *Workflow) *int64 { return &w.DayTokens }),
		whole("stop_at_window_percent", 0, 0, 100, "", "percent of a subscription's window at which nothing more starts; 0: no limit", func(w *Workflow) *int { return &w.WindowPercent }),
		choice("sandbox", "auto", []string{"auto", "bwrap", "landlock", "container", "off"}, "what confines agents and commands; auto: the best that works here", func(w *Workflow) *string { return &w.Sandbox.Kind }),
		choice("sandbox_network", "agent", []string{"agent", "off", "on"}, "what a confined agent can reach; agent: its API and sandbox_hosts", func(w *Workflow) *string { return &w.Sandbox.Network }),
		texts("sandbox_hosts", listOfWords, "further hosts that may be reached: NAME, *.NAME, NAME:PORT", func(w *Workflow) *[]string { return &w.Sandbox.Hosts }),
		texts("sandbox_read", listOfWords, "further paths that a sandbox shows", func(w *Workflow) *[]string { return &w.Sandbox.Read }),
		texts("sandbox_write", listOfWords, "further paths that a sandbox can write", func(w *Workflow) *[]string { return &w.Sandbox.Write }),
		texts("sandbox_env", listOfWords, "further variables that a sandbox passes on; NAME* means all that start with NAME", func(w *Workflow) *[]string { return &w.Sandbox.Env }),
		choice("sandbox_git", "read-only", []string{"read-only", "private"}, "what an agent in bwrap sees of git's folder; private: a copy to commit in, which is discarded", func(w *Workflow) *string { return &w.Sandbox.Git }),
		texts("sandbox_container", commandLine, "the command line of the sandbox container, with {dir}, {env} and {binds}", func(w *Workflow) *[]string { return &w.Sandbox.Container }),
		number("sandbox_processes", 4096, 0, "processes of one run at once; 0: no limit", func(w *Workflow) *int { return &w.Sandbox.Processes }),
		number("sandbox_memory_mb", 16384, 0, "megabytes of memory of one run; 0: no limit", func(w *Workflow) *int { return &w.Sandbox.MemoryMB }),
		number("sandbox_file_mb", 4096, 0, "megabytes of one file that a run writes; 0: no limit", func(w *Workflow) *int { return &w.Sandbox.FileMB }),
		number("sandbox_disk_mb", 40960, 0, "megabytes that one run writes; 0: no limit", func(w *Workflow) *int { return &w.Sandbox.DiskMB }),
		number("sandbox_output_mb", 256, 0, "megabytes that one run may print; 0: no limit", func(w *Workflow) *int { return &w.Sandbox.OutputMB }),
		flag("in_place", false, "workflows work in your work tree, not in a separate one", func(w *Workflow) *bool { return &w.InPlace }),
		words("worktree_setup", "a command that prepares a fresh checkout for the tests, such as npm ci", func(w *Workflow) *string { return &w.WorktreeSetup }),
		texts("protected", listOfWords, "patterns of further files that decide how tests run; their versions from before the work count", func(w *Workflow) *[]string { return &w.Protected }),
		texts("worktree_copy", listOfWords, "patterns of ignored files that every checkout gets, such as .env.test", func(w *Workflow) *[]string { return &w.WorktreeCopy }),
	}
}}

func editsPerFile() *Key {
	return number("max_edits_per_file", 5, 1, "edits of one file in one phase before a doom-loop warning", func(w *Workflow) *int { return &w.Limits.EditsPerFile })
}

// Agents returns the names of the coding agents.
func Agents() []string { return []string{"claude", "codex", "gemini", "command", "demo"} }

// Find returns the key of a name, or nil.
func Find(name string) *Key {
	for _, k := range Keys() {
		if k.Name == name {
			return k
		}
	}
	return nil
}
