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
