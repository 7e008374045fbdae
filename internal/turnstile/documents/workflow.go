// Package documents finds what sessions and workflows left in a project: their documents, landed
// branches, and pull requests that may be open. It is separate so that the hook is not linked with
// it.
package documents

import (
	"bytes"
	"path/filepath"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

// OpenWorkflow returns the document of a project's workflow.
func OpenWorkflow(store *durable.Store) *durable.Doc[workflowstate.State] {
	kind := durable.Kind[workflowstate.State]{Name: workflowstate.Name, Validate: workflowstate.Validate, Alone: workflowstate.EngineAt}
	return durable.Open(store, workflowstate.File, kind)
}

// RecogniseOld returns an error for a state of warp's predecessor, which a store would call
// damaged. It ignores unreadable files: opening them reports the problem.
func RecogniseOld(store *durable.Store) error {
	text, err := durable.ReadPlain(filepath.Join(store.Dir(), workflowstate.File))
	if err != nil || !bytes.Contains(text, []byte("_step")) { // a cheap check first: pages ask often
		return nil
	}
	v, err := lossless.Parse(text)
	if err != nil {
		return nil
	}
	return workflowstate.Recognise(v)
}

// PeekWorkflow reads the state without repairing it. It returns nil if it cannot be read.
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
