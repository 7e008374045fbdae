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

// claude spells the answer in Claude Code's protocol; nothing when there is
// nothing to say.
func (a hookAnswer) claude(event string) []byte {
	var out, specific []lossless.Member
	add := func(list *[]lossless.Member, key, text string) {
		if text != "" {
			*list = append(*list, lossless.Member{Key: key, Value: lossless.NewString(text)})
		}
	}
	if a.Deny != "" {
		add(&specific, "permissionDecision", "deny")
		add(&specific, "permissionDecisionReason", a.Deny)
	}
	if a.Allow != "" && a.Deny == "" {
		add(&specific, "permissionDecision", "allow")
		add(&specific, "permissionDecisionReason", prefix+a.Allow)
	}
	add(&specific, "additionalContext", strings.Join(a.Context, "\n"))
	if a.Block != "" {
		add(&out, "decision", "block")
		add(&out, "reason", a.Block)
	}
	add(&out, "systemMessage", a.Message)
	if specific != nil {
		specific = append([]lossless.Member{{Key: "hookEventName", Value: lossless.NewString(event)}}, specific...)
		out = append(out, lossless.Member{Key: "hookSpecificOutput", Value: lossless.NewObject(specific...)})
	}
	if out == nil {
		return nil
	}
	return append(lossless.AppendCompact(nil, lossless.NewObject(out...)), '\n')
}
