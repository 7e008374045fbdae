package forge

import (
	"context"
	"slices"
	"time"
)

// Verdict is what a check says of a commit.
type Verdict string

// The verdicts.
const (
	Green   Verdict = "green"
	Red     Verdict = "red"
	Pending Verdict = "pending"
)

// Check is one check of a commit: a check run, or a commit status.
type Check struct {
	ID      string // that no other check of the repository has
	Name    string
	Verdict Verdict
	Said    string // in its own words
	URL     string
}

// Opinion is what a review says of a pull request.
type Opinion string

// The opinions.
const (
	Approves  Opinion = "approves"
	Objects   Opinion = "requests changes"
	Withdrawn Opinion = "withdrawn" // it was dismissed
	Remarks   Opinion = "remarks"
)

// Review is one review of a pull request. Its texts are words of others.
type Review struct {
	ID      string
	Author  string
	Opinion Opinion
	Body    string
	At      time.Time
	Lines   []LineComment // only of one that objects
}

// LineComment is said about a place in a file.
type LineComment struct {
	Path string
	Line int // 0: of the whole file
	Body string
}

// PullWatcher is a tracker that knows what checks and people say of pull requests.
type PullWatcher interface {
	// Checks are those of a commit; of each name the newest.
	Checks(ctx context.Context, commit string) ([]Check, error)
	// CheckLog is the end of what a check printed; "": the tracker does not have it.
	CheckLog(ctx context.Context, c Check) (string, error)
	// Reviews are those of a pull request, the oldest first.
	Reviews(ctx context.Context, number int) ([]Review, error)
}

// Objections are the reviews that still request changes: of each person the last word
// counts, and a remark is none.
func Objections(all []Review) (list []Review) {
	for _, r := range all {
		if r.Opinion == Remarks {
			continue
		}
		list = slices.DeleteFunc(list, func(was Review) bool { return was.Author == r.Author })
		if r.Opinion == Objects {
			list = append(list, r)
		}
	}
	return list
}
