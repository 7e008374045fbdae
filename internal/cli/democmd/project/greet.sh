# greet says hello to a name.
greet() { echo "Hello, ${1:-world}!"; }
