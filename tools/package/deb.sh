#!/bin/sh
# deb.sh VERSION DIR: Debian packages of the sources as they are, into a new folder. DEBEMAIL is the
# maintainer's address; SOURCE_DATE_EPOCH the date, else that of the last change. With KILN_OBJECTS a
# build folder is packaged as it is, without packages of debug symbols, and packed in haste.
version=$1
cd "$(dirname "$0")/../.." || exit 1
rm -rf "$2" && mkdir -p "$2" && to=$(cd "$2" && pwd) || exit 1
tree=$to/kiln-$version
email=${DEBEMAIL:-kiln@$(hostname -d 2>/dev/null | grep . || echo kiln.invalid)}
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)}

mkdir "$tree" && tar -c --exclude-vcs --exclude='./build*' . | tar -x -C "$tree" || exit 1
cp -r tools/package/debian "$tree/debian" || exit 1
for file in control changelog libkiln0.symbols; do
    [ -e "$tree/debian/$file.in" ] && from=$tree/debian/$file.in || from=tools/package/debian/$file
    sed -e "s|@VERSION@|$version|" -e "s|@EMAIL@|$email|" -e "s|@DATE@|$(LC_ALL=C date -R -u -d "@$seconds")|" \
        "$from" >"$tree/$file" && mv "$tree/$file" "$tree/debian/$file" || exit 1
done
rm "$tree"/debian/*.in

cd "$tree" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
[ -z "$KILN_OBJECTS" ] || export DEB_BUILD_OPTIONS="noautodbgsym $DEB_BUILD_OPTIONS"
dpkg-buildpackage -b -us -uc -rfakeroot "-j${JOBS:-2}" >"$to/log" 2>&1 || {
    tail -30 "$to/log"
    exit 1
}
rm -rf "$tree"
ls "$to"/*.deb
