package forge

import (
	"context"
	"slices"
	"time"
)

// Verdict is a check's result for a commit.
type Verdict string

const (
	Green   Verdict = "green"
	Red     Verdict = "red"
	Pending Verdict = "pending"
)

// Check is one check of a commit: a check run, or a commit status.
type Check struct {
	ID      string // unique in the repository
	Name    string
	Verdict Verdict
	Said    string // in its own words
	URL     string
}

// Opinion is a review's verdict on a pull request.
type Opinion string

const (
	Approves  Opinion = "approves"
	Objects   Opinion = "requests changes"
	Withdrawn Opinion = "withdrawn" // dismissed
	Remarks   Opinion = "remarks"
)

// Review is one review of a pull request. Other people wrote its texts.
type Review struct {
	ID      string
	Author  string
	Opinion Opinion
	Body    string
	At      time.Time
	Lines   []LineComment // only if it objects
}

// LineComment is a comment on a line of a file.
type LineComment struct {
	Path string
	Line int // 0: the whole file
	Body string
}

// PullWatcher is a tracker that knows checks and reviews of pull requests.
type PullWatcher interface {
	// Checks returns the checks of a commit, the newest of each name.
	Checks(ctx context.Context, commit string) ([]Check, error)
	// CheckLog returns the end of a check's log; "" if the tracker does not have it.
	CheckLog(ctx context.Context, c Check) (string, error)
	// Reviews returns the reviews of a pull request, oldest first.
	Reviews(ctx context.Context, number int) ([]Review, error)
}

// Objections returns the reviews that still request changes: each person's last one counts, except
// for remarks.
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
