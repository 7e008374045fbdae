package documents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
)

// OpenSession returns the document of a session, of a loop or a pipeline.
func OpenSession(store *durable.Store, name string) *durable.Doc[sessionstate.State] {
	kind := durable.Kind[sessionstate.State]{Name: sessionstate.Name(name), Version: sessionstate.Version, Validate: sessionstate.Validate, Alone: sessionstate.EngineAt}
	return durable.Open(store, sessionstate.File(name), kind)
}

// ListSessions lists the names of the loops and pipelines started in a project.
func ListSessions(store *durable.Store) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(store.Dir(), filepath.FromSlash(sessionstate.Folder)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if e.IsDir() && sessionstate.CheckName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, err
}
