#!/usr/bin/env bash
# Builds the package for Debian of bin/strata, bin/strata.deb, with the tool that goreleaser makes it with, as .goreleaser.yaml says, and
# checks what it holds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

scripts/tools.sh nfpm
mkdir -p "$bin/deb"
awk '/^nfpms:/ { on = 1; next } /^[^ ]/ { on = 0 } on { sub(/^  - |^    /, ""); sub(/^package_name:/, "name:"); if (!/^formats:/) print }
  on && /^contents:/ { print "  - { src: bin/strata, dst: /usr/bin/strata, file_info: { mode: 0755 } }" }' .goreleaser.yaml > "$bin/deb/nfpm.yaml"
version=$(git describe --tags --abbrev=0 2> /dev/null || echo 0.0.0)
printf 'arch: %s\nplatform: linux\nversion: %s\n' "$(go env GOARCH)" "${version#v}" >> "$bin/deb/nfpm.yaml"
"$bin/nfpm" package --config "$bin/deb/nfpm.yaml" --packager deb --target "$bin/strata.deb"

command -v dpkg-deb > /dev/null || { echo 'no dpkg-deb: the package is not checked'; exit; }
root=$bin/deb/root
rm -rf "$root"
dpkg-deb --raw-extract "$bin/strata.deb" "$root"
for path in usr/bin/strata lib/systemd/system/strata.service etc/strata/strata.env usr/share/doc/strata/copyright; do
  [ -f "$root/$path" ] || { echo "the package lacks /$path"; exit 1; }
done
grep -qx /etc/strata/strata.env "$root/DEBIAN/conffiles"
sh -n "$root/DEBIAN/postinst"
sh -n "$root/DEBIAN/prerm"
"$root/usr/bin/strata" --version
dpkg-deb --info "$bin/strata.deb"
