// Package packaging shows that what is shipped can be installed: the archives of make
// dist, install.sh, the Homebrew formula, the image of the Dockerfile and the GitHub
// Action. It has only tests; the programs that make them are below it.
package packaging
