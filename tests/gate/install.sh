#!/bin/sh
# What make install leaves is enough to compile, link and run a program by pkg-config, statically and
# shared; make uninstall leaves nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

root=$TMPDIR/root
prefix=/opt/kiln
models=$TMPDIR/models
mkdir "$models"
cp models/tiny/cube.obj "$models"
printf 'p 3\n0 0 0\n1 0 0\n0 1 0\n' >"$models/box.nff"
export PKG_CONFIG_PATH="$root$prefix/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"

case_begin 'install'
make_here "DESTDIR=$root" PREFIX=$prefix install || case_fail 'make install'
for file in bin/kiln libexec/kiln/kiln-import libexec/kiln/kiln-import-gltf libexec/kiln/kiln-import-assimp lib/libkiln.a lib/libkilnbake.a lib/libkiln.so lib/libkiln.so.0 \
    $(for h in runtime/kiln*.h; do echo "include/${h##*/}"; done) include/kiln_bake.h lib/pkgconfig/kiln.pc share/man/man1/kiln.1 \
    share/man/man1/kiln-bake.1 share/man/man1/kiln-lut-bins.1 share/man/man3/kiln.3 \
    share/man/man3/kiln_open.3 share/man/man3/kiln_ray_any.3 share/man/man3/kiln_bake.3 share/man/man5/kiln-format.5 share/man/man7/kiln-cmake.7 \
    share/kiln/kiln.schema.json share/kiln/kiln.manifest.schema.json \
    share/kiln/kiln.progress.schema.json share/kiln/kiln.meta.schema.json \
    share/bash-completion/completions/kiln \
    share/zsh/site-functions/_kiln share/fish/vendor_completions.d/kiln.fish; do
    [ -e "$root$prefix/$file" ] || case_fail "$file is missing"
done
case_end

case_begin 'version of kiln.pc and of kiln --version'
[ "$(pkg-config --modversion kiln)" = \
    "$("$root$prefix/bin/kiln" --version | sed 's/kiln //;s/ .*//;q')" ] || case_fail 'differ'
case_end

case_begin 'a program against libkiln.so'
cat >"$TMPDIR/user.c" <<'END'
#include <kiln.h>
#include <stdio.h>
int main(void)
{
    kiln_file *file = NULL;
    return kiln_open("/does/not/exist", NULL, &file) == KILN_ERROR_NOT_FOUND ? 0 : 1;
}
END
gcc "$TMPDIR/user.c" $(pkg-config --cflags --libs kiln) -o "$TMPDIR/shared" &&
    LD_LIBRARY_PATH=$root$prefix/lib "$TMPDIR/shared" || case_fail 'compile, link or run'
case_end

case_begin 'the installed tree is found where it is moved to'
cp -r "$root$prefix" "$TMPDIR/elsewhere"
# shellcheck disable=SC2046
(
    unset PKG_CONFIG_SYSROOT_DIR
    export PKG_CONFIG_PATH="$TMPDIR/elsewhere/lib/pkgconfig"
    mv "$root" "$root.away"
    for model in "$models"/cube.obj "$models"/box.nff; do
        "$TMPDIR/elsewhere/bin/kiln" bake -q "$model" -o "$TMPDIR/moved.kiln" || case_fail 'bake'
    done
    gcc "$TMPDIR/user.c" $(pkg-config --cflags --libs kiln) -o "$TMPDIR/moved" &&
        LD_LIBRARY_PATH=$TMPDIR/elsewhere/lib "$TMPDIR/moved" || case_fail 'compile, link or run'
    mv "$root.away" "$root"
)
case_end

case_begin 'a program against libkiln.a'
# shellcheck disable=SC2046
gcc "$TMPDIR/user.c" -static $(pkg-config --static --cflags --libs kiln) -o "$TMPDIR/static" &&
    "$TMPDIR/static" || case_fail 'compile, link or run'
case_end

case_begin 'a program against libkilnbake'
cat >"$TMPDIR/baker.c" <<'END'
#include <kiln_bake.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_input input = {.path = argv[1]};
    kiln_bake_report report;
    options.importer = argc > 2 ? argv[2] : NULL;
    kiln_bake_status status = kiln_bake(&input, "baked.kiln", &options, &report);
    puts(report.error);
    return (int)status;
}
END
mkdir -p "$TMPDIR/of/the/user" && mv "$TMPDIR/baker.c" "$TMPDIR/of/the/user" && cd "$TMPDIR/of/the/user" || exit 1
# shellcheck disable=SC2046
gcc baker.c $(pkg-config --cflags --libs kilnbake) -o baker || case_fail 'compile or link'
LD_LIBRARY_PATH=$root$prefix/lib
export LD_LIBRARY_PATH
readelf -d baker | grep -E 'assimp|seccomp' && case_fail 'it needs what only importers need'
importer=$(pkg-config --variable=importer kilnbake)
[ -x "$importer/kiln-import" ] || importer=$root$importer
expect 0 ./baker "$models/cube.obj" "$importer"
expect 0 ./baker "$models/box.nff" "$importer"
# Of itself it looks beside the program, and where the library is installed, which is not below $root.
expect 4 ./baker "$models/cube.obj"
says out "libexec/kiln, $prefix/libexec/kiln; install kiln whole"
mkdir -p libexec && cp -r "$importer" libexec/
expect 0 ./baker "$models/cube.obj"
unset LD_LIBRARY_PATH
cd "$OLDPWD" || exit 1
case_end

case_begin 'uninstall'
make_here "DESTDIR=$root" PREFIX=$prefix uninstall || case_fail 'make uninstall'
[ -z "$(find "$root" -type f -o -type l)" ] || { find "$root" -type f -o -type l; case_fail 'left'; }
case_end

cases_end
