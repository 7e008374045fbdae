package workqueue

// Free reports whether an item can be taken: it is open, and no session holds it. One in progress
// without a holder was left by a loop that ended.
func (it Item) Free() bool {
	return (it.Status == Pending || it.Status == InProgress) && it.Holder == "" && !it.apart()
}

// Claim assigns an item to a session and reports whether it has it now; otherwise by is the holder,
// "" if the item is done.
func (q *Queue) Claim(id, holder string) (ok bool, by string, err error) {
	it, err := q.Find(id)
	if err != nil {
		return false, "", err
	}
	if it.Free() || it.Holder == holder {
		it.Status, it.Holder = InProgress, holder
		return true, holder, nil
	}
	return false, it.Holder, nil
}

// Return gives back an item that a session claimed; other items stay unchanged.
func (q *Queue) Return(id, holder string) error {
	it, err := q.Find(id)
	if err == nil && it.Holder == holder {
		it.Status, it.Holder = Pending, ""
	}
	return err
}
