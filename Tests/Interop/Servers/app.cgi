#!/bin/sh
# The routes of the interoperability suite as a CGI program; the query string names the route. Its
# lines end with a bare LF, as those of most CGI programs do.
case "$QUERY_STRING" in
echo)
    # Reads the whole input first, because many servers write all of it before they read any output. A
    # server that passes on a body of unknown length closes the input after it.
    # The file is not in TMPDIR, where another user may not write: some servers drop their privileges.
    body="$(mktemp -p /tmp)"
    if [ -n "$CONTENT_LENGTH" ]; then head -c "$CONTENT_LENGTH"; else cat; fi >"$body"
    printf 'Content-Type: application/octet-stream\n\n'
    cat "$body"
    rm "$body"
    ;;
stream)
    printf 'Content-Type: text/plain\n\n'
    number=0
    dots=
    while [ "$number" -lt 100 ]; do
        echo "piece $number$dots"
        number=$((number + 1))
        dots="$dots."
    done
    ;;
empty) printf 'Status: 204 No Content\n\n' ;;
redirect) printf 'Status: 302 Found\nLocation: /files/small.txt\n\n' ;;
*) printf 'Content-Type: text/plain\nX-Method: %s\n\nhello from CGI\n' "$REQUEST_METHOD" ;;
esac
