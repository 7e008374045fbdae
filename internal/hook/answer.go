package hook

import (
	"strings"

	"warp/internal/core/lossless"
)

// prefix begins everything that warp says to an agent.
const prefix = "[warp-drive] "

// hookAnswer is what the concerns of an event have to say to the agent.
type hookAnswer struct {
	Deny    string   // PreToolUse: the call is not made, the agent reads why
	Allow   string   // PreToolUse: the person need not be asked, and why
	Block   string   // Stop: the agent goes on; PostToolUse: it reads why something is wrong
	Context []string // the agent reads it
	Message string   // the person reads it
}

func (a *hookAnswer) deny(why string) {
	if a.Deny == "" {
		a.Deny = prefix + why
	}
}

func (a *hookAnswer) tell(text string) { a.Context = append(a.Context, prefix+text) }

// inform adds something that the person reads; "" is nothing.
func (a *hookAnswer) inform(text string) {
	if text != "" {
		a.Message = strings.TrimPrefix(a.Message+"\n"+prefix+text, "\n")
	}
}

// claude spells the answer in Claude Code's protocol.
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

// addText adds a member to an answer; "" is none.
func addText(to *[]lossless.Member, key, text string) {
	if text != "" {
		*to = append(*to, lossless.Member{Key: key, Value: lossless.NewString(text)})
	}
}

// spellAnswer is an answer as the agent reads it; nothing when there is nothing to say.
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
