package claude

import (
	"warp/internal/core/fault"
	"warp/internal/core/lossless"
)

// waits is what a run that has fallen silent waits for.
type waits struct {
	calls int         // of tools, whose results have not come
	retry fault.Class // that the API is asked again for
}

func (w *waits) called() { w.calls++ }

func (w *waits) answered() { w.calls = max(0, w.calls-1) }

// retried reads an api_retry event: Claude Code waits as long as the API wants, and says
// nothing meanwhile.
func (w *waits) retried(v *lossless.Value) {
	w.retry = fault.Network
	if status, ok := v.Get("error_status").Int(); ok && (status == 429 || status == 529) {
		w.retry = fault.RateLimit
	}
}

// Waits implements agent.Waiter. Before its session has begun, Claude Code asks no questions.
func (p *parser) Waits() fault.Class {
	switch {
	case p.calls > 0 || !p.told:
		return fault.None
	case p.retry != "":
		return p.retry
	}
	return fault.Timeout
}
