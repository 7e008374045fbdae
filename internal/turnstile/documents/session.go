package documents

import (
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
)

// OpenSession returns the document of a session, of a loop or a pipeline.
func OpenSession(store *durable.Store, name string) *durable.Doc[sessionstate.State] {
	kind := durable.Kind[sessionstate.State]{Name: sessionstate.Name(name), Version: sessionstate.Version, Validate: sessionstate.Validate, Alone: sessionstate.EngineAt}
	return durable.Open(store, sessionstate.File(name), kind)
}
