package hook

import (
	"strings"

	"warp/internal/core/lossless"
)

// prefix begins all of warp's messages to an agent.
const prefix = "[warp-drive] "

// hookAnswer collects what the concerns of an event want to tell the agent.
type hookAnswer struct {
	Deny    string   // PreToolUse: why the call is refused
	Allow   string   // PreToolUse: why the person need not be asked
	Block   string   // Stop: why the agent must go on; PostToolUse: what is wrong
	Context []string // text for the agent
	Message string   // text for the person
}

func (a *hookAnswer) deny(why string) {
	if a.Deny == "" {
		a.Deny = prefix + why
	}
}

func (a *hookAnswer) tell(text string) { a.Context = append(a.Context, prefix+text) }

// inform adds a line for the person; "" adds none.
func (a *hookAnswer) inform(text string) {
	if text != "" {
		a.Message = strings.TrimPrefix(a.Message+"\n"+prefix+text, "\n")
	}
}

// claude encodes the answer in Claude Code's protocol.
func (a hookAnswer) claude(event string) []byte {
	var out, specific []lossless.Member
	switch {
	case a.Deny != "":
		addText(&specific, "permissionDecision", "deny")
		addText(&specific, "permissionDecisionReason", a.Deny)
	case a.Allow != "":
		addText(&specific, "permissionDecision", "allow")
		addText(&specific, "permissionDecisionReason", prefix+a.Allow)
	}
	addText(&specific, "additionalContext", strings.Join(a.Context, "\n"))
	if a.Block != "" {
		addText(&out, "decision", "block")
		addText(&out, "reason", a.Block)
	}
	addText(&out, "systemMessage", a.Message)
	return spellAnswer(out, event, specific)
}

// addText adds a member to an answer unless the text is empty.
func addText(to *[]lossless.Member, key, text string) {
	if text != "" {
		*to = append(*to, lossless.Member{Key: key, Value: lossless.NewString(text)})
	}
}

// spellAnswer encodes an answer for the agent; nil if it is empty.
func spellAnswer(out []lossless.Member, event string, specific []lossless.Member) []byte {
	if specific != nil {
		specific = append([]lossless.Member{{Key: "hookEventName", Value: lossless.NewString(event)}}, specific...)
		out = append(out, lossless.Member{Key: "hookSpecificOutput", Value: lossless.NewObject(specific...)})
	}
	if out == nil {
		return nil
	}
	return append(lossless.AppendCompact(nil, lossless.NewObject(out...)), '\n')
}
