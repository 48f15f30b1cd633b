# Bakes a model, looks at the file, and asks whether it meets another
# at two poses, each a matrix of three rows on one line:
kiln bake ship.obj -o ship.kiln --quiet
kiln info ship.kiln
cat >poses.txt <<END
1 0 0 0   0 1 0 0   0 0 1 0
1 0 0 2   0 1 0 0   0 0 1 0
END
kiln collide ship.kiln rock.kiln --poses poses.txt

# The manual page of a verb where it is not installed, and its options:
kiln --man bake >kiln-bake.1
kiln bake --help

# Completion for the shell at hand:
kiln --completion bash >completion
