#!/bin/sh
# Makes the secrets of docker-compose.yml, each once: sh ops/compose/make-secrets.sh
# The folder is closed to other users; the files are readable within it, because a container's user has another number.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p secrets
chmod 700 secrets
for name in redis_password node_key flower_password; do
    file="secrets/$name"
    [ -s "$file" ] && continue
    (umask 077 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "$file")
    chmod 444 "$file"
    echo "made $file"
done
