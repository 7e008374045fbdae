package budget

// Purse divides what may still be spent among concurrent runs, so that together they cannot exceed
// it. Its owner must hold a lock.
type Purse struct {
	sharers int // that may run at once
	running int
	given   Amount
}

// Share sets how many share it from now on.
func (p *Purse) Share(sharers int) { p.sharers = sharers }

// Take returns what one more run may spend of what is left. A limited member is never zero, which
// would mean no limit.
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

// More returns what a running run may additionally spend after the limit was raised: its share,
// unless other runs were given it. Its time is all that is left.
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
