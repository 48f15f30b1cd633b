# Weights for counted queries of your own models, and a bake that puts
# them into the file:
kiln bake level.obj -o counted.kiln --adb --quiet
kiln calibrate counted.kiln --draws 4 -o weights.kiln
kiln bake level.obj -o level.kiln --adb --adb-weights weights.kiln

# The weights of kiln_collide_likely, as a table in C:
kiln calibrate level.kiln --likely --draws 4 -o weights.c
