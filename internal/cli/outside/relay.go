package outside

import (
	"encoding/json"
	"io"
	"net"
	"time"

	"warp/internal/hook"
)

const (
	most     = 32 << 20 // bytes of one payload
	patience = time.Minute
)

// serveHooks answers hooks until the listener is closed.
func serveHooks(l net.Listener, env hook.Env, answered func(event string, took time.Duration)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serveHook(c, env, answered)
	}
}

func serveHook(c net.Conn, env hook.Env, answered func(event string, took time.Duration)) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // one without a deadline is ended with the run
	var q hook.Relayed
	if err := json.NewDecoder(io.LimitReader(c, most)).Decode(&q); err != nil {
		return
	}
	began := time.Now()
	_ = json.NewEncoder(c).Encode(q.Answer(env)) // the hook denies when it gets no answer
	answered(q.Event(), time.Since(began))
}
