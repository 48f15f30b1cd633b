# What a bake made of a model, level by level, for any viewer of glTF:
kiln export ship.kiln -o ship.glb

# The leaves alone, coloured by what they cost a query:
kiln export level.kiln --leaves --colour cost -o leaves.ply

# The mesh as it was baked:
kiln export ship.kiln --mesh -o - --format obj | grep -c '^f '
#: 12
