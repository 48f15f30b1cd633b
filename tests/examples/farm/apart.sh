#!/bin/sh
# Bakes what kiln.yaml lists on hosts that share no disk with this one.
${KILN:-kiln} plan -m kiln.yaml --format farm >jobs || exit
exec sh jobs --sshloginfile hosts --joblog joblog "$@"
