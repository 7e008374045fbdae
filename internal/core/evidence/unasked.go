package evidence

import (
	"slices"

	"warp/internal/core/scope"
)

// UnaskedFile is a file with what no one asked for, and what became of that.
type UnaskedFile struct {
	scope.Point
	Chunk int    `json:"chunk"`
	End   string `json:"end"`            // left, taken_back, needed; "": not decided yet
	Said  string `json:"said,omitempty"` // why the coder kept it
	epoch int64  // the drive; each numbers its chunks
}

// Words says what became of it.
func (u UnaskedFile) Words() string {
	switch u.End {
	case "left":
		return u.String() + "; it was left, so a person has to merge it"
	case "taken_back":
		return u.String() + "; it was taken back"
	case "needed":
		return u.String() + "; the verifier agrees that it is needed: " + u.Said
	}
	return u.String() + "; the coder is asked to take it back"
}

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
					f.End = "left"
				case has(u.Cleared, f.File):
					f.End, f.Said = "needed", u.Said
				default:
					f.End = "taken_back"
				}
			}
			for _, p := range u.Points {
				if !slices.ContainsFunc(list, func(f UnaskedFile) bool { return f.Chunk == u.Chunk && f.epoch == u.Epoch && f.File == p.File }) {
					list = append(list, UnaskedFile{Point: p, epoch: u.Epoch, Chunk: u.Chunk, End: "left"})
				}
			}
		}
	}
	return list
}

func unasked(b *Book) (items []string) {
	for _, u := range b.UnaskedFiles() {
		items = append(items, code(u.Words()))
	}
	return items
}
