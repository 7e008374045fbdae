package status

import (
	"cmp"
	"encoding/json"
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/ui/feed"
)

// other is a drive in another work tree.
type other struct {
	Issue     string           `json:"issue"`
	Phase     drivestate.Phase `json:"phase"`
	Chunk     int              `json:"chunk"`
	Chunks    int              `json:"chunks"`
	StartedAt string           `json:"started_at"`
	Stale     bool             `json:"stale"`
	Paused    bool             `json:"paused"`
	Frozen    bool             `json:"frozen"`
	Root      string           `json:"root"`
}

// maxEnded is how many items that are over the document has.
const maxEnded = 20

// document is the state of the drive here, if there is one, with what else there is.
func document(f *feed.Feed) []byte {
	others, items, questions := []other{}, []feed.Item{}, []feed.Question{} // jq iterates over no null
	ended := 0
	for _, i := range f.Items {
		if s := i.Drive.State; s != nil && i.Root != f.Root && s.Phase.Active() {
			others = append(others, other{Issue: s.Issue(), Phase: s.Phase, Chunk: s.Chunk.Index, Chunks: s.Chunk.Total, StartedAt: s.Session.StartedAt,
				Stale: i.Drive.Stale, Paused: s.Paused != nil, Frozen: s.Frozen != nil, Root: i.Root})
		}
		if i.State.Over() {
			ended++
		}
		if !i.Later && (!i.State.Over() || ended <= maxEnded) {
			items = append(items, i)
		}
	}
	slices.SortFunc(others, func(a, b other) int { return cmp.Compare(a.Root, b.Root) })
	questions = append(questions, f.Questions...)
	more := []lossless.Member{{Key: "project", Value: lossless.NewString(f.Project)}}
	here, ok := f.Here()
	if ok {
		more = append(more, lossless.Member{Key: "stale", Value: lossless.Encode(here.Drive.Stale, nil)})
	}
	for _, m := range []struct {
		key   string
		value any
	}{{"others", others}, {"items", items}, {"questions", questions}, {"today", f.Today}} {
		more = append(more, lossless.Member{Key: m.key, Value: tree(m.value)})
	}
	if ok {
		return here.Drive.JSON(more...)
	}
	return append(lossless.AppendIndent(nil, lossless.NewObject(more...)), '\n')
}

// tree is a value as JSON has it: times are no part of documents.
func tree(x any) *lossless.Value {
	text, err := json.Marshal(x)
	if err != nil {
		return lossless.NewString(err.Error())
	}
	v, err := lossless.Parse(text)
	if err != nil {
		return lossless.NewString(err.Error())
	}
	return v
}
