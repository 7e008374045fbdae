#!/bin/sh
# Runs every test and prints which ones fail.
n=0 failed=0
for t in tests/*_test.sh; do
    n=$((n + 1))
    if out=$(sh "$t" 2>&1); then
        echo "ok $n - $t"
    else
        echo "not ok $n - $t"
        echo "  $out"
        failed=1
    fi
done
echo "1..$n"
exit $failed
