# Has anything to be done before this kiln reads these files?
kiln upgrade ship.kiln rock.kiln
