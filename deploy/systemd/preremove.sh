#!/bin/sh
# Stops the service when the package goes, but not when a newer one replaces it. The data stay.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable --now strata.service
fi
