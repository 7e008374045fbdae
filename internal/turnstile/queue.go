package turnstile

import (
	"warp/internal/core/workqueue"
	"warp/internal/durable"
)

// QueueKind is the work queue's kind of document. Hooks, commands and the quality loop all update
// it through the store, so that none loses another's entries.
var QueueKind = durable.Kind[workqueue.Queue]{Name: workqueue.DocumentName, Version: workqueue.Version, Validate: workqueue.Validate}

// Queue returns the project's work queue, which is kept in the main work tree.
func (p *Project) Queue() *durable.Doc[workqueue.Queue] {
	return durable.Open(p.Home(), workqueue.File, QueueKind)
}
