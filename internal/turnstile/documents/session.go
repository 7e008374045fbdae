package documents

import (
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
)

// OpenSession names the document of a session: of a loop or a pipeline. Its engine, its
// commands and those who only look read it alike.
func OpenSession(store *durable.Store, name string) *durable.Doc[sessionstate.State] {
	kind := durable.Kind[sessionstate.State]{Name: sessionstate.Name(name), Version: sessionstate.Version, Validate: sessionstate.Validate, Alone: sessionstate.EngineAt}
	return durable.Open(store, sessionstate.File(name), kind)
}
