. ./greet.sh
got=$(greet Ada)
[ "$got" = "Hello, Ada!" ] || { echo "greet Ada prints $got"; exit 1; }
