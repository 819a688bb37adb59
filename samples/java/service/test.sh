#!/bin/bash
# test.sh JAVA JAR WEIGHTS [SECONDS]: starts the service on a free port, loads it, and ends it by SIGTERM.
set -e
java=$1 jar=$2 weights=$3 seconds=${4:-4}
cd "$(dirname "$0")"
log=$(mktemp)
trap 'kill $pid 2> /dev/null || true; rm -f "$log"' EXIT
"$java" -Xms128m -Xmx128m -XX:+AlwaysPreTouch -cp "$jar" Service.java --port 0 --weights "$weights" > "$log" 2>&1 &
pid=$!
for _ in $(seq 600); do
  port=$(sed -n 's/listening on port //p' "$log")
  [ -n "$port" ] && break
  kill -0 $pid || { cat "$log"; exit 1; }
  sleep 0.2
done
base=http://localhost:$port
expect() { [ "$1" = "$2" ] || { echo "FAILED: wanted $2, got $1"; exit 1; }; }
status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
expect "$(status "$base/health")" 200
expect "$(status -d '{"image": [1, 2]}' "$base/predict")" 400
expect "$(status -d 'nonsense' "$base/predict")" 400
expect "$(status "$base/predict")" 405
"$java" LoadTest.java "$base" "$seconds"
curl -s "$base/metrics" | grep -E '^(predictions_total|bad_requests_total|failures_total) '
expect "$(curl -s "$base/metrics" | sed -n 's/^failures_total //p')" 0
expect "$(curl -s "$base/metrics" | sed -n 's/^bad_requests_total //p')" 2
kill -TERM $pid
wait $pid || expect $? 0
sed -n '/^drained: /p' "$log" | grep -E 'answered ([0-9]+) of \1 requests' || { cat "$log"; exit 1; }
