// Idler is an agent that takes no time: it writes one file for a chunk, and a
// verdict that says yes.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	answer := `{"summary":"done"}`
	if os.Getenv("WARP_ROLE") == "verify" {
		var list []string
		for _, id := range strings.Split(os.Getenv("WARP_CRITERIA"), ",") {
			list = append(list, fmt.Sprintf(`{"id":%q,"met":true,"reason":"it is there"}`, id))
		}
		answer = `{"criteria":[` + strings.Join(list, ",") + `]}`
	} else if err := os.WriteFile("chunk-"+os.Getenv("WARP_CHUNK")+".txt", []byte(os.Getenv("WARP_CRITERIA")+"\n"), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.WriteFile(os.Getenv("WARP_RESULT"), []byte(answer), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("done")
}
