package claude

import (
	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
)

// waits tracks what a silent run is waiting for.
type waits struct {
	calls int              // tool calls without a result yet
	retry errorclass.Class // why the API call is being retried
}

func (w *waits) called() { w.calls++ }

func (w *waits) answered() { w.calls = max(0, w.calls-1) }

// retried reads an api_retry event: Claude Code waits as long as the API demands, without output.
func (w *waits) retried(v *lossless.Value) {
	w.retry = errorclass.Network
	if status, ok := v.Get("error_status").Int(); ok && (status == 429 || status == 529) {
		w.retry = errorclass.RateLimit
	}
}

// Waits implements agent.Waiter. Before its session begins, Claude Code makes no API calls.
func (p *parser) Waits() errorclass.Class {
	switch {
	case p.calls > 0 || !p.told:
		return errorclass.None
	case p.retry != "":
		return p.retry
	}
	return errorclass.Timeout
}
