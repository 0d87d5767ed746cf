"""The axis of numbers: ends, grid lines, and what is said of marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.figures.value_axis import ValueAxis, number_scale

NUMBERS = st.floats(-1e9, 1e9)


class TestEnds:
    @pytest.mark.parametrize(
        ("axis", "lowest", "highest", "ends"),
        [
            (ValueAxis(), 0.12, 0.97, (0.0, 1.0)),
            (ValueAxis(), None, None, (0.0, 1.0)),
            (ValueAxis(), 3.0, 3.0, (1.5, 4.5)),
            (ValueAxis(), 0.0, 0.0, (-0.6, 0.6)),
            (ValueAxis(line=0.0), 0.5, 0.9, (0.0, 1.0)),
            (ValueAxis((-1.0, 1.2)), -0.5, 0.9, (-1.0, 1.2)),
            (ValueAxis((-1.0, 1.2)), None, None, (-1.0, 1.2)),
            (ValueAxis((0.0, 1.0)), -1e-7, 1.0, (0.0, 1.0)),
            (ValueAxis((0.0, 1.0)), -0.3, 0.8, (-0.4, 1.0)),
            (ValueAxis((0.0, 1.0), line=1.5), 0.2, 0.8, (0.0, 1.6)),
        ],
    )
    def test_are_limits_or_grid_lines(self, axis, lowest, highest, ends):
        assert axis.ends(lowest, highest) == pytest.approx(ends)

    @given(st.lists(NUMBERS, min_size=2, max_size=2), st.none() | st.tuples(NUMBERS, NUMBERS))
    def test_no_number_is_left_out(self, numbers, limits):
        low, high = min(numbers), max(numbers)
        kept = (min(limits), max(limits)) if limits and limits[0] != limits[1] else None
        first, last = ValueAxis(kept).ends(low, high)
        assert first < last
        tolerance = (last - first) * 0.03
        assert first - tolerance <= low
        assert high <= last + tolerance


class TestScale:
    @pytest.mark.parametrize("room", [0.3, 1.0, 3.0, 7.0])
    @pytest.mark.parametrize("upright", [True, False])
    @pytest.mark.parametrize("ends", [(0.0, 1.0), (-1.0, 1.2), (0.31, 0.38), (0.0, 5e6), (1e-7, 2e-7), (-3e300, 3e300)])
    def test_has_grid_lines_within_its_ends(self, ends, room, upright):
        scale, (low, high) = number_scale(ends, room, upright=upright)
        ticks = list(scale.breaks)
        assert len(ticks) >= 2
        near = (ends[1] - ends[0]) * 1e-8
        assert all(ends[0] - near <= tick <= ends[1] + near for tick in ticks)
        assert len(set(scale.labels)) == len(ticks)
        assert low < ends[0] < ends[1] < high

    def test_has_more_of_them_where_there_is_room(self):
        narrow, wide = (len(number_scale((0.0, 1.0), room, upright=False)[0].breaks) for room in (0.8, 3.0))
        assert narrow < wide


def test_marks_are_explained():
    axis = ValueAxis(line=-0.5, line_label="no\nbias", band=(-1.0, 1e6))
    assert axis.explained() == ["Dashed line: −0.5 (no bias).", "Grey ground: −1 to 1e+06."]
    assert ValueAxis().explained() == ValueAxis().marks() == []
