#!/usr/bin/env bash
# Gets the words that Node would get, and takes them to fake-wrangler.js, which listens at the port FAKE_WRANGLER. A signal ends
# it as it ends wrangler, while its command is done or not.
shift
IFS= read -r -d '' input
fields=("$$" "$PPID" "$input" "$#" "$@")
for name in "${!FAKE_@}"; do fields+=("$name=${!name}"); done
exec 3<>"/dev/tcp/127.0.0.1/$FAKE_WRANGLER"
printf '%s\0' "${#fields[@]}" "${fields[@]}" >&3
read -r status out err <&3
[ "$out" -eq 0 ] || head -c "$out" <&3
[ "$err" -eq 0 ] || head -c "$err" <&3 >&2
exit "$status"
