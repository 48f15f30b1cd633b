#!/bin/sh
# kiln check-mesh: models with known faults, what is required, kiln files, several at once, what is no mesh.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS
cp models/tiny/*.obj models/faults/*.obj "$TMPDIR"
cd "$TMPDIR" || exit 1

case_begin 'a sound mesh'
exact 0 "$KILN" check-mesh cube.obj <<'END'
cube.obj: sound
  mesh           12 triangles, 8 vertices, 18 edges, 1 part
  closed         yes
  manifold       yes
  oriented       yes
  outward        yes: volume 1
  simple         yes
  separate       yes
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'a hole, and a side that is turned'
exact 8 "$KILN" check-mesh open_turned.obj --list 2 <<'END'
open_turned.obj: not closed, oriented
  mesh           10 triangles, 8 vertices, 17 edges, 1 part
  closed         no: 4 edges of one triangle, in 1 loop
                 face 1, from 0 0 1 to 1 0 1
                 face 2, from 1 1 1 to 1 0 1
  manifold       yes
  oriented       no: 3 edges passed the same way by both triangles
                 face 0 and face 1
                 face 1 and face 4
  outward        not known: it is not closed
  simple         yes
  separate       yes
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'parts that cross, overlap and touch, by the names of their nodes'
exact 8 "$KILN" check-mesh crossing.obj <<'END'
crossing.obj: not simple, separate
  mesh           8 triangles, 8 vertices, 12 edges, 2 parts
  closed         yes
  manifold       yes
  oriented       yes
  outward        yes: volume 0.333333
  simple         no: 2 pairs that cross, 1 pair that overlaps in one plane
                 face 0 of /a crosses face 5 of /b
                 face 0 of /a crosses face 6 of /b
                 face 3 of /a overlaps face 7 of /b
  separate       no: 3 pairs that touch
                 face 0 of /a touches face 7 of /b
                 face 3 of /a touches face 5 of /b
                 face 3 of /a touches face 6 of /b
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'one plane: overlapping and touching'
exact 8 "$KILN" check-mesh in_plane.obj --list 1 <<'END'
in_plane.obj: not closed, simple, separate
  mesh           3 triangles, 9 vertices, 9 edges, 3 parts
  closed         no: 9 edges of one triangle, in 3 loops
                 face 0, from 0 0 0 to 4 0 0
  manifold       yes
  oriented       yes
  outward        not known: it is not closed
  simple         no: 1 pair that overlaps in one plane
                 face 0 overlaps face 1
  separate       no: 1 pair that touches
                 face 0 touches face 2
  distinct       yes
  area           yes
  angles         yes: 14 degrees and more
  finite         yes
END
case_end

case_begin 'a T-junction'
exact 8 "$KILN" check-mesh junction.obj --list 1 <<'END'
junction.obj: not closed, manifold, separate
  mesh           3 triangles, 5 vertices, 8 edges, 1 part
  closed         no: 7 edges of one triangle, in 1 loop
                 face 0, from 0 0 0 to 4 0 0
  manifold       no: 2 vertices that join what no edge joins
                 face 0 and face 1
  oriented       yes
  outward        not known: it is not closed
  simple         yes
  separate       no: 2 pairs that touch, 1 vertex in an edge of another triangle
                 face 0 touches face 1
                 face 1 on face 0
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'vertices and edges that join too much'
exact 8 "$KILN" check-mesh fork.obj --list 1 <<'END'
fork.obj: not closed, manifold
  mesh           9 triangles, 8 vertices, 14 edges, 1 part
  closed         no: 2 edges of one triangle, in 1 loop, 1 edge of another odd
                 number of triangles
                 face 8, from 0 1 0 to 1 1 -1
  manifold       no: 1 edge of three triangles or more, 1 vertex that joins what
                 no edge joins
                 face 0 and face 3
                 face 1 and face 4
  oriented       yes
  outward        not known: it is not closed
  simple         yes
  separate       yes
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'faces that are there twice, without area, thin, no number'
exact 8 "$KILN" check-mesh bad_faces.obj --list 1 --require all <<'END'
bad_faces.obj: not closed, manifold, distinct, area, angles, finite
  mesh           7 triangles, 7 vertices, 9 edges, 2 parts
  closed         no: 3 edges of one triangle, in 1 loop, 3 edges of another odd
                 number of triangles
                 face 6, from 8 0 0 to 9 0 0
  manifold       no: 3 edges of three triangles or more
                 face 0 and face 1
  oriented       yes
  outward        not known: it is not closed
  simple         yes
  separate       yes
  distinct       no: 1 triangle that is there already
                 face 4 is as face 0
  area           no: 1 triangle without area
                 face 5
  angles         no: 1 sliver, the least angle is 0.0573 degrees
                 face 6
  finite         no: 1 face with a corner that is not a number
END
case_end

case_begin 'inside out'
exact 8 "$KILN" check-mesh inside_out.obj -q <<'END'
END
exact 0 "$KILN" check-mesh inside_out.obj --require closed,manifold,oriented -q <<'END'
END
exact 0 "$KILN" check-mesh inside_out.obj --require none --list 0 <<'END'
inside_out.obj:
  mesh           4 triangles, 4 vertices, 6 edges, 1 part
  closed         yes
  manifold       yes
  oriented       yes
  outward        no: volume -0.166667
  simple         yes
  separate       yes
  distinct       yes
  area           yes
  angles         yes: 45 degrees and more
  finite         yes
END
case_end

case_begin 'only what is required counts'
exact 0 "$KILN" check-mesh -q --require simple,distinct open_turned.obj cube.obj <<'END'
END
exact 8 "$KILN" check-mesh -q --require closed,simple open_turned.obj <<'END'
END
exact 0 "$KILN" check-mesh -q --require none bad_faces.obj <<'END'
END
exact 1 "$KILN" check-mesh --require sipmle cube.obj <<'END'
stderr:
kiln: check-mesh: --require: 'sipmle' is none of the words; did you mean simple?
Try: kiln check-mesh --help
END
exact 1 "$KILN" check-mesh --require , cube.obj <<'END'
stderr:
kiln: check-mesh: --require: '' is none of the words
Try: kiln check-mesh --help
END
case_end

case_begin 'slivers, by the least angle'
exact 0 "$KILN" check-mesh cube.obj -q --require angles --sliver 45 <<'END'
END
exact 8 "$KILN" check-mesh cube.obj -q --require angles --sliver 45.1 <<'END'
END
case_end

case_begin 'a kiln file is as its model'
"$KILN" bake -q crossing.obj -o crossing.kiln && "$KILN" bake -q crossing.obj -o split.kiln --split node --bv octree
for file in crossing split; do
    "$KILN" check-mesh crossing.obj | sed 1d >model
    "$KILN" check-mesh $file.kiln | sed 1d >file
    same model file
done
case_end

case_begin 'several, one of which can not be read'
exact 2 "$KILN" check-mesh -q cube.obj inside_out.obj none.obj <<'END'
stderr:
kiln: none.obj: can't be opened; No such file or directory; check the path and its permissions
END
exact 8 "$KILN" check-mesh -q inside_out.obj cube.obj <<'END'
END
case_end

case_begin 'what is no mesh'
printf 'v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\nf 1 2 9\n' >broken.obj
exact 3 "$KILN" check-mesh broken.obj <<'END'
stderr:
kiln: broken.obj: no face is left: all have a corner that is not there or not a number; repair the model
END
"$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry && "$KILN" lut axes -q -o axes.kiln --points 14
exact 3 "$KILN" check-mesh bare.kiln <<'END'
stderr:
kiln: bare.kiln: baked without polygons; check the model, or bake it again without --no-geometry
END
exact 5 "$KILN" check-mesh axes.kiln <<'END'
stderr:
kiln: axes.kiln: holds no model; kiln info says what it is
END
exact 1 "$KILN" check-mesh <<'END'
stderr:
kiln: check-mesh: no file is given
Try: kiln check-mesh --help
END
case_end

cases_end
