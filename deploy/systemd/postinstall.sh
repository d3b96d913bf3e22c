#!/bin/sh
# Makes the user of the service. Starting it is the administrator's decision.
set -e
if ! getent passwd strata > /dev/null; then
	useradd --system --user-group --home-dir /var/lib/strata --shell /usr/sbin/nologin strata
fi
chgrp strata /etc/strata/strata.env
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart strata.service
fi
