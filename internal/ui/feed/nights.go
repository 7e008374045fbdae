package feed

import (
	"warp/internal/core/account"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
)

// takeNight keeps the issues that a night's account lists as not begun.
func (r *Reader) takeNight(row event.Row) {
	var night struct {
		Account *account.Account `json:"account"`
	}
	if row.Kind != event.Night || !row.Counts() || lossless.Decode(row.Data, &night) != nil || night.Account == nil {
		return
	}
	for _, i := range night.Account.Passed {
		r.passed = append(r.passed, evidence.Entry[evidence.PassedOver]{At: row.At, Row: evidence.PassedOver{Issue: i.Number, Title: i.Title, Why: i.Passed}})
	}
}
