package main

import (
	"fmt"
	"strings"

	"warp/internal/adapter/agent/claude"
	"warp/internal/engine/agent"
)

// stream measures the parsing of an agent's events.
func stream(*bench) ([]figure, error) {
	const events, rounds = 300, 100
	lines := make([][]byte, events)
	for i := range lines {
		lines[i] = eventLine(i)
	}
	before := cpu()
	for range rounds {
		p := claude.New(claude.Options{}).Parser(agent.Task{})
		for _, l := range lines {
			p.Line(l)
		}
		p.End(0, "")
	}
	spent := cpu() - before
	return []figure{{name: "CPU for 300 events of an agent's stream", value: float64(spent.Microseconds()) / 1000 / rounds, unit: "ms", most: 10}}, nil
}

// eventLine returns one event as Claude Code prints it: text, calls, results.
func eventLine(i int) []byte {
	usage := `"usage":{"input_tokens":100,"cache_read_input_tokens":2000,"output_tokens":20}`
	switch i % 3 {
	case 0:
		return fmt.Appendf(nil, `{"type":"assistant","message":{"id":"msg_%d","role":"assistant","content":[{"type":"text","text":%q}],%s},"session_id":"s"}`, i, strings.Repeat("word ", 50), usage)
	case 1:
		return fmt.Appendf(nil, `{"type":"assistant","message":{"id":"msg_%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"go test ./..."}}],%s},"session_id":"s"}`, i, i, usage)
	}
	return fmt.Appendf(nil, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]},"session_id":"s"}`, i-1, strings.Repeat("ok  pkg ", 250))
}
