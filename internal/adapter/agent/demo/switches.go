package demo

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/answer"
	"warp/internal/engine/agent"
)

const (
	liar      = "liar"
	ticks     = "ticks"
	tamper    = "tamper"
	commit    = "commit"
	destroy   = "destroy"
	overspend = "overspend"
	limit     = "limit"
	quotes    = "quotes"
	loop      = "loop"
	crash     = "crash"
	garbage   = "garbage"
	hang      = "hang"
	orphan    = "orphan"
	stumble   = "stumble"
)

// Switches lists the ways to misbehave.
var Switches = []struct{ Name, Does string }{
	{liar, "says that all is done and changes nothing"},
	{ticks, "checks the criteria off itself"},
	{tamper, "skips a test; as fix it deletes the test file"},
	{commit, "commits by itself, around the hooks"},
	{destroy, "resets the work tree, the last commit included, and deletes untracked files"},
	{overspend, "reports a cost of $50 halfway through"},
	{limit, "runs into a usage limit the first time, and continues when it is resumed"},
	{quotes, "quotes the words of a usage limit in prose"},
	{loop, "makes the same edit again and again"},
	{crash, "is killed halfway through its work"},
	{garbage, "prints noise and broken JSON, and no result"},
	{hang, "prints one line and then nothing"},
	{orphan, "leaves a process behind that holds its output and keeps writing to a file"},
	{stumble, "writes code that fails its tests at first, and fixes it when it is asked again"},
}

// switches maps each switch that is on to its roles; no roles means wherever the switch has
// something to do.
type switches map[string][]agent.Role

// CheckSwitches returns what is wrong with a list of switches.
func CheckSwitches(list string) error {
	_, err := parseSwitches(list)
	return err
}

// parseSwitches parses a list such as "limit,verify:liar".
func parseSwitches(list string) (switches, error) {
	s := switches{}
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "" || More != nil && strings.Contains(one, "=") { // an answer that a test sets
			continue
		}
		role, name, scoped := strings.Cut(one, ":")
		if !scoped {
			name = one
		}
		if !slices.ContainsFunc(Switches, func(k struct{ Name, Does string }) bool { return k.Name == name }) {
			return nil, fmt.Errorf("%q is not a way to misbehave; choose one of %s", name, misdeedNames())
		}
		if scoped && !slices.Contains(answer.Roles, agent.Role(role)) {
			return nil, fmt.Errorf("%q: there is no role %q", one, role)
		}
		switch roles, on := s[name]; {
		case !scoped:
			s[name] = nil
		case !on || roles != nil:
			s[name] = append(roles, agent.Role(role))
		}
	}
	return s, nil
}

// misdeedNames lists the switches.
func misdeedNames() string {
	var names []string
	for _, k := range Switches {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// changers lists the roles that change the work tree, changingSwitches the switches that do. A
// verifier misbehaves like that only if named (verify:commit).
var (
	changers         = []agent.Role{agent.Code, agent.Fix, agent.Iterate}
	changingSwitches = []string{ticks, tamper, commit, destroy, loop, orphan, stumble}
)

func (s switches) on(name string, role agent.Role) bool {
	roles, on := s[name]
	switch {
	case !on:
		return false
	case roles != nil:
		return slices.Contains(roles, role)
	case slices.Contains(changingSwitches, name):
		return slices.Contains(changers, role)
	}
	return true
}
