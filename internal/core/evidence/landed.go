package evidence

import "slices"

type (
	// Landed is a branch whose work was merged, or for which a pull request was opened.
	Landed struct {
		Issue  string `json:"issue,omitempty"` // "": of a workflow
		Epoch  int64  `json:"epoch,omitempty"`
		Branch string `json:"branch"`
		Target string `json:"target"`
		Commit string `json:"commit"`           // that the branch had then
		Pushed string `json:"pushed,omitempty"` // that the remote's branch had then, as warp pushed it; a rebase makes it another
		Pull   int    `json:"pull,omitempty"`   // that a person merges; 0: it is merged
		URL    string `json:"url,omitempty"`    // of the pull request
		Level  int    `json:"level,omitempty"`
		// Protected: the merge target takes no pushes, which led to the pull request.
		Protected bool `json:"protected,omitempty"`
		// Settled: the pull request of a workflow is merged, as the tracker said.
		Settled bool `json:"settled,omitempty"`
		// Borrowed: a person made the branch, so it is not warp's to delete.
		Borrowed bool `json:"borrowed,omitempty"`
	}
	// Follow is another cycle of a requirement, and why the pull request needs it.
	Follow struct {
		Issue  string   `json:"issue"`
		Epoch  int64    `json:"epoch,omitempty"`
		Pull   int      `json:"pull"`
		URL    string   `json:"url,omitempty"`
		Branch string   `json:"branch"`
		Commit string   `json:"commit"`          // of the pull request then
		Causes []string `json:"causes"`          // ids of checks and reviews: none starts a second cycle
		Asked  bool     `json:"asked,omitempty"` // a person asked for changes
		Why    string   `json:"why"`             // in one line
		Said   string   `json:"said,omitempty"`  // what the agent is told: words of others
	}
)

// Landings are the newest row of each branch, in the order in which they landed.
func (b *Book) Landings() (list []Landed) {
	for _, e := range b.Landed {
		list = slices.DeleteFunc(list, func(l Landed) bool { return l.Branch == e.Row.Branch })
		list = append(list, e.Row)
	}
	return list
}
