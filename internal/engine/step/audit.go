package step

import (
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// TellTampering reports what is wrong with the journal since an engine last looked: unsigned rows
// of proof, rewritten, removed or moved ones, rows from the future, negative costs. None of them
// counts, but people should know.
func TellTampering(store *durable.Store, remark func(format string, args ...any)) {
	if !store.Signs() {
		return
	}
	var told evidence.Audit
	all := evidence.Audit{Mark: store.Mark()}
	_, err := store.Events(func(r event.Row) bool {
		if r.Kind == event.Audited && r.Standing == event.Signed && r.Data != nil {
			told = evidence.Audit{}
			_ = lossless.Decode(r.Data, &told) // if unreadable, everything is reported again
		}
		all.Take(r, store.Now())
		return true
	})
	if err != nil {
		return // readers of the evidence report it
	}
	words := all.Since(told).Describe()
	for _, w := range words {
		remark("The journal was tampered with, or is not this machine's: %s (warp doctor)", w)
	}
	if len(words) > 0 {
		_ = store.AppendSynced(event.Audited, all) // if that fails, it is reported again
	}
}
