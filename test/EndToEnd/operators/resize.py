"""Resize: every mode and way to place the result's elements, larger and smaller, by scales and by sizes."""

import numpy as np

from cases import case, floats, integers, ints, normal

x = normal(2, 3, 5, 7)
PLACES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def resize(name: str, operand, scales=None, sizes=None, **attributes):
    return case(f"resize/{name}", "Resize", operand, None, scales, *([sizes] if sizes else []), **attributes)


CASES = [
    resize("twice", x, floats(1, 1, 2, 2), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    resize("twice-default", x, floats(1, 1, 2, 3)),
    resize("integers", integers(-9, 9, 2, 3, 4, dtype=np.int32), floats(1, 1, 2)),
    *[resize(f"nearest/{place}-{rounding}", x, floats(1, 1, 1.6, 0.7), mode="nearest", coordinate_transformation_mode=place, nearest_mode=rounding)
      for place in PLACES for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")],
    *[resize(f"linear/{place}", x, floats(1, 1, 1.6, 0.7), mode="linear", coordinate_transformation_mode=place) for place in PLACES],
    *[resize(f"cubic/{place}", x, floats(1, 1, 1.6, 0.7), mode="cubic", coordinate_transformation_mode=place) for place in PLACES],
    resize("cubic/exclude-outside", x, floats(1, 1, 2, 0.7), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5),
    resize("linear/sizes", x, None, ints(2, 3, 9, 4), mode="linear"),
    resize("nearest/sizes", x, None, ints(2, 3, 10, 4), mode="nearest"),
    resize("linear/one", x, None, ints(2, 3, 1, 1), mode="linear", coordinate_transformation_mode="pytorch_half_pixel"),
    resize("linear/axes", x, None, ints(8, 9), mode="linear", axes=[2, 3]),
    resize("symmetric", x, floats(1, 1, 1.3, 0.7), mode="linear", coordinate_transformation_mode="half_pixel_symmetric", opset=19),
    resize("not-larger", x, None, ints(8, 8), mode="nearest", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
    resize("not-smaller", x, None, ints(8, 8), mode="nearest", axes=[2, 3], keep_aspect_ratio_policy="not_smaller"),
]
