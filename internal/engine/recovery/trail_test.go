package recovery

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/sys/git"
)

func TestMarksOfCommits(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          *trailMark
	}{
		{"a chunk", "feat: Parse (#42 AC-01, AC-02)\n\n- AC-01: the first\n- AC-02: the second: more\n\nRefs: #42\nWarp-Drive: #42 chunk 2/5 session 1778255819402",
			&trailMark{Issue: "42", Chunk: 2, Total: 5, Session: 1778255819402, Criteria: []string{"AC-01", "AC-02"}}},
		{"with trailers", "Parse mail (#42)\n\nMail is parsed.\n\nAC-01: the first\nAC-02: the second: more\nRefs: #42\nWarp-Drive: #42 chunk 2/5 session 1778255819402",
			&trailMark{Issue: "42", Chunk: 2, Total: 5, Session: 1778255819402, Criteria: []string{"AC-01", "AC-02"}}},
		{"with what a hook added", "feat: x\n\n- AC-1: a\n\nWarp-Drive: #1 chunk 1/1 session 5\nChange-Id: I1", &trailMark{Issue: "1", Chunk: 1, Total: 1, Session: 5, Criteria: []string{"AC-1"}}},
		{"work in progress", "wip: #7 chunk 3, stopped\n\nWarp-Drive: #7 chunk 3/3 session 12", &trailMark{Issue: "7", Chunk: 3, Total: 3, Session: 12, WIP: true}},
		{"none", "feat: x\n\n- AC-01: a\n", nil},
		{"quoted", "feat: x\n\n> Warp-Drive: #7 chunk 3/3 session 12", nil},
		{"a chunk beyond the total", "x\n\nWarp-Drive: #7 chunk 4/3 session 12", nil},
		{"numbers that are none", "x\n\nWarp-Drive: #07 chunk +1/3 session 12", nil},
		{"more behind it", "x\n\nWarp-Drive: #7 chunk 1/3 session 12; rm -rf", nil},
		{"a total that would fill the memory", "x\n\nWarp-Drive: #7 chunk 1/900000000 session 12", nil},
		{"negative", "x\n\nWarp-Drive: #-7 chunk 1/3 session -12", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := readMark(git.Commit{Message: c.message})
			if ok != (c.want != nil) {
				t.Fatalf("%t %+v", ok, got)
			}
			if c.want != nil {
				if diff := cmp.Diff(*c.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// Only the newest session resumes; what earlier ones committed is done.
func TestATrailIsThatOfTheNewestSession(t *testing.T) {
	commit := func(hash, text string) git.Commit { return git.Commit{Hash: hash, Message: text} }
	got := readTrail("7", []git.Commit{
		commit("a", "x\n\n- AC-01: a\nWarp-Drive: #7 chunk 1/3 session 5"),
		commit("b", "wip: x\n\n- AC-02: b\nWarp-Drive: #7 chunk 2/3 session 5"),
		commit("c", "x\n\n- AC-09: c\nWarp-Drive: #8 chunk 1/1 session 9"),
		commit("d", "x\n\n- AC-02: b\nWarp-Drive: #7 chunk 1/2 session 6"),
	})
	if len(got.marks) != 1 || got.marks[0].Hash != "d" || got.session != 6 || got.total != 2 || !cmp.Equal(got.older, []string{"AC-01"}) || got.stopped() {
		t.Errorf("%+v", got)
	}
}

func FuzzReadMark(f *testing.F) {
	f.Add("wip: x\n\n- AC-01: a\nWarp-Drive: #42 chunk 2/5 session 1778255819402")
	f.Add("- AC-: \nWarp-Drive: #")
	f.Fuzz(func(t *testing.T, message string) {
		m, ok := readMark(git.Commit{Message: message})
		if ok && (m.Chunk < 1 || m.Total < m.Chunk || m.Total > maxChunks || m.Session < 1 || m.Issue == "") {
			t.Fatalf("%q: %+v", message, m)
		}
	})
}
