package workqueue

// Free tells whether an item can be taken up: it is open, and no session holds it.
// One that is in progress without a holder was left by a loop that ended.
func (it Item) Free() bool {
	return (it.Status == Pending || it.Status == InProgress) && it.Holder == "" && !it.apart()
}

// Claim marks an item as being worked on by a session, and tells whether it is that
// session's now; by is who has it otherwise, "" where it is done.
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

// Return gives back what a session has claimed; what it does not hold stays as it is.
func (q *Queue) Return(id, holder string) error {
	it, err := q.Find(id)
	if err == nil && it.Holder == holder {
		it.Status, it.Holder = Pending, ""
	}
	return err
}
