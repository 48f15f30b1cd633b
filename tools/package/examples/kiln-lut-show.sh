# The probability that at least two of 64 bins have balls of both
# colours, of 20 and of 10 balls:
kiln lut bins --max-u 64 -o bins.kiln --quiet
kiln lut show bins.kiln --at 64,20,10 --x 2
