package checkpoint

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

// A snapshot is a whole state, which grows with each task, and each task has one: 500 tasks would
// take hundreds of megabytes. So the newest are kept as they are, older ones are packed
// (checkpoint-NNN.json.gz), and of those some are removed, more of them the older they are. Small
// workflows keep all as they are.
const (
	maxUnpacked = 2 << 20 // bytes of unpacked snapshots, besides the newest
	maxPacked   = 3 << 20 // bytes of packed ones
)

// kept is a snapshot's file.
type kept struct {
	n      int
	size   int64
	packed bool
}

// snapshots returns the existing snapshots, newest first. One that exists both whole and packed
// counts as whole.
func (r records) snapshots() ([]kept, error) {
	names, err := r.store.List(filepath.Base(r.store.Dir()))
	if err != nil {
		return nil, err
	}
	var list []kept
	for _, name := range names {
		n, isPacked, ok := workflowstate.SnapshotIn(name)
		info, err := os.Lstat(filepath.Join(r.store.Dir(), name))
		if !ok || err != nil || isPacked && slices.Contains(names, workflowstate.SnapshotFile(n)) {
			continue
		}
		list = append(list, kept{n, info.Size(), isPacked})
	}
	slices.SortFunc(list, func(a, b kept) int { return b.n - a.n })
	return list, nil
}

// readSnapshot reads a snapshot, packed or not; nil if there is none.
func (r records) readSnapshot(n int) ([]byte, error) {
	text, err := r.store.ReadFile(r.path(workflowstate.SnapshotFile(n)))
	if err != nil || len(text) > 0 {
		return text, err
	}
	if text, err = r.store.ReadFile(r.path(workflowstate.SnapshotFile(n) + workflowstate.Packed)); err != nil || len(text) == 0 {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(unpacked, durable.MaxSize))
}

// shrink packs old snapshots, and removes some of the oldest, but never pinned ones. What fails is
// retried with the next checkpoint.
func (r records) shrink(pinned map[int]bool) error {
	list, err := r.snapshots()
	if err != nil || len(list) == 0 {
		return err
	}
	var whole, all int64
	var old []kept
	for i, k := range list {
		if !k.packed {
			if whole += k.size; i == 0 || whole <= maxUnpacked {
				continue
			}
			if k.size, err = r.pack(k.n); err != nil {
				return err
			}
		}
		all += k.size
		old = append(old, k)
	}
	for all > maxPacked {
		i := chooseRemovable(old, list[0].n, pinned)
		if i < 0 {
			return nil
		}
		if err := r.store.RemoveFile(r.path(workflowstate.SnapshotFile(old[i].n) + workflowstate.Packed)); err != nil {
			return err
		}
		all -= old[i].size
		old = slices.Delete(old, i, i+1)
	}
	return nil
}

// chooseRemovable returns the snapshot whose neighbours are closest to each other for their age, so
// that the remaining ones are farther apart the older they are; -1: none.
func chooseRemovable(old []kept, newest int, pinned map[int]bool) int {
	least, best := -1, 0.0
	for i := 0; i < len(old)-1; i++ { // the oldest stays
		before := newest
		if i > 0 {
			before = old[i-1].n
		}
		gap := float64(before-old[i+1].n) / float64(newest-old[i].n+1)
		if !pinned[old[i].n] && (least < 0 || gap < best) {
			least, best = i, gap
		}
	}
	return least
}

// pack compresses a snapshot's file, and returns the new size.
func (r records) pack(n int) (int64, error) {
	text, err := r.store.ReadFile(r.path(workflowstate.SnapshotFile(n)))
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	if err == nil {
		err = r.write(workflowstate.SnapshotFile(n)+workflowstate.Packed, b.Bytes())
	}
	if err == nil {
		err = r.store.RemoveFile(r.path(workflowstate.SnapshotFile(n)))
	}
	return int64(b.Len()), err
}
