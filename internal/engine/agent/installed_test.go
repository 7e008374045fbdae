package agent

import (
	"context"
	"testing"
)

// health is an adapter of which only its health is asked.
type health struct {
	Adapter
	name string
	Health
}

func (h health) Name() string                 { return h.name }
func (h health) Check(context.Context) Health { return h.Health }

func TestCheckLogin(t *testing.T) {
	yes, no := true, false
	out := health{name: "a", Health: Health{Installed: true, LoggedIn: &no, Advice: "log in: a login"}}
	for _, c := range []struct {
		chain []Adapter
		want  string
	}{
		{[]Adapter{out}, "no agent can be started: a: not logged in; log in: a login"},
		{[]Adapter{out, health{name: "b", Health: Health{}}}, "no agent can be started: a: not logged in; log in: a login"},
		{[]Adapter{out, health{name: "b", Health: Health{Installed: true, LoggedIn: &yes}}}, ""},
		{[]Adapter{out, health{name: "b", Health: Health{Installed: true}}}, ""}, // it cannot be told
		{[]Adapter{out, health{name: "b", Health: Health{Installed: true, Broken: "b --version fails", Advice: "install it again"}}}, "no agent can be started: a: not logged in; log in: a login; b: b --version fails; install it again"},
		{nil, ""},
	} {
		err := (&Runner{Adapters: c.chain}).CheckLogin(t.Context())
		if got := ""; err != nil && err.Error() != c.want || err == nil && got != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
