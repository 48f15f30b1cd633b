#!/bin/sh
# manuals.sh KILN VERSION DIR: every manual page, into a new folder.
kiln=$1 version=$2 to=$3
here=$(dirname "$0")
top=$here/../..
mkdir -p "$to" || exit 1

"$kiln" --man >"$to/kiln.1" || exit 1
sed -n 's/^\.BR kiln\\-\(.*\) (1)$/\1/p' "$to/kiln.1" | sed 's/\\-/-/g' | while read -r page; do
    "$kiln" --man "$page" >"$to/kiln-$page.1" || exit 1
done || exit 1

# The table of formats, before what every page ends with.
{
    printf '.SH FORMATS\n.nf\n'
    "$kiln" bake --formats | sed 's/\\/\\e/g; s/-/\\-/g; s/^/\\\&/' || exit 1
    printf '.fi\n'
} >"$to/formats" && awk -v "formats=$to/formats" '/^\.SH SEE ALSO/ || /^\.SH "SEE ALSO"/ {
    while ((getline line <formats) > 0)
        print line
    }
    { print }' "$to/kiln-bake.1" >"$to/page" && mv "$to/page" "$to/kiln-bake.1" && rm "$to/formats" || exit 1

# from_header OVERVIEW HEADER LINK WHAT SEE_ALSO
from_header() {
    awk -f "$here/header_to_man.awk" -v "families=$here/families.txt" -v "to=$to" -v "overview=$1" \
        -v "header=$(basename "$2")" -v "version=$version" -v "link=$3" -v "what=$4" -v "also=$5" "$top/$2"
}
from_header kiln runtime/kiln.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'exact collision queries on hierarchies baked in advance' \
    'kiln(1) kiln_adb(3) kiln_axes(3) kiln_continuous(3) kiln_front(3) kiln_regions(3) kiln_nearest(3) kiln_rays(3) kiln_scene(3) kiln_self(3) kiln_shapes(3) kiln_spheres(3) kiln_sweep(3) kiln_winding(3) kiln_bake(3) kiln-format(5)' || exit 1
from_header kiln_adb runtime/kiln_adb.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'counted collision queries and filled-bins tables' \
    'kiln(1) kiln(3) kiln-format(5)' || exit 1
from_header kiln_axes runtime/kiln_axes.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'axes for the bounds of moving objects' \
    'kiln(1) kiln(3) kiln-format(5)' || exit 1
from_header kiln_scene runtime/kiln_scene.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'a broad phase for many placed trees' \
    'kiln(1) kiln(3)' || exit 1
from_header kiln_spheres runtime/kiln_spheres.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'sets of points, and robots as spheres' \
    'kiln(1) kiln(3) kiln-bake(1)' || exit 1
from_header kiln_continuous runtime/kiln_continuous.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'when many moving objects first touch' \
    'kiln(1) kiln(3) kiln_scene(3)' || exit 1
from_header kiln_front runtime/kiln_front.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'queries of two meshes that move little from one to the next' \
    'kiln(1) kiln(3) kiln_scene(3)' || exit 1
from_header kiln_self runtime/kiln_self.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'where a mesh meets itself' \
    'kiln-check-mesh(1) kiln(3)' || exit 1
from_header kiln_shapes runtime/kiln_shapes.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'convex shapes against a mesh: distances, and what they meet' \
    'kiln(1) kiln(3)' || exit 1
from_header kiln_regions runtime/kiln_regions.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'contact regions of two meshes, for solvers' \
    'kiln(1) kiln(3) kiln_scene(3)' || exit 1
from_header kiln_sweep runtime/kiln_sweep.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'when two moving things first touch' \
    'kiln(1) kiln(3) kiln_continuous(3) kiln_scene(3)' || exit 1
from_header kiln_nearest runtime/kiln_nearest.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'the nearest point of a mesh, and signed distances' \
    'kiln(1) kiln(3)' || exit 1
from_header kiln_rays runtime/kiln_rays.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'faster rays, in exchange for memory' \
    'kiln(1) kiln(3) kiln_scene(3)' || exit 1
from_header kiln_winding runtime/kiln_winding.h 'cc ... $(pkg-config --cflags --libs kiln)' \
    'how often a surface goes around a point' \
    'kiln(1) kiln(3)' || exit 1
from_header kiln_bake tools/kiln_bake.h 'cc ... $(pkg-config --cflags --libs kilnbake)' '' \
    'kiln-bake(1) kiln(3) kiln-format(5)' || exit 1

# EXAMPLES and BUGS, in all pages of commands and functions that are no links.
for page in "$to"/*.[13]; do
    grep -q '^\.so ' "$page" && continue
    name=$(basename "$page") && name=${name%.*}
    example=
    case $page in *.1) suffix=sh ;; *) suffix=c ;; esac
    [ ! -e "$here/examples/$name.$suffix" ] || example=$here/examples/$name.$suffix
    awk -f "$here/add_sections.awk" -v "page=$name" -v "example=$example" -v "bugs=$here/bugs.txt" "$page" >"$to/page" &&
        mv "$to/page" "$page" || exit 1
done || exit 1

{
    printf "'\\\\\" t\n.TH KILN-FORMAT 5 \"\" \"kiln %s\" \"File Formats Manual\"\n" "$version"
    printf '.SH NAME\nkiln\\-format \\- files of collision hierarchies and of tables\n.SH DESCRIPTION\n'
    awk -f "$here/markdown_to_man.awk" "$top/formats/hierarchy.md" "$top/formats/bins.md" "$top/formats/axes.md" || exit 1
    printf '.SH SEE ALSO\n.BR kiln (1),\n.BR kiln (3)\n'
} >"$to/kiln-format.5"

{
    printf "'\\\\\" t\n.TH KILN-CMAKE 7 \"\" \"kiln %s\" \"Miscellaneous\"\n" "$version"
    printf '.SH NAME\nkiln\\-cmake \\- kiln in projects of CMake: find_package and kiln_bake\n.SH DESCRIPTION\n'
    awk -f "$here/markdown_to_man.awk" "$top/tools/package/cmake.md" || exit 1
    printf '.SH SEE ALSO\n.BR kiln (1),\n.BR kiln\\-bake (1),\n.BR kiln (3)\n'
} >"$to/kiln-cmake.7"
