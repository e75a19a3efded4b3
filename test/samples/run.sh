# Runs the commands of a folder, one after another, and prints how each ended as a line of JSON.
for file in "$1"/*.sh; do
  printed=$(bash -e "$file" 2>&1 | tr -d '\0' | wc -c; exit "${PIPESTATUS[0]}"); status=$?
  [ "$status" -eq 0 ] && error=null || error="\"ended with $status\""
  echo "{\"name\": \"$(basename "$file" .sh)\", \"error\": $error, \"printed\": $printed}"
done
