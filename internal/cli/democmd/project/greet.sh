# greet says hello to whom it is given.
greet() { echo "Hello, ${1:-world}!"; }
