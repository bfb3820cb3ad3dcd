#!/usr/bin/env python3
"""Fits the function that the float kernels use for tanh; needs nothing but Python.

    tanh(x) = 2 s / (1 + s^2),   s = tanh(x/2) ~ h P(u) / Q(u),   h = x/2, u = h^2, |x| <= CUT

and +-1 beyond CUT, with P = 1 + p1 u + p2 u^2 and Q = 1 + q1 u + q2 u^2 + q3 u^3. The linearised
problem h P - s Q = 0 is solved by least squares, over and over: dividing by the last Q makes it the
true error of s (Sanathanan and Koerner), the slope of 2s / (1 + s^2) turns that into the error of
tanh, and weights that grow where the error is large (Lawson) turn the sum of squares into the largest
error. Constants of one keep it exact at zero. CUT is where tanh is so near to 1 that the jump is
smaller than the error allowed, and not so near that rounding could carry the result past 1.

Prints the coefficients for src/kernels/tanh-inl.h; the test of the kernels checks every float.
"""
import math

CUT = 8.0
P_DEGREE = 2
Q_DEGREE = 3
POINTS = 500
ROUNDS = 400


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def least_squares(columns, goal):
    """The combination of columns nearest to goal, by modified Gram-Schmidt."""
    columns = [list(column) for column in columns]
    count = len(columns)
    triangle = [[0.0] * count for _ in columns]
    right = []
    for k in range(count):
        triangle[k][k] = math.sqrt(dot(columns[k], columns[k]))
        unit = [value / triangle[k][k] for value in columns[k]]
        for j in range(k + 1, count):
            triangle[k][j] = dot(unit, columns[j])
            columns[j] = [value - triangle[k][j] * a for value, a in zip(columns[j], unit)]
        right.append(dot(unit, goal))
        goal = [value - right[k] * a for value, a in zip(goal, unit)]
    solution = [0.0] * count
    for k in reversed(range(count)):
        known = sum(triangle[k][j] * solution[j] for j in range(k + 1, count))
        solution[k] = (right[k] - known) / triangle[k][k]
    return solution


def polynomial(coefficients, u):
    value = 0.0
    for coefficient in reversed(coefficients):
        value = (value + coefficient) * u
    return 1 + value


h = [CUT / 2 * math.sin(math.pi / 2 * k / POINTS) for k in range(1, POINTS + 1)]  # dense at the end
s = [math.tanh(x) for x in h]
slope = [2 * (1 - t * t) / (1 + t * t) ** 2 for t in s]
basis = [[x ** (2 * k + 1) for x in h] for k in range(1, P_DEGREE + 1)]
basis += [[-t * x ** (2 * k) for x, t in zip(h, s)] for k in range(1, Q_DEGREE + 1)]

weights = [1.0] * POINTS
q_values = [1 + x * x for x in h]
best = None
for _ in range(ROUNDS):
    scale = [math.sqrt(w) * d / q for w, d, q in zip(weights, slope, q_values)]
    solution = least_squares([[a * b for a, b in zip(column, scale)] for column in basis],
                             [(t - x) * a for t, x, a in zip(s, h, scale)])
    p, q = solution[:P_DEGREE], solution[P_DEGREE:]
    q_values = [polynomial(q, x * x) for x in h]
    ratios = [x * polynomial(p, x * x) / value for x, value in zip(h, q_values)]
    errors = [abs(2 * r / (1 + r * r) - math.tanh(2 * x)) for r, x in zip(ratios, h)]
    largest = max(errors)
    if best is None or largest < best[0]:
        best = (largest, p, q)
    weights = [w * (e / largest + 1e-3) for w, e in zip(weights, errors)]
    total = sum(weights)
    weights = [w / total for w in weights]

print(f"largest error before rounding: {best[0]:.3g}")
for name, values in (("p", best[1]), ("q", best[2])):
    for k, value in enumerate(values, 1):
        print(f"{name}{k} = {value:.8g}f")
