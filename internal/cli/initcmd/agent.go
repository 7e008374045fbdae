package initcmd

import (
	"fmt"
	"strings"

	"warp/internal/core/lossless"
)

// agent is one coding agent: where its hooks are registered and how a
// registration looks. Another one is one more file with one more row.
type agent struct {
	name string
	file string // under the project's root
	// commands: it takes slash commands and skills.
	commands bool
	// note is what a person has to know about its hooks.
	note string
	// render spells the groups of hooks that warp wants, by event, for a
	// program as a shell would name it.
	render func(program string) []group
	// validate says what the agent would not accept, with the line, and
	// warns of what it would pass over.
	validate func(text []byte, doc *lossless.Value) (warnings []string, err error)
}

// group is a group of hooks for one event.
type group struct {
	event string
	value *lossless.Value
}

var agents = []agent{claudeCode, codex, gemini}

func findAgent(name string) (agent, error) {
	var names []string
	for _, a := range agents {
		if a.name == name {
			return a, nil
		}
		names = append(names, a.name)
	}
	return agent{}, fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(names, ", "))
}
