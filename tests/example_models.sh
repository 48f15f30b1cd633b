# shellcheck shell=sh
# For test scripts in sh that build tests/examples: their models.

# A ship with a material library, a rock (a tetrahedron) with a buffer of its own.
make_models() { # make_models FOLDER
    cp models/tiny/cube.obj "$1/plain.obj"
    { echo 'mtllib ship.mtl'; cat models/tiny/cube.obj; } >"$1/ship.obj"
    printf 'newmtl hull\n' >"$1/ship.mtl"
    cat >"$1/rock.gltf" <<'END'
{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": [ 0 ] } ],
  "nodes": [ { "name": "rock", "mesh": 0 } ],
  "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0 } } ] } ],
  "buffers": [ { "uri": "rock.bin", "byteLength": 144 } ],
  "bufferViews": [ { "buffer": 0, "byteLength": 144 } ],
  "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3",
                   "min": [ 0, 0, 0 ], "max": [ 1, 1, 1 ] } ] }
END
    o='\000\000\000\000\000\000\000\000\000\000\000\000'
    x='\000\000\200\077\000\000\000\000\000\000\000\000'
    y='\000\000\000\000\000\000\200\077\000\000\000\000'
    z='\000\000\000\000\000\000\000\000\000\000\200\077'
    # shellcheck disable=SC2059
    printf "$o$y$x$o$x$z$o$z$y$x$y$z" >"$1/rock.bin"
}

# Other bytes of the same length, and a later time.
change() { # change FILE
    sed 's/hull/HULL/' "$1" >"$1.new" && mv "$1.new" "$1"
}
