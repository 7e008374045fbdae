package feed

import (
	"path/filepath"

	"warp/internal/core/livestate"
	"warp/internal/durable"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/workflow"
)

// attachLive adds what running engines say that they do. What a killed one left, or
// something other than an engine wrote, is not shown.
func (g gathering) attachLive() {
	for n := range g.feed.Items {
		i := &g.feed.Items[n]
		if i.PID == 0 || i.Root == "" || i.State.Over() {
			continue
		}
		name := i.Name
		switch i.Kind {
		case Drive, Guided:
			name = drive.Lease
		case Workflow:
			name = workflow.Lease
		}
		path := filepath.Join(g.tree(i.Root).drive.Store().Dir(), filepath.FromSlash(livestate.File(name)))
		text, err := durable.ReadPlain(path)
		if err != nil || len(text) > livestate.MaxSize {
			continue
		}
		if s, err := livestate.Parse(text); err == nil && s.PID == i.PID {
			i.Live = s
		}
	}
}
