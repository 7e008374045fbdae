// Package relay answers, outside of a sandbox, the hooks that were called inside.
// What they record are observations of a process that may be lying: nothing is
// decided by them.
package relay

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

// Serve answers until the listener is closed.
func Serve(l net.Listener, env hook.Env) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serve(c, env)
	}
}

func serve(c net.Conn, env hook.Env) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // one without a deadline is ended with the run
	var q hook.Relayed
	if err := json.NewDecoder(io.LimitReader(c, most)).Decode(&q); err != nil {
		return
	}
	_ = json.NewEncoder(c).Encode(q.Answer(env)) // the hook denies when it gets no answer
}
