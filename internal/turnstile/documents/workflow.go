// Package documents finds what sessions and workflows have left in a project: their documents,
// the branches that have landed and the pull requests that may be open. The hook does without
// it.
package documents

import (
	"bytes"
	"path/filepath"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

// OpenWorkflow names the document of a project's workflow.
func OpenWorkflow(store *durable.Store) *durable.Doc[workflowstate.State] {
	kind := durable.Kind[workflowstate.State]{Name: workflowstate.Name, Validate: workflowstate.Validate, Alone: workflowstate.EngineAt}
	return durable.Open(store, workflowstate.File, kind)
}

// RecogniseOld tells a state of the system before this one, which a store takes for damaged;
// nil: it is none. What cannot be read is looked at when it is opened.
func RecogniseOld(store *durable.Store) error {
	text, err := durable.ReadPlain(filepath.Join(store.Dir(), workflowstate.File))
	if err != nil || !bytes.Contains(text, []byte("_step")) { // pages ask again and again
		return nil
	}
	v, err := lossless.Parse(text)
	if err != nil {
		return nil
	}
	return workflowstate.Recognise(v)
}

// PeekWorkflow reads the state as it is, and repairs nothing; nil: it cannot be read.
func PeekWorkflow(store *durable.Store) *workflowstate.State {
	text, err := durable.ReadPlain(filepath.Join(store.Dir(), workflowstate.File))
	if err != nil {
		return nil
	}
	tree, err := lossless.Parse(text)
	if err != nil || workflowstate.Recognise(tree) != nil {
		return nil
	}
	s := &workflowstate.State{}
	if lossless.Decode(tree, s) != nil || workflowstate.Validate(s) != nil {
		return nil
	}
	return s
}
