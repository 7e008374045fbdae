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
func serveHooks(l net.Listener, env hook.Env) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serveHook(c, env)
	}
}

func serveHook(c net.Conn, env hook.Env) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // one without a deadline is ended with the run
	var q hook.Relayed
	if err := json.NewDecoder(io.LimitReader(c, most)).Decode(&q); err != nil {
		return
	}
	_ = json.NewEncoder(c).Encode(q.Answer(env)) // the hook denies when it gets no answer
}
