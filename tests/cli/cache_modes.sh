#!/bin/sh
# A shared cache: what is stored has the permissions of the cache's folder, whatever the umask of who stores it. One
# that is not shared follows the umask, and one that others may write to is not used unless they are trusted.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

mkdir -p "$TMPDIR/m/w"
tiny=$PWD/models/tiny
cd "$TMPDIR/m/w" || exit 1
cp "$tiny/cube.obj" "$tiny/painted.obj" "$tiny/painted.mtl" .

# modes WANTED_OF_FILES WANTED_OF_FOLDERS: of all entries, and of the folders that they are in.
modes() {
    for found in $(find cache/?? -type f -printf '%m\n' | sort -u); do
        [ "$found" = "$1" ] || case_fail "an entry has $found, not $1"
    done
    for found in $(find cache/?? -type d -printf '%m\n' | sort -u); do
        [ "$found" = "$2" ] || case_fail "a folder has $found, not $2"
    done
    [ -n "$(find cache/?? -type f -name '*.names')" ] || case_fail 'no list of side files'
}

for mask in 077 002 022; do
    case_begin "umask $mask: a shared cache has the permissions of its folder"
    for of_cache in '2775 664 2775' '770 660 770' '755 644 755' '700 600 700' '777 666 777'; do
        # shellcheck disable=SC2086
        set -- $of_cache
        mkdir cache && chmod "$1" cache
        (umask $mask && "$KILN" bake -q cube.obj painted.obj -o out --cache cache --cache-shared) || case_fail "$1"
        [ "$(stat -c %a cache)" = "$1" ] || case_fail 'the folder of the cache was changed'
        modes "$2" "$3"
        [ "$(stat -c %a cache/CACHEDIR.TAG)" = "$2" ] || case_fail 'the tag has others'
        # Another umask finds it, and mends nothing that is right.
        expect 0 "$KILN" bake cube.obj -o out --cache cache --cache-shared --json
        says out '"outcome": "cached"'
        rm -r cache out
    done
    case_end

    case_begin "umask $mask: another cache follows it"
    mkdir cache && chmod 755 cache
    (umask $mask && "$KILN" bake -q cube.obj painted.obj -o out --cache cache) || case_fail 'not baked'
    case $mask in
    077) modes 600 700 ;;
    002) modes 664 775 ;;
    022) modes 644 755 ;;
    esac
    rm -r cache out
    case_end
done

case_begin 'one that others may write to is not used unless they are trusted, and stays as it is'
mkdir cache && chmod 777 cache
expect 0 "$KILN" bake cube.obj -o out/ --cache cache
says err 'other users may write to it'
[ -z "$(ls cache)" ] || case_fail 'it was used'
[ "$(stat -c %a cache)" = 777 ] || case_fail 'it was changed'
case_end

case_begin 'an entry that a strange umask has left is replaced with right permissions'
rmdir cache && mkdir cache && chmod 2775 cache
(umask 077 && "$KILN" bake -q cube.obj -o out/ --cache cache --cache-shared)
chmod 600 cache/??/*
for entry in cache/??/*; do : >"$entry"; done
expect 0 "$KILN" bake -q cube.obj -o out/ --cache cache --cache-shared
[ "$(find cache/?? -type f -printf '%m\n')" = 664 ] || case_fail "$(ls -l cache/??)"
case_end

cases_end
