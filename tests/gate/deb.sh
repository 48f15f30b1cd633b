#!/bin/sh
# Debian packages are made of what was built, lintian finds nothing in them, and what they hold is
# enough to build and run a program.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
root=$TMPDIR/root
for tool in dpkg-buildpackage dh fakeroot lintian; do
    if ! command -v $tool >/dev/null 2>&1; then
        case_begin 'make deb'
        case_skip "$tool is not installed"
        cases_end
        exit
    fi
done

case_begin 'packages'
make_here all man docs python || case_fail 'make all man docs python'
version=$("$KILN" --version | cut -d ' ' -f 2)
KILN_OBJECTS=$KILN_BUILD tools/package/deb.sh "$version" "$TMPDIR/deb" >"$TMPDIR/out" ||
    case_fail "$(cat "$TMPDIR/out")"
grep -q '^CC ' "$TMPDIR/deb/log" && case_fail 'something was compiled again'
for name in kiln kiln-importers libkiln0 libkiln-dev libkilnbake-dev python3-kiln; do
    ls "$TMPDIR/deb/${name}_${version}"_*.deb >/dev/null || case_fail "no $name"
    dpkg-deb -x "$TMPDIR/deb/${name}_${version}"_*.deb "$root" || case_fail "$name"
done
dpkg-deb -f "$TMPDIR/deb/libkiln0_${version}"_*.deb Depends >"$TMPDIR/depends"
grep -q zlib1g "$TMPDIR/depends" || case_fail 'libkiln0 does not depend on zlib'
grep -q assimp "$TMPDIR/depends" && case_fail 'libkiln0 depends on Assimp'
dpkg-deb -f "$TMPDIR/deb/kiln_${version}"_*.deb Depends | grep -q "kiln-importers (= $version" ||
    case_fail 'kiln comes without its importers'
case_end

case_begin 'lintian'
# What was built for the tests has not Debian's flags, which harden; and instructions that happen to be letters are
# no words.
lintian --allow-root --display-info --pedantic --fail-on error,warning,info,pedantic \
    --suppress-tags hardening-no-bindnow,hardening-no-fortify-functions,spelling-error-in-binary \
    "$TMPDIR"/deb/*.changes \
    >"$TMPDIR/lintian" 2>&1 || case_fail "$(cat "$TMPDIR/lintian")"
case_end

case_begin 'what is in them'
(cd "$root" && find . -type f -o -type l) | sed 's|^\.||' | sort >"$TMPDIR/files"
for file in /usr/bin/kiln /usr/libexec/kiln/kiln-import /usr/libexec/kiln/kiln-import-gltf /usr/libexec/kiln/kiln-import-assimp '/usr/lib/.*/libkiln\.so\.0' '/usr/lib/.*/libkiln\.so' '/usr/lib/.*/libkiln\.a' \
    $(for h in runtime/kiln*.h; do echo "/usr/include/${h##*/}"; done) '/usr/lib/.*/cmake/kiln/kilnConfig.cmake' '/usr/share/man/man1/kiln-bake\.1\.gz' \
    '/usr/share/man/man3/kiln\.3\.gz' /usr/share/doc/kiln/html/index.html '/usr/share/man/man3/kiln_ray_any\.3\.gz' '/usr/share/man/man5/kiln-format\.5\.gz' \
    /usr/share/kiln/kiln.schema.json /usr/share/zsh/vendor-completions/_kiln \
    /usr/share/bash-completion/completions/kiln /usr/share/doc/libkiln0/copyright; do
    grep -qx "$file" "$TMPDIR/files" || case_fail "no $file"
done
PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import kiln
file = kiln.bake("models/tiny/cube.obj")
assert kiln.collide(file, None, file, None) and "dist-packages" in kiln.__file__' || case_fail 'the Python package'
"$root/usr/bin/kiln" bake -q models/tiny/cube.obj -o "$TMPDIR/cube.kiln" || case_fail 'bake'
cat >"$TMPDIR/user.c" <<'END'
#include <kiln.h>
int main(int argc, char **argv)
{
    kiln_file *file = NULL;
    kiln_hit hit = {0};
    if (argc != 2 || kiln_open(argv[1], NULL, &file) != KILN_OK) {
        return 2;
    }
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const kiln_status status = kiln_collide(tree, NULL, tree, NULL, NULL, &hit);
    kiln_close(file);
    return status == KILN_OK && hit.found ? 0 : 1;
}
END
folder=$(dirname "$(find "$root/usr/lib" -name libkiln.a)")
PKG_CONFIG_PATH=$folder/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046
gcc "$TMPDIR/user.c" $(pkg-config --cflags --libs kiln) -o "$TMPDIR/user" &&
    LD_LIBRARY_PATH=$folder "$TMPDIR/user" "$TMPDIR/cube.kiln" || case_fail 'a program'
case_end

cases_end
