package demo

import (
	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// Needs implements agent.Confined: it is told how to misbehave.
func (adapter) Needs(agent.Task, []string) contain.Needs {
	return contain.Needs{Env: []string{"WARP_DEMO"}}
}
