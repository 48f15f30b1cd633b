#!/bin/sh
# Bakes what kiln.yaml lists on hosts that see this folder under the path that it has here.
: "${PARALLEL_SSH:=ssh -o ConnectTimeout=5 -o ServerAliveInterval=15 -o ServerAliveCountMax=3}"
export PARALLEL_SSH
${KILN:-kiln} plan -m kiln.yaml --format parallel >jobs || exit
exec parallel --arg-file jobs --sshloginfile hosts --workdir . --retries 3 --ungroup --joblog joblog "$@"
