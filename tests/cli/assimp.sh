#!/bin/sh
# What Assimp leaves out of a model is reported by name, and what it refuses is not called broken where it need not be.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cases=$(pwd)/tests/cases/import
cd "$TMPDIR" || exit 1

case_begin 'blend shapes are left out by Assimp, and reported'
cp "$cases/I46_blendshape.fbx" .
expect 0 "$KILN" bake I46_blendshape.fbx -o x.kiln
silent err
expect 0 "$(dirname "$KILN")/libexec/kiln/kiln-import-assimp" I46_blendshape.fbx
says err 'mesh "g" has blend shapes (1), which are left out; where one is applied, export the mesh with it applied'
case_end

# skinned AT OFFSET: a triangle whose bone is at AT, and was bound with that offset.
skinned() {
    cat <<END
xof 0303txt 0032
Frame Root {
 FrameTransformMatrix {
  1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;
 }
 Frame Bone {
  FrameTransformMatrix {
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,$1,0.0,0.0,1.0;;
  }
 }
 Mesh m {
  3;
  0.0;0.0;0.0;,
  1.0;0.0;0.0;,
  0.0;1.0;0.0;;
  1;
  3;0,1,2;;
  XSkinMeshHeader {
   1;
   1;
   1;
  }
  SkinWeights {
   "Bone";
   3;
   0,1,2;
   1.0,1.0,1.0;
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,$2,0.0,0.0,1.0;;
  }
 }
}
END
}

case_begin 'a skin in another pose than it was bound in is reported'
skinned 5.0 -5.0 >bound.x
skinned 7.0 -5.0 >posed.x
expect 0 "$KILN" bake bound.x -o x.kiln
grep -q skinned err && case_fail 'the bones are where they were'
expect 0 "$KILN" bake posed.x -o x.kiln
says err 'mesh "Root" is skinned, and its bones are in another pose than when it was bound; the pose is left out'
case_end

case_begin 'files of versions that are not read: status 5, and what to do'
printf '; FBX 6.1.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 6100\n}\nObjects:  {\n}\nConnections:  {\n}\n' >old.fbx
expect 5 "$KILN" bake -q old.fbx -o x.kiln
says err 'old.fbx: an FBX file of version 6100, older than what is read; export it as FBX 2011 or newer (7.x), or convert it to glTF'
for order in '\0\264\024\0\0' '\1\0\0\024\264'; do
    printf "Kaydara FBX Binary  \\0\\032$order\\377\\377\\377\\177" >bad.fbx
    expect 5 "$KILN" bake -q bad.fbx -o x.kiln
    says err 'an FBX file of version 5300, older than what is read; export it as FBX 2011 or newer (7.x)'
done
printf 'x' >bad.3ds
expect 3 "$KILN" bake -q bad.3ds -o x.kiln
says err 'where another program opens it, convert it to glTF, OBJ, PLY or STL; else it is broken'
case_end

cases_end
