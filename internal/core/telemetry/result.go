package telemetry

import (
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

const (
	Success = "success"
	Failed  = "failed"
)

// Result is the document agents/results/{id}.json.
type Result struct {
	AgentID         string        `json:"agent_id"`
	Type            string        `json:"type"`
	Task            string        `json:"task"`
	Started         string        `json:"started"`
	Completed       string        `json:"completed"`
	DurationSeconds int           `json:"duration_seconds"`
	Status          string        `json:"status"`
	Findings        []Finding     `json:"findings"`
	Recommendations []string      `json:"recommendations"`
	FilesAnalyzed   []string      `json:"files_analyzed"`
	Metrics         ResultMetrics `json:"metrics"`

	Session string `json:"session,omitempty"` // that started the agent
	Offered bool   `json:"offered,omitempty"` // its findings were shown to the parent
}

// Finding is one finding of an agent; members outside the schema are kept.
type Finding struct {
	lossless.Origin
	Severity       string `json:"severity"` // S0 to S4
	Category       string `json:"category"`
	Title          string `json:"title"`
	Details        string `json:"details"`
	Recommendation string `json:"recommendation"`
}

type ResultMetrics struct {
	FilesRead   int `json:"files_read"`
	IssuesFound int `json:"issues_found"`
}

// StopFacts holds what is known of an agent when it stops.
type StopFacts struct {
	LastMessage string
	Transcript  Facts // the agent's own, not its parent session's
	// Name maps a file name to the project's form, and to "" if it is no file: agents spell one
	// file in several ways. nil: names stay as they are.
	Name func(string) string
}

// files returns distinct file names.
func (f StopFacts) files(list ...[]string) (names []string) {
	for _, file := range slices.Concat(list...) {
		if f.Name != nil {
			file = f.Name(file)
		}
		if file != "" && len(names) < MaxFiles && !slices.Contains(names, file) {
			names = append(names, file)
		}
	}
	return names
}

// read counts the files in the transcript. Those beyond its list have no names and are counted as
// the transcript did.
func (f StopFacts) read() int {
	listed := f.Transcript.Files[:min(len(f.Transcript.Files), MaxFiles)]
	return len(f.files(listed)) + max(0, f.Transcript.FilesRead-len(listed))
}

// Failed reports whether the agent has nothing to say, or an API error ended it.
func (f StopFacts) Failed() bool {
	return strings.TrimSpace(f.LastMessage) == "" || f.Transcript.APIError
}

// NewResult returns the result of an agent. The files that the agent names come before those from
// its transcript.
func NewResult(agent Agent, stop StopFacts, now time.Time) Result {
	findings, recommendations, files := findingList(stop.LastMessage)
	status := Success
	if stop.Failed() {
		status = Failed
	}
	return Result{
		AgentID: agent.ID, Type: agent.Type, Task: agent.Task,
		Started:         agent.Started,
		Completed:       Stamp(now),
		DurationSeconds: int(between(agent.Started, now).Seconds()),
		Status:          status,
		Findings:        findings,
		Recommendations: recommendations,
		FilesAnalyzed:   stop.files(files, stop.Transcript.Files),
		Metrics:         ResultMetrics{FilesRead: stop.read(), IssuesFound: len(findings)},
	}
}
