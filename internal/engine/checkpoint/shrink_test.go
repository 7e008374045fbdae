package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
)

// large is a state of 500 tasks, of which so many are done.
func large(b *box, done int) *workflowstate.State {
	s := workflowstate.Begin(workflowstate.Plan{ID: "20260115T120000Z", TaskDoc: "/task.md", Phases: 1, Branch: "feature", Limits: workflowstate.DefaultLimits}, b.clock)
	plan := lossless.NewObject()
	for i := range 500 {
		id, print := fmt.Sprintf("1.%d", i+1), sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		about := ""
		for range 8 {
			print = sha256.Sum256(print[:])
			about += fmt.Sprintf("Write the file %x so that what it says is what it is about.\n", print)
		}
		plan = plan.With(id, lossless.NewObject(
			lossless.Member{Key: "task", Value: lossless.NewString(id)}, lossless.Member{Key: "name", Value: lossless.NewString("Do the thing " + id)},
			lossless.Member{Key: "description", Value: lossless.NewString(about)}))
		if i < done {
			s.CompletedTasks = append(s.CompletedTasks, workflowstate.Done{Task: id, Name: "Do the thing " + id, Completed: workflowstate.Stamp(b.clock), Iterations: 1, TimeElapsed: "0m 7s", Cost: "$0.01",
				FilesModified: []string{fmt.Sprintf("%d.txt", i)}, Commit: fmt.Sprintf("%x", print[:20]), Criteria: workflowstate.Criteria{{Key: "there", Met: true}}})
		} else {
			s.PendingTasks = append(s.PendingTasks, workflowstate.Pending{Task: id, Name: "Do the thing " + id, Number: i + 1})
		}
	}
	s.Document = plan
	return s
}

// The snapshots of a workflow of 500 tasks do not fill the disk, and those that are left
// can be gone back to.
func TestSnapshotsOfALargeWorkflowAreBounded(t *testing.T) {
	b := newBox(t)
	r := b.records()
	texts := map[int][]byte{}
	pinned := map[int]bool{7: true}
	for n := 1; n <= 150; n++ {
		s := large(b, n*3)
		s.Checkpoints.Add(n, workflowstate.Checkpoint{Task: "x", GitSHA: "y", Manual: n == 7}, b.clock)
		texts[n] = r.print(s, nil)
		b.ok(r.writeSnapshot(n, texts[n], true))
		b.ok(r.shrink(pinned))
	}
	list, err := r.snapshots()
	b.ok(err)
	var whole, packed int64
	var left []int
	for _, k := range list {
		if left = append(left, k.n); k.packed {
			packed += k.size
		} else {
			whole += k.size
		}
		text, err := r.readSnapshot(k.n)
		if err != nil || !bytes.Equal(text, texts[k.n]) {
			t.Errorf("snapshot %d is another: %v", k.n, err)
		}
		if !r.signed(k.n) {
			t.Errorf("snapshot %d is not signed", k.n)
		}
	}
	if whole > maxUnpacked+int64(len(texts[150])) || packed > maxPacked {
		t.Errorf("%d bytes whole, %d packed", whole, packed)
	}
	if len(left) == 150 || len(left) < 20 {
		t.Errorf("%d of 150 are left, %d bytes whole, %d packed; the newest has %d", len(left), whole, packed, len(texts[150]))
	}
	for _, n := range []int{150, 149, 7, 1} { // the newest, what a person made, the first
		if !slices.Contains(left, n) {
			t.Errorf("%d is gone, left are %v", n, left)
		}
	}
	if list[0].packed || string(must(r.store.ReadFile(r.path(workflowstate.CheckpointFile)))) != string(texts[150]) {
		t.Error("the newest is to be copied as it is")
	}
}

// What is thinned out is thinned the more the older it is.
func TestOldSnapshotsAreFartherApart(t *testing.T) {
	var old []kept
	for n := 199; n >= 1; n-- {
		old = append(old, kept{n: n})
	}
	for len(old) > 20 {
		i := chooseRemovable(old, 200, nil)
		old = slices.Delete(old, i, i+1)
	}
	var gaps []int
	for i := range old[:len(old)-1] {
		gaps = append(gaps, old[i].n-old[i+1].n)
	}
	if gaps[0] > 3 || slices.Max(gaps[len(gaps)-6:]) < 10 || old[len(old)-1].n != 1 {
		t.Error(old, gaps)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
