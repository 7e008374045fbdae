package budget

// Purse shares out what may still be spent among runs that go on side by side, so
// that together they may not spend more than there is. It is used under its
// owner's lock.
type Purse struct {
	sharers int // that may run at once
	running int
	given   Amount
}

// Share says among how many it is shared from now on.
func (p *Purse) Share(sharers int) { p.sharers = sharers }

// Take is what one more run may spend of what is left. What is bounded is never
// bounded by nothing, which would be no bound.
func (p *Purse) Take(left Amount) Amount {
	n := int64(max(1, p.sharers-p.running))
	part := Amount{Time: left.Time}
	if left.MicroUSD > 0 {
		part.MicroUSD = max(1, (left.MicroUSD-p.given.MicroUSD)/n)
	}
	if left.Tokens > 0 {
		part.Tokens = max(1, (left.Tokens-p.given.Tokens)/n)
	}
	p.running++
	p.given.MicroUSD += part.MicroUSD
	p.given.Tokens += part.Tokens
	return part
}

// More is what a run that goes on may spend besides, of what is left by now, since the
// bound was raised: its part of that, if no other run was given it. Its time is
// all that is left.
func (p *Purse) More(left, raised Amount) Amount {
	n := int64(max(1, p.sharers, p.running))
	more := Amount{
		MicroUSD: max(0, min(raised.MicroUSD/n, left.MicroUSD-p.given.MicroUSD)),
		Tokens:   max(0, min(raised.Tokens/n, left.Tokens-p.given.Tokens)),
		Time:     max(0, left.Time),
	}
	p.given.MicroUSD += more.MicroUSD
	p.given.Tokens += more.Tokens
	return more
}

// Return ends what Take began.
func (p *Purse) Return(part Amount) {
	p.running--
	p.given.MicroUSD -= part.MicroUSD
	p.given.Tokens -= part.Tokens
}
