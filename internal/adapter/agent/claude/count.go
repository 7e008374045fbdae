package claude

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
)

// message is the message being written in a thread.
type message struct {
	id    string
	usage agent.Usage
}

// counter counts tokens during the run, each message once, however many lines repeat its usage.
type counter struct {
	done    agent.Usage
	current map[string]message // by the tool use that started a subagent; "" for the agent itself
	paid    agent.Usage        // as the result events report
	model   string             // model of the agent's own messages
}

// threads limits how many subagents' messages are kept open.
const threads = 1000

// count takes the usage of a message ("" for the thread's last) and reports the new sum if it
// changed.
func (c *counter) count(thread, id string, v *lossless.Value) []agent.Event {
	if v == nil {
		return nil
	}
	old, known := c.current[thread]
	if id == "" {
		id = old.id
	}
	if known && old.id != id {
		c.done = sum(c.done, old.usage)
		old = message{}
	}
	if !known && len(c.current) >= threads {
		for t, m := range c.current {
			c.done = sum(c.done, m.usage)
			delete(c.current, t)
		}
	}
	now := message{id, most(old.usage, usage(v))}
	c.current[thread] = now
	if now.usage == old.usage {
		return nil
	}
	so := c.total()
	return []agent.Event{{Kind: "usage", Usage: &so}}
}

// uses records the model of a message. Claude Code's own messages have none.
func (c *counter) uses(m *lossless.Value) {
	if model := m.Get("model").Text(); model != "" && model != "<synthetic>" {
		c.model = model
	}
}

// total returns the most that is known: result events also count what the stream does not show, and
// the stream counts what came after the last of them.
func (c *counter) total() agent.Usage {
	all := c.done
	for _, m := range c.current {
		all = sum(all, m.usage)
	}
	all = most(all, c.paid)
	all.MicroUSD, all.Turns, all.Model = c.paid.MicroUSD, c.paid.Turns, c.model
	// A message is reported as it begins: without one, nothing was spent.
	all.Priced = c.paid.Priced || all.Tokens() == 0
	return all
}

// pay adds what a result event reports as spent since the one before.
func (c *counter) pay(r *lossless.Value, resumed bool) {
	turns, _ := r.Get("num_turns").Int()
	c.paid.Turns += int(turns)
	c.paid.Priced = true
	models := r.Get("model_usage_since_last_result")
	if models == nil {
		// An older version. What it reports for a resumed session is not about this run alone.
		c.paid = sum(c.paid, usage(r.Get("usage")))
		if resumed {
			c.paid.Priced = false
		} else {
			c.paid.MicroUSD = toMicroUSD(r.Get("total_cost_usd"))
		}
		return
	}
	for _, m := range models.Members {
		c.paid = sum(c.paid, agent.Usage{
			Input: agent.Count(m.Value.Get("inputTokens")), Output: agent.Count(m.Value.Get("outputTokens")),
			CacheRead: agent.Count(m.Value.Get("cacheReadInputTokens")), CacheWrite: agent.Count(m.Value.Get("cacheCreationInputTokens")),
			MicroUSD: toMicroUSD(m.Value.Get("costUSD")),
		})
	}
}

func usage(v *lossless.Value) agent.Usage {
	return agent.Usage{
		Input: agent.Count(v.Get("input_tokens")), Output: agent.Count(v.Get("output_tokens")),
		CacheRead: agent.Count(v.Get("cache_read_input_tokens")), CacheWrite: agent.Count(v.Get("cache_creation_input_tokens")),
	}
}

// toMicroUSD converts dollars to micro-dollars.
func toMicroUSD(v *lossless.Value) int64 {
	if v == nil || v.Kind != lossless.Number {
		return 0
	}
	f, err := strconv.ParseFloat(v.Raw, 64)
	if err != nil || f < 0 || f > 1e12 {
		return 0
	}
	return int64(f*1e6 + 0.5)
}

func sum(a, b agent.Usage) agent.Usage {
	a.Input, a.Output = a.Input+b.Input, a.Output+b.Output
	a.CacheRead, a.CacheWrite = a.CacheRead+b.CacheRead, a.CacheWrite+b.CacheWrite
	a.MicroUSD += b.MicroUSD
	return a
}

func most(a, b agent.Usage) agent.Usage {
	a.Input, a.Output = max(a.Input, b.Input), max(a.Output, b.Output)
	a.CacheRead, a.CacheWrite = max(a.CacheRead, b.CacheRead), max(a.CacheWrite, b.CacheWrite)
	return a
}

// windows reads the usage of the subscription's windows: the current one and, in versions that
// report them, all.
func windows(info *lossless.Value) []agent.Event {
	var list []tokens.Window
	add := func(name string, v *lossless.Value) {
		used, err := strconv.ParseFloat(rawNumber(v.Get("utilization")), 64)
		if err != nil || !(used >= 0 && used <= 10) || slices.ContainsFunc(list, func(w tokens.Window) bool { return w.Name == name }) {
			return
		}
		w := tokens.Window{Name: name, Percent: math.Round(used*1e4) / 100}
		if at, ok := v.Get("resetsAt").Int(); ok && at > 0 {
			w.Reset = time.Unix(at, 0)
		}
		list = append(list, w)
	}
	add(info.Get("rateLimitType").Text(), info)
	if all := info.Get("unifiedWindows"); all != nil {
		for _, m := range all.Members {
			add(m.Key, m.Value)
		}
	}
	if len(list) == 0 {
		return nil
	}
	var words []string
	for _, w := range list {
		words = append(words, fmt.Sprintf("%g%% of the window %s", w.Percent, w.Name))
	}
	return []agent.Event{{Kind: "window", Text: strings.Join(words, " and ") + " is used", Windows: list}}
}

func rawNumber(v *lossless.Value) string {
	if v == nil || v.Kind != lossless.Number {
		return ""
	}
	return v.Raw
}
