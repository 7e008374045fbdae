package hook

import (
	"maps"
	"path/filepath"
	"slices"
)

// dialect is how one agent talks to its hooks. There is one set of concerns;
// only the edge differs.
type dialect struct {
	read func([]byte) (Payload, error)
	// event is the agent's word for an event, in ours.
	event func(string) string
	// folder is where the project is: the agent's shell may have gone elsewhere.
	folder func(*call) string
	answer func(Answer, string, Surroundings) int
}

var dialects = map[string]dialect{
	"claude": {ReadPayload, itself, claudeFolder, answerClaude},
	"codex":  {readCodex, itself, codexFolder, answerCodex},
	"gemini": {readGemini, fromGemini, claudeFolder, answerGemini},
}

func agents() []string { return slices.Sorted(maps.Keys(dialects)) }

func itself(name string) string { return name }

func claudeFolder(c *call) string {
	for _, dir := range [...]string{c.around.Getenv("CLAUDE_PROJECT_DIR"), c.Dir} {
		if filepath.IsAbs(dir) {
			return dir
		}
	}
	return c.around.Dir()
}

func answerClaude(a Answer, event string, around Surroundings) int {
	return say(a.claude(event), a, around)
}

// say prints an answer; one that denies and cannot be printed is told by the
// exit code instead.
func say(out []byte, a Answer, around Surroundings) int {
	if out == nil {
		return 0
	}
	if _, err := around.Out.Write(out); err != nil && a.Deny != "" {
		_, _ = around.Err.Write([]byte(a.Deny)) // the exit code says it all the same
		return 2
	}
	return 0
}
