package recovery

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// boxes are criteria, those with an x checked.
func boxes(marks string) (list []criteria.Criterion) {
	for i, m := range marks {
		list = append(list, criteria.Criterion{ID: fmt.Sprintf("%c", 'a'+i), Text: "thing", Done: m == 'x'})
	}
	return list
}

func ids(chunks ...string) (all [][]string) {
	for _, c := range chunks {
		one := []string{}
		for _, r := range c {
			one = append(one, string(r))
		}
		all = append(all, one)
	}
	return all
}

func chunks(m map[int]string) map[int][]string {
	all := map[int][]string{}
	for k, c := range m {
		all[k] = ids(c)[0]
		if c == "" {
			all[k] = nil
		}
	}
	return all
}

type known = map[int]string

func TestADriveIsPutTogetherAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		boxes   string
		total   int
		done    known
		known   known
		skipped known
		plan    [][]string
		older   string
		vouched []int
		report  []int
		wip     int
		drift   bool
		gone    bool // no branch is left

		chunks [][]string
		before string
		index  int
		phase  drivestate.Phase
	}{
		{name: "nothing is committed", boxes: "...", phase: drivestate.Discovering},
		{name: "all was given up, on a branch that is gone", boxes: "...", total: 1, skipped: known{1: "abc"}, gone: true, phase: drivestate.Discovering},
		{name: "one of three, not reported", boxes: "xxx....", total: 3, done: known{1: "abc"}, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.Reporting},
		{name: "documents are checked", boxes: "xxx....", total: 3, done: known{1: "abc"}, drift: true, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.DocDriftCheck},
		{name: "reported", boxes: "xxx....", total: 3, done: known{1: "abc"}, report: []int{1}, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.ChunkComplete},
		{name: "all of it", boxes: "xxxx", total: 2, done: known{1: "abc", 2: "d"}, report: []int{1, 2}, chunks: ids("abc", "d"), index: 2, phase: drivestate.ChunkComplete},
		{name: "boxes of a chunk that was under way", boxes: "xxxxxx.", total: 3, done: known{1: "abc"}, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.Reporting},
		{name: "boxes of two chunks that were never pushed", boxes: "xxxxxxx", total: 3, done: known{1: "abc"}, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.Reporting},
		{name: "people did some before", boxes: "xxxx...", total: 2, done: known{1: "bcd"}, chunks: ids("bcd", "efg"), before: "a", index: 1, phase: drivestate.Reporting},
		{name: "people did some before, and a chunk was under way", boxes: "xxxxxxx.", total: 3, done: known{1: "bcd"}, chunks: ids("bcd", "efg", "h"), before: "a", index: 1, phase: drivestate.Reporting},
		{name: "people did some between", boxes: "xxxxxx.", total: 2, done: known{1: "abc"}, chunks: ids("abc", "g"), before: "def", index: 1, phase: drivestate.Reporting},
		{name: "an earlier session did some", boxes: "xxxxxx.", total: 2, done: known{1: "def"}, older: "abc", chunks: ids("def", "g"), before: "abc", index: 1, phase: drivestate.Reporting},
		{name: "a plan that only the commits tell of", boxes: "x.x....", total: 4, done: known{1: "ca"}, chunks: ids("ac", "bd", "ef", "g"), index: 1, phase: drivestate.Reporting},
		{name: "a plan that is known", boxes: "x.x....", total: 3, done: known{1: "ca"}, plan: ids("ca", "gb", "def"), chunks: ids("ca", "gb", "def"), index: 1, phase: drivestate.Reporting},
		{name: "chunks that the state knows", boxes: "x.x....", total: 3, done: known{1: "ca"}, known: known{1: "ca", 2: "f", 3: "bdeg"}, chunks: ids("ac", "f", "bdeg"), index: 1, phase: drivestate.Reporting},
		{name: "a chunk was given up", boxes: "...xxx.", total: 3, done: known{2: "def"}, skipped: known{1: ""}, chunks: ids("abc", "def", "g"), index: 2, phase: drivestate.Reporting},
		{name: "the last one was given up", boxes: "xxx....", total: 3, done: known{1: "abc"}, skipped: known{2: "def"}, chunks: ids("abc", "def", "g"), index: 3, phase: drivestate.Coding},
		{name: "the very last one was given up", boxes: "xxx.", total: 2, done: known{1: "abc"}, skipped: known{2: "d"}, chunks: ids("abc", "d"), index: 2, phase: drivestate.Coding},
		{name: "work in progress", boxes: "xxxxxx.", total: 3, done: known{1: "abc"}, wip: 2, chunks: ids("abc", "def", "g"), index: 2, phase: drivestate.Aborted},
		{name: "a lost commit before the last", boxes: "xxxxxx.", total: 3, done: known{2: "def"}, known: known{1: "abc", 2: "def", 3: "g"}, vouched: []int{1, 2, 3}, chunks: ids("", "def", "g", "abc"), index: 2, phase: drivestate.Reporting},
		{name: "a box that a person has opened again", boxes: "x.x....", total: 3, done: known{1: "abc"}, chunks: ids("ac", "bde", "fg"), index: 1, phase: drivestate.Reporting},
		{name: "the same, of a commit that the journal knows", boxes: "x.x....", total: 3, done: known{1: "abc"}, vouched: []int{1}, chunks: ids("abc", "def", "g"), index: 1, phase: drivestate.Reporting},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := facts{branch: "b", total: c.total, written: boxes(c.boxes), older: ids(c.older)[0], chunks: map[int]*chunk{}, plan: c.plan, wip: c.wip, drift: c.drift, most: 3}
			if c.gone {
				f.branch = ""
			}
			for k, list := range chunks(c.known) {
				f.at(k).known = list
			}
			for k, list := range chunks(c.done) {
				f.at(k).commit(list)
			}
			for k, list := range chunks(c.skipped) {
				f.at(k).skip(list)
			}
			for _, k := range c.vouched {
				f.at(k).vouched = true
			}
			for _, k := range c.report {
				f.at(k).reported = true
			}
			got := f.recovered()
			type gist struct {
				Chunks [][]string
				Before string
				Index  int
				Phase  drivestate.Phase
			}
			before := ""
			for _, id := range got.DoneBefore {
				before += id
			}
			if diff := cmp.Diff(gist{c.chunks, c.before, c.index, c.phase}, gist{got.Chunks, before, got.Index, got.Phase}); diff != "" {
				t.Error(diff)
			}
			everyOnce(t, c.boxes, got)
		})
	}
}

// everyOnce wants each criterion in one place.
func everyOnce(t *testing.T, marks string, r turnstile.Recovered) {
	t.Helper()
	if r.Phase == drivestate.Discovering {
		return
	}
	count := map[string]int{}
	for _, list := range append(r.Chunks, r.DoneBefore) {
		for _, id := range list {
			count[id]++
		}
	}
	for _, c := range boxes(marks) {
		if count[c.ID] != 1 {
			t.Errorf("%s is in %d chunks: %v, before: %v", c.ID, count[c.ID], r.Chunks, r.DoneBefore)
		}
	}
}
