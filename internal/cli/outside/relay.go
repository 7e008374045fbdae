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

// Serve answers until the listener is closed.
func serveHooks(l net.Listener, around hook.Surroundings) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serveHook(c, around)
	}
}

func serveHook(c net.Conn, around hook.Surroundings) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // one without a deadline is ended with the run
	var q hook.Relayed
	if err := json.NewDecoder(io.LimitReader(c, most)).Decode(&q); err != nil {
		return
	}
	_ = json.NewEncoder(c).Encode(q.Answer(around)) // the hook denies when it gets no answer
}
