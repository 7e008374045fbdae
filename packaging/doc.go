// Package packaging tests that what is shipped can be installed: the archives of make dist,
// install.sh, the Homebrew formula, the Docker image and the GitHub Action. It has only tests; the
// programs that build these are in its subfolders.
package packaging
