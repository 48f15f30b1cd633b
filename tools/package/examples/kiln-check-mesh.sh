# Is a model fit to be the surface of a solid?
kiln check-mesh ship.obj

# In a build that is to fail where meshes cross themselves or have holes:
kiln check-mesh --require closed,simple --quiet ship.obj rock.obj
