package devconfig

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

func (r *reader) server(at string, v *lossless.Value) *Server {
	s := &Server{Health: Health{Timeout: DefaultHealthTimeout}, Restart: Restart{Policy: OnFailure, Max: DefaultRestarts}}
	r.object(at, v, map[string]func(string, *lossless.Value){
		"command":   r.command(&s.Command),
		"directory": r.place(&s.Directory),
		"port":      r.number(&s.Port, 0, 65535),
		"health":    r.health(&s.Health),
		"restart":   r.restart(&s.Restart),
		"env":       r.env(&s.Env),
		"first":     r.flag(&s.First),
	})
	if !s.Command.Set() && v.Kind == lossless.Object && v.Get("command") == nil {
		r.wrong(at+".command", "the command line that starts the server")
	}
	return s
}

// health accepts a path, "tcp", or an object with a path, statuses and a time limit.
func (r *reader) health(into *Health) func(string, *lossless.Value) {
	way := func(at string, v *lossless.Value) {
		switch {
		case v.Kind == lossless.String && v.Text() == "tcp":
			into.Path = ""
		case v.Kind == lossless.String && strings.HasPrefix(v.Text(), "/"):
			into.Path = v.Text()
		default:
			r.wrong(at, `"tcp", or a path that begins with /`)
		}
	}
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.Object {
			way(at, v)
			return
		}
		seconds := int(into.Timeout / time.Second)
		r.object(at, v, map[string]func(string, *lossless.Value){
			"path": way, "status": r.statuses(&into.Status), "timeout_seconds": r.number(&seconds, 1, 3600),
		})
		into.Timeout = time.Duration(seconds) * time.Second
	}
}

func (r *reader) statuses(into *[]int) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		list := []*lossless.Value{v}
		if v.Kind == lossless.Array {
			list = v.Elems
		}
		for _, e := range list {
			n := 0
			r.number(&n, 100, 599)(at, e)
			*into = append(*into, n)
		}
	}
}

// restart accepts a policy, or an object with a policy and a limit.
func (r *reader) restart(into *Restart) func(string, *lossless.Value) {
	policy := func(at string, v *lossless.Value) {
		switch p := Policy(v.Text()); {
		case v.Kind == lossless.Bool && v.Raw == "true":
			into.Policy = Always
		case v.Kind == lossless.Bool:
			into.Policy = Never
		case v.Kind == lossless.String && (p == OnFailure || p == Always || p == Never):
			into.Policy = p
		default:
			r.wrong(at, fmt.Sprintf("one of %s, %s, %s", OnFailure, Always, Never))
		}
	}
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.Object {
			policy(at, v)
			return
		}
		r.object(at, v, map[string]func(string, *lossless.Value){"policy": policy, "max": r.number(&into.Max, 0, 1000)})
	}
}

func (r *reader) env(into *[]Variable) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.Object {
			r.wrong(at, "an object of names and texts")
			return
		}
		for _, m := range v.Members {
			value := m.Value.Raw // numbers and flags as written
			if m.Value.Kind == lossless.String {
				value = m.Value.Text()
			}
			name, rest, ok := variable(m.Key)
			switch {
			case !ok || rest != "" || name != m.Key:
				r.wrong(at+"."+m.Key, "named by letters, digits and _")
			case m.Value.Kind == lossless.Object || m.Value.Kind == lossless.Array || m.Value.Kind == lossless.Null || strings.ContainsRune(value, 0):
				r.wrong(at+"."+m.Key, "a text")
			default:
				*into = append(*into, Variable{m.Key, value})
			}
		}
	}
}
