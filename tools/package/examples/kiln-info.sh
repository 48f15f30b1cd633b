# What is in a file:
kiln info ship.kiln

# What its queries cost, and how large the volumes of each level are:
kiln info level.kiln --costs --levels

# For a program:
kiln info ship.kiln --json >ship.json
