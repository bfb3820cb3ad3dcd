#!/usr/bin/env python3
"""Fits the rational function that the float kernels use for tanh (python3-numpy).

    tanh(x) ~ x (1 + p1 u + ... + p4 u^4) / (1 + q1 u + ... + q4 u^4),   u = x^2, |x| <= CUT

and +-1 beyond CUT. The linearised problem x P - tanh(x) Q = 0 is solved by least squares, over and over:
dividing by the last Q makes it the true error (Sanathanan and Koerner), and weights that grow where the
error is large (Lawson) turn the sum of squares into the largest error. P(0) = Q(0) = 1 keeps it exact at
zero. The aim is tanh(x) (1 - MARGIN) for large x, so that rounding never carries the result past 1.
Prints the coefficients for src/kernels/tanh-inl.h; the kernel test checks every float.
"""
import numpy as np

CUT = 8.6
MARGIN = 1.2e-7
DEGREE = 4

x = CUT * np.sin(np.linspace(0, np.pi / 2, 4001)[1:])  # dense at the ends
u = x * x
goal = np.tanh(x) * (1 - MARGIN * np.minimum(1, (x / 3) ** 4))
powers = np.stack([u ** k for k in range(1, DEGREE + 1)], axis=1)

weights = np.ones_like(x)
q_values = 1 + u
best = None
for iteration in range(1000):
    scale = np.sqrt(weights) / q_values
    rows = np.hstack([x[:, None] * powers, -goal[:, None] * powers]) * scale[:, None]
    size = np.linalg.norm(rows, axis=0)
    solution, *_ = np.linalg.lstsq(rows / size, (goal - x) * scale, rcond=None)
    solution = solution / size
    p, q = solution[:DEGREE], solution[DEGREE:]
    q_values = 1 + powers @ q
    error = np.abs(x * (1 + powers @ p) / q_values - goal)
    if best is None or error.max() < best[0]:
        best = (error.max(), p, q)
    weights *= error / error.max() + 1e-3
    weights /= weights.sum()

print(f"largest error before rounding: {best[0]:.3g}")
for name, values in (("p", best[1]), ("q", best[2])):
    for k, value in enumerate(values, 1):
        print(f"{name}{k} = {np.float32(value):.9g}f")
