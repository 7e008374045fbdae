package recovery

import (
	"context"
	"fmt"

	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// Step is one thing that a reset does.
type Step struct {
	What string   `json:"what"` // state, lease, work tree
	Name string   `json:"name"`
	Kept []string `json:"kept,omitempty"`
	Done bool     `json:"done"`
	do   func(context.Context) ([]string, error)
}

// Reset plans what sets a repository free: unfinished states are set aside,
// leases of processes that are gone are taken, work trees that are gone are
// forgotten. No file of a work tree is touched. A drive that somebody drives is
// refused.
func (r *Recovery) Reset(ctx context.Context) ([]*Step, error) {
	list := []*Step{}
	for _, s := range r.standings() {
		if s.err == nil && !s.state.Phase.Active() {
			continue
		}
		if s.err == nil {
			if err := r.free(&s); err != nil {
				return nil, err
			}
		}
		name := s.Root()
		if s.err == nil {
			name = fmt.Sprintf("#%s in phase %s, in %s", s.state.Issue(), s.state.Phase, s.Root())
		}
		list = append(list, &Step{What: "state", Name: name, do: func(context.Context) ([]string, error) { return r.putAside(s.Drive) }})
	}
	leases, err := r.leases()
	if err != nil {
		return nil, err
	}
	for _, l := range leases {
		if l.Dead {
			list = append(list, &Step{What: "lease", Name: fmt.Sprintf("%s of process %d, which is gone", l.Name, l.PID), do: func(context.Context) ([]string, error) { return nil, r.unlock(l) }})
		}
	}
	gone, err := r.gone(ctx)
	if err != nil {
		return nil, err
	}
	for admin, w := range gone {
		list = append(list, &Step{What: "work tree", Name: w.Path, do: func(ctx context.Context) ([]string, error) {
			kept, err := r.forget(ctx, "reset", admin, w)
			if err == nil {
				turnstile.ForgetProject(w.Path)
			}
			return kept, err
		}})
	}
	return list, nil
}

// Do carries a step out.
func (s *Step) Do(ctx context.Context) (err error) {
	s.Kept, err = s.do(ctx)
	s.Done = err == nil
	return err
}

// putAside keeps the state beside its place, and removes it there.
func (r *Recovery) putAside(d *turnstile.Drive) ([]string, error) {
	text, err := d.Store().ReadFile(".claude/" + turnstile.StateFile)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf(".claude/%s.reset-%d", turnstile.StateFile, r.Env.Now().UnixMilli())
	if err := d.Store().EditFile(name, func([]byte) ([]byte, error) { return text, nil }); err != nil {
		return nil, err
	}
	_, err = d.Reset()
	return []string{name}, err
}

// unlock takes a lease whose holder is gone, and lets it go.
func (r *Recovery) unlock(l Lease) error {
	stamp, _ := proc.Started(r.Env.PID)
	hold, _, err := turnstile.Open(l.root, r.Env).Store().Acquire(l.Name, durable.Process{PID: r.Env.PID, Stamp: stamp, Host: r.Host}, r.Env.Started)
	if err != nil {
		return err
	}
	return hold.Release()
}
