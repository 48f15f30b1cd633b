# Have two files the same triangles, whatever trees they have?
kiln bake ship.obj -o other.kiln --bv aabb --quiet
kiln diff ship.kiln other.kiln --geometry

# In a script the exit status is the answer:
kiln diff ship.kiln other.kiln --quiet || echo "they differ"
#: they differ
