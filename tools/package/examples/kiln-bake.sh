# One model, with the default tree, and with two kinds of trees in a
# file that is used in place:
kiln bake ship.obj -o ship.kiln
kiln bake ship.obj -o ship.kiln --bv obb,aabb --layout raw

# Every model in a folder and below it; a second run bakes only what has
# changed:
kiln bake assets -o collision --if-changed
kiln bake assets -o collision --if-changed

# What a bake would do, without doing it:
kiln bake assets -o collision --if-changed --dry-run

# In continuous integration: warnings are errors, and a report in the
# form of JUnit says which model failed:
kiln bake assets -o collision --strict --junit report.xml

# The kind of tree and size of leaves whose queries cost least at the
# poses of a recorded run:
kiln bake ship.obj -o ship.kiln --bv auto --trace poses.txt \
    --against rock.kiln

# Points instead of faces: of a scan (PLY without faces, XYZ), or the
# vertices of any model. Every query serves them.
printf '0 0 0\n1 0 0\n0 1 0\n' >scan.xyz
kiln bake -q scan.xyz -o scan.kiln
kiln bake -q ship.obj -o corners.kiln --points
echo '0.875 0 0  0.125' | kiln query scan.kiln --shapes - --mode any
#: 1
