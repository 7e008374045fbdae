package step

import (
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// maxWhy bounds what a row of evidence says of why a run failed.
const maxWhy = 500

// Evidence is the row of a run: what its step says of it, and what it came to.
func (r Ran) Evidence(redact func(string) string) evidence.Run {
	row, u := r.Step.Row, r.Result.Usage
	row.Role, row.Agent, row.Model, row.Session = string(r.Step.Role), r.Result.Agent, u.Model, r.Result.Session
	row.End, row.Why, row.Criteria = string(r.Result.End), text.Clip(redact(r.Result.Why), maxWhy), r.Step.Criteria
	row.Input, row.Output, row.CacheRead, row.CacheWrite = u.Input, u.Output, u.CacheRead, u.CacheWrite
	row.MicroUSD, row.Unpriced, row.Turns = u.MicroUSD, !u.Priced, u.Turns
	row.Seconds, row.Denials, row.Orphans, row.Log = r.Result.Duration.Seconds(), len(r.Result.Denials), r.Result.Orphans, r.Result.Log
	return row
}
