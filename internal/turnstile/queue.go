package turnstile

import (
	"warp/internal/core/workqueue"
	"warp/internal/durable"
)

// QueueKind is the work queue's kind of document. Hooks, commands and the quality loop
// all write it through the store, each on the queue as it is: none loses what another
// one has put there.
var QueueKind = durable.Kind[workqueue.Queue]{Name: workqueue.DocumentName, Version: workqueue.Version, Validate: workqueue.Validate}

// Queue is the project's work queue, which the main work tree has.
func (p *Project) Queue() *durable.Doc[workqueue.Queue] {
	return durable.Open(p.Home(), workqueue.File, QueueKind)
}
