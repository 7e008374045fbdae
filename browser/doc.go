// Package browser looks at the pages of warp web in a real browser, while a real drive
// runs.
package browser
