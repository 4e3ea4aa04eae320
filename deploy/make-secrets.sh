#!/bin/sh
# Makes the passwords and keys that compose.yaml and compose.nats.yaml read. What is there already stays.
set -eu
umask 077
mkdir -p "$(dirname "$0")/secrets"
cd "$(dirname "$0")/secrets"

make() { [ -e "$1" ] || printf '%s\n' "$2" >"$1"; }
make grove-secret "$(openssl rand -hex 32)"
make vault-keys "1:$(openssl rand -hex 32)"
make database-password "$(openssl rand -hex 24)"
make database-url "postgresql://grove:$(cat database-password)@database/grove"
make objects-password "$(openssl rand -hex 24)"
make objects-url "s3://grove:$(cat objects-password)@objects:9000/grove?tls=off"
make nats-password "$(openssl rand -hex 24)"
make nats-url "nats://grove:$(cat nats-password)@nats:4222"

# Containers read them as users of their own; on this machine the folder keeps others out.
chmod 644 ./*
echo "Keep copies of secrets/grove-secret and secrets/vault-keys apart from your backups."
