package drivecmd

import (
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/config"
)

// max_session_cost is for one drive: what others have cost takes nothing from it.
func TestTheSettingBoundsEachDrive(t *testing.T) {
	settings := config.Settings{Workflow: config.Workflow{SessionMicroUSD: 5e6}}
	s := newSpending(options{parallel: 2}, settings, nil)
	s.add(budget.Amount{MicroUSD: 5e6})
	if got, why := s.shareOfOne().MicroUSD, s.whySpent(); got != 5e6 || why != "" || s.describeMoney() != "$5.00" {
		t.Errorf("%d, %q, %s", got, why, s.describeMoney())
	}
	s = newSpending(options{parallel: 2, maxCost: 8e6}, settings, nil) // a person says so now
	s.add(budget.Amount{MicroUSD: 5e6})
	if got := s.shareOfOne().MicroUSD; got != 1.5e6 || s.describeMoney() != "$8.00 for all" {
		t.Errorf("%d, %s", got, s.describeMoney())
	}
	s.add(budget.Amount{MicroUSD: 3e6})
	if why := s.whySpent(); why != "the $8.00 for this night are spent" {
		t.Error(why)
	}
}

// What the command line bounds is bounded for all drives together.
func TestDrivesShareOneBound(t *testing.T) {
	now := time.Unix(0, 0)
	s := newSpending(options{maxTime: time.Hour, maxTokens: 1000}, config.Settings{}, func() time.Time { return now })
	now = now.Add(time.Minute) // nothing has begun
	if left := s.timeLeft(); left != time.Hour || s.whySpent() != "" {
		t.Errorf("before the first drive: %v, %q", left, s.whySpent())
	}
	s.begin()
	now = now.Add(40 * time.Minute)
	s.begin()
	if left := s.timeLeft(); left != 20*time.Minute || s.whySpent() != "" {
		t.Errorf("before the second drive: %v, %q", left, s.whySpent())
	}
	now = now.Add(time.Hour)
	if left, why := s.timeLeft(), s.whySpent(); left != time.Second || why != "the time for this night (1h0m0s) is up" {
		t.Errorf("after the time: %v, %q", left, why)
	}
	s.add(budget.Amount{Tokens: 1000})
	if why := s.whySpent(); why != "the 1,000 tokens for this night are spent" {
		t.Errorf("after the tokens: %q", why)
	}
	if left := newSpending(options{}, config.Settings{}, nil).timeLeft(); left != 0 {
		t.Errorf("without a bound: %v", left)
	}
}
