# Everything that can be known of a file alone:
kiln verify ship.kiln

# And whether its triangles are those of the model that it says:
kiln verify ship.kiln --source ship.obj
