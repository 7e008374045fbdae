package claude

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
)

// The first line is recorded from version 2.1.325.
func TestWindowsOfASubscription(t *testing.T) {
	five := tokens.Window{Name: "five_hour", Percent: 83, Reset: time.Unix(1894720000, 0)}
	for line, want := range map[string][]tokens.Window{
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1894720000,"rateLimitType":"five_hour","utilization":0.83,"isUsingOverage":false,"surpassedThreshold":0.75},"uuid":"b4b384f6","session_id":"s"}`:                  {five},
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","utilization":0.83,"resetsAt":1894720000,"unifiedWindows":{"five_hour":{"utilization":0.83,"resetsAt":1894720000},"seven_day":{"utilization":0.3149}}}}`: {five, {Name: "seven_day", Percent: 31.49}},
		`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"seven_day","utilization":1.002}}`:                                                                                                                                  {{Name: "seven_day", Percent: 100.2}},
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour"}}`:                                                                                                                                                       nil,
		`{"type":"rate_limit_event","rate_limit_info":{"rateLimitType":"five_hour","utilization":"0.8"}}`:                                                                                                                                                      nil,
		`{"type":"rate_limit_event","rate_limit_info":{"rateLimitType":"five_hour","utilization":-1}}`:                                                                                                                                                         nil,
		`{"type":"rate_limit_event"}`: nil,
	} {
		var got []tokens.Window
		for _, e := range New(Options{}).Parser(agent.Task{}).Line([]byte(line)) {
			if e.Kind == "window" {
				got = append(got, e.Windows...)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
}
