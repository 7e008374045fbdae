package evidence

import "slices"

type (
	// Landed is a branch whose work was merged, or for which a pull request was opened.
	Landed struct {
		Issue  string `json:"issue,omitempty"` // "" for a workflow
		Epoch  int64  `json:"epoch,omitempty"`
		Branch string `json:"branch"`
		Target string `json:"target"`
		Commit string `json:"commit"`           // the branch's head then
		Pushed string `json:"pushed,omitempty"` // head of the remote branch then, as warp pushed it; a rebase changes it
		Pull   int    `json:"pull,omitempty"`   // for a person to merge; 0: merged
		URL    string `json:"url,omitempty"`    // the pull request's
		Level  int    `json:"level,omitempty"`
		// Protected: the merge target accepts no pushes, so a pull request was opened.
		Protected bool `json:"protected,omitempty"`
		// Settled: the tracker reports a workflow's pull request as merged.
		Settled bool `json:"settled,omitempty"`
		// Borrowed: a person made the branch, so warp must not delete it.
		Borrowed bool `json:"borrowed,omitempty"`
	}
	// Follow is another cycle for a requirement's pull request, with the reason.
	Follow struct {
		Issue  string `json:"issue"`
		Epoch  int64  `json:"epoch,omitempty"`
		Pull   int    `json:"pull"`
		URL    string `json:"url,omitempty"`
		Branch string `json:"branch"`
		// Borrowed: a person made the branch, so it is fixed where they have it checked out.
		Borrowed bool     `json:"borrowed,omitempty"`
		Commit   string   `json:"commit"`          // the pull request's head then
		Causes   []string `json:"causes"`          // ids of checks and reviews; none starts a second cycle
		Asked    bool     `json:"asked,omitempty"` // a person asked for changes
		Why      string   `json:"why"`             // in one line
		Said     string   `json:"said,omitempty"`  // what the agent is told: untrusted text
	}
)

// Landings returns the newest row of each branch, in landing order.
func (b *Book) Landings() (list []Landed) {
	for _, e := range b.Landed {
		list = slices.DeleteFunc(list, func(l Landed) bool { return l.Branch == e.Row.Branch })
		list = append(list, e.Row)
	}
	return list
}
