# Poses of the second, each a matrix of three rows on one line; a line
# of the answer for each: 1 where they meet, 0 where they do not.
cat >poses.txt <<END
1 0 0 0   0 1 0 0   0 0 1 0
1 0 0 2   0 1 0 0   0 0 1 0
END
kiln collide ship.kiln rock.kiln --poses poses.txt
#: 1
#: 0

# How far apart they are:
kiln collide ship.kiln rock.kiln --poses poses.txt --mode distance
#: 1 0
#: 0 1

# When a rock that flies through the ship touches it first, from 0 to 1
# on its way; both poses stand on one line:
printf '1 0 0 5  0 1 0 0  0 0 1 0   1 0 0 -5  0 1 0 0  0 0 1 0\n' |
    kiln collide ship.kiln rock.kiln --poses - --mode sweep
#: 0.39999985694885254

# Where they overlap, for a solver: how many regions, the greatest depth,
# and of each region depth, normal, centroid, area and number of points:
printf '1 0 0 0.25  0 1 0 0.25  0 0 1 0.75\n' |
    kiln collide ship.kiln rock.kiln --poses - --mode regions
#: 1 1 0.25
#:   0.25  0.0000 0.0000 -1.0000  0.5 0.5 0.875  0.28125 4

# A path of many poses, each of which remembers what the last one found:
kiln collide ship.kiln rock.kiln --poses poses.txt --mode coherent
