#!/bin/sh
# Installs the Debian packages listed in packages.txt (or in the lists given as arguments) that are
# missing. When none is, it touches neither the network nor the package system.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- packages.txt

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "Not a Debian system: please install the equivalents of these packages yourself:" >&2
    sed '/^#/d' "$@" >&2
    exit 0
fi

missing=
for package in $(sed '/^#/d' "$@"); do
    state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "Run this as root, or install sudo: apt-get install$missing" >&2
        exit 1
    }
    as_root=sudo
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
