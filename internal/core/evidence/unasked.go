package evidence

import (
	"slices"

	"warp/internal/core/scope"
	"warp/internal/core/text"
)

// UnaskedFile is a file with what no one asked for, and what became of that.
type UnaskedFile struct {
	scope.Point
	Chunk int    `json:"chunk"`
	End   string `json:"end"`            // left, taken_back, needed; "": not decided yet
	Said  string `json:"said,omitempty"` // why the coder kept it
	epoch int64  // the drive; each numbers its chunks
}

// Words says what it is and what became of it.
func (u UnaskedFile) Words() string { return u.String() + "; " + u.end() }

func (u UnaskedFile) end() string {
	switch u.End {
	case unaskedLeft:
		return "the coder left it, so a person has to merge it"
	case "taken_back":
		return "it was taken back"
	case "needed":
		return "the verifier agrees that it is needed: " + u.Said
	}
	return "the coder is asked to take it back"
}

const unaskedLeft = "left"

// UnaskedFiles lists what no one asked for in the work on a requirement.
func (b *Book) UnaskedFiles() (list []UnaskedFile) {
	has := func(points []scope.Point, file string) bool {
		return slices.ContainsFunc(points, func(p scope.Point) bool { return p.File == file })
	}
	for _, e := range b.Unasked {
		switch u := e.Row; u.Stage {
		case UnaskedTold:
			for _, p := range u.Points {
				list = append(list, UnaskedFile{Point: p, epoch: u.Epoch, Chunk: u.Chunk})
			}
		case UnaskedStands:
			for i := range list {
				f := &list[i]
				switch {
				case f.Chunk != u.Chunk || f.epoch != u.Epoch:
				case has(u.Points, f.File):
					f.End = unaskedLeft
					f.Point = u.Points[slices.IndexFunc(u.Points, func(p scope.Point) bool { return p.File == f.File })]
				case has(u.Cleared, f.File):
					f.End, f.Said = "needed", u.Said
				default:
					f.End = "taken_back"
				}
			}
			for _, p := range u.Points {
				if !slices.ContainsFunc(list, func(f UnaskedFile) bool { return f.Chunk == u.Chunk && f.epoch == u.Epoch && f.File == p.File }) {
					list = append(list, UnaskedFile{Point: p, epoch: u.Epoch, Chunk: u.Chunk, End: unaskedLeft})
				}
			}
		}
	}
	return list
}

// unasked lists what no one asked for, and what became of it.
func unasked(b *Book) (items []string) {
	for _, u := range b.UnaskedFiles() {
		items = append(items, point(u.Point)+"; "+inline(u.end()))
	}
	return items
}

// DoMerge says what a person does with a pull request; unasked are the files with what no one asked
// for.
func DoMerge(unasked []string) string {
	if len(unasked) == 0 {
		return "review and merge it"
	}
	return "look at what no one asked for (" + text.Quote(unasked, 3) + "), and merge it"
}
