package drivecmd

import (
	"math"
	"sync"

	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
)

// spending is the bound in money and tokens that all drives of one command share.
type spending struct {
	cost, tokens int64 // in micro-dollars, and tokens; 0: no bound
	parallel     int64 // drives at once

	mu   sync.Mutex
	used agent.Usage // by drives that are over
}

// newSpending takes the bound in dollars from the command line, else from the settings.
func newSpending(o options, s config.Settings) *spending {
	cost := s.SessionMicroUSD
	if o.maxCost > 0 {
		cost = int64(math.Ceil(o.maxCost * 1e6))
	}
	return &spending{cost: cost, tokens: o.maxTokens, parallel: int64(max(1, o.parallel))}
}

func (s *spending) add(u agent.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used.Add(u)
}

// shareOfOne is what one of the drives at work may cost.
func (s *spending) shareOfOne() agent.Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := agent.Budget{MicroUSD: s.cost, Tokens: s.tokens}
	if b.MicroUSD > 0 {
		b.MicroUSD = max(1, (b.MicroUSD-s.used.MicroUSD)/s.parallel)
	}
	if b.Tokens > 0 {
		b.Tokens = max(1, (b.Tokens-s.used.Tokens())/s.parallel)
	}
	return b
}

// whySpent says that the money is spent; "": some is left.
func (s *spending) whySpent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cost > 0 && s.used.MicroUSD >= s.cost {
		return "the " + evidence.Dollars(s.cost) + " for this night are spent"
	}
	return ""
}
