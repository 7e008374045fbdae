package status

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// server answers queries from a table; what is not in it is not found.
type server struct {
	client.Client
	answers map[string]any
	beats   map[string]*commonpb.Payloads
	asked   []string
}

type value struct{ p *commonpb.Payloads }

func (v value) HasValue() bool { return true }
func (v value) Get(into any) error {
	return converter.GetDefaultDataConverter().FromPayloads(v.p, into)
}

func (s *server) QueryWorkflow(_ context.Context, id, _, _ string, _ ...any) (converter.EncodedValue, error) {
	s.asked = append(s.asked, id)
	a, ok := s.answers[id]
	if err, is := a.(error); is {
		return nil, err
	}
	if !ok {
		return nil, serviceerror.NewNotFound(id)
	}
	p, err := converter.GetDefaultDataConverter().ToPayloads(a)
	return value{p}, err
}

func (s *server) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{{}, {HeartbeatDetails: s.beats[id]}}}, nil
}

func link(s *server) *connect.Link {
	return &connect.Link{Client: s, Converter: converter.GetDefaultDataConverter()}
}

func night(t *testing.T) *server {
	t.Helper()
	run := func(issue string) flow.Item {
		return flow.Item{Submission: flow.Submission{Repo: "shop", Issue: issue}, State: flow.Runs, Worker: "w1"}
	}
	beat, err := converter.GetDefaultDataConverter().ToPayloads(flow.Beat{Doing: "runs the tests", Spent: conduct.Spent{Tokens: 9}, At: time.Unix(100, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return &server{
		answers: map[string]any{
			"fleet:f":      flow.FleetStatus{Name: "f", Scope: "f", File: fleetfile.File{Repositories: []fleetfile.Repository{{Name: "shop"}}}, Running: []flow.Item{run("1"), run("2"), run("3")}},
			"req:f/shop#1": flow.RequirementStatus{Phase: "implement", Doing: "begins", Spent: conduct.Spent{Tokens: 104}, Counts: conduct.Spent{Tokens: 4}},
			"req:f/shop#2": flow.RequirementStatus{Phase: "merge", Doing: "waits for its turn to merge"},
		},
		beats: map[string]*commonpb.Payloads{"req:f/shop#1": beat},
	}
}

// What has ended meanwhile, or is not there yet, is left out; heartbeats are newer than
// what a workflow knows.
func TestAFleetIsReadFromItsWorkflowsAndHeartbeats(t *testing.T) {
	v, err := At(t.Context(), link(night(t)), "f")
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Now["shop#1"]; n.Phase != "implement" || n.Doing != "runs the tests" || n.Spent.Tokens != 109 || n.Beat.Unix() != 100 {
		t.Errorf("%+v", n)
	}
	if n := v.Now["shop#2"]; n.Doing != "waits for its turn to merge" || !n.Beat.IsZero() {
		t.Errorf("%+v", n)
	}
	if n, ok := v.Now["shop#3"]; !ok || n.Phase != "" {
		t.Errorf("%+v %t", n, ok)
	}
}

func TestAFleetThatIsNotThereIsAnError(t *testing.T) {
	var none *serviceerror.NotFound
	if _, err := At(t.Context(), link(night(t)), "other"); !errors.As(err, &none) {
		t.Error(err)
	}
	s := night(t)
	s.answers["req:f/shop#2"] = serviceerror.NewUnavailable("the cable is cut")
	if _, err := At(t.Context(), link(s), "f"); err == nil {
		t.Error("what could not be read is shown as if it were nothing")
	}
}

func TestFollowShowsWhatHasChanged(t *testing.T) {
	s := night(t)
	shown := 0
	done := errors.New("enough")
	err := Follow(t.Context(), link(s), "f", time.Millisecond, func(v View) error {
		if shown++; shown == 2 {
			return done
		}
		s.answers["req:f/shop#2"] = flow.RequirementStatus{Phase: "done"}
		return nil
	})
	if !errors.Is(err, done) || shown != 2 {
		t.Error(err, shown)
	}
}

// A large fleet is not asked for everything each second: those that the fleet says something
// new of come first, and all have their turn.
func TestFollowAsksForLittle(t *testing.T) {
	s := night(t)
	f := s.answers["fleet:f"].(flow.FleetStatus)
	f.Running = nil
	for n := range 50 {
		f.Running = append(f.Running, flow.Item{Submission: flow.Submission{Repo: "shop", Issue: fmt.Sprint(n)}})
	}
	s.answers["fleet:f"] = f
	shows, done := 0, errors.New("enough")
	seen := map[string]bool{}
	err := Follow(t.Context(), link(s), "f", time.Millisecond, func(v View) error {
		if len(v.Now) != 50 {
			t.Errorf("%d are shown", len(v.Now))
		}
		for _, id := range s.asked {
			seen[id] = shows > 0
		}
		if shows == 1 && s.asked[2] != "req:f/shop#30" {
			t.Errorf("what has changed is not asked first: %v", s.asked)
		}
		if len(s.asked) > mostAsked+2 && shows > 0 {
			t.Errorf("%d were asked", len(s.asked))
		}
		if shows++; shows == 6 {
			return done
		}
		s.asked = nil
		f.Running[30].Attempt++ // so that there is something to show
		return nil
	})
	if !errors.Is(err, done) {
		t.Fatal(err)
	}
	for id, again := range seen {
		if !again {
			t.Errorf("%s was not asked again", id)
		}
	}
}
