# Is a point inside, outside or on the surface?
echo '0.5 0.5 0.5' | kiln query ship.kiln --points -
#: inside

# Which triangle is nearest to a point, how far, where on it; and how
# deep inside is another?
echo '0.5 0.25 3' | kiln query ship.kiln --points - --mode nearest
#: 1 2 2 face 0.5 0.25 1
echo '0.5 0.5 0.75' | kiln query ship.kiln --points - --mode signed
#: -0.25 2 edge 0.5 0.5 1

# How often does the mesh go around a point, and how far is that off
# at most?
echo '0.5 0.5 1.5' | kiln query ship.kiln --points - --mode winding
#: 0 0 exact

# What does a ray meet first: triangle, t and side.
echo '-1 0.25 0.5  1 0 0' | kiln query ship.kiln --rays -

# Does a sphere of radius 0.3 touch it? Only 1 or 0:
echo '1.2 0.5 0.5  0.3' | kiln query ship.kiln --shapes - --mode any
#: 1

# How far is a wall of four corners, 0.1 thick: 0, as they don't meet,
# the distance, the triangle, and both nearest points.
echo '2 0 0  2 1 0  2 0 1  2 1 1  0.05' |
    kiln query ship.kiln --shapes - --mode distance

# A robot of two spheres, moved to two places: which sphere touches
# first, and all that do.
printf '0 0 0 0.25\n0 0 0.5 0.25\n' >robot.txt
printf '1 0 0 0.5  0 1 0 0.5  0 0 1 %s\n' 2 1 >places.txt
kiln query ship.kiln --spheres robot.txt --poses places.txt --mode all
#: 0 0
#: 1 1 0
