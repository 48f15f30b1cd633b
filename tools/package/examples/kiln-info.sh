# What is in a file:
kiln info ship.kiln

# What its queries cost, and how large the volumes of each level are:
kiln info level.kiln --costs --levels

# All files of a folder as a table, for people and for a spreadsheet:
kiln info ./*.kiln
kiln info ./*.kiln --format csv >files.csv

# For a program:
kiln info ship.kiln --json >ship.json
