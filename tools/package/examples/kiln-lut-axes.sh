# A set of at least 20 points on the sphere, and its check:
kiln lut axes --points 20 -o axes.kiln --quiet
kiln lut check axes.kiln --quiet
