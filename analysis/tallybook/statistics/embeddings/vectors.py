"""From embeddings to associations: cosines, differential associations, removal of principal components.

Embeddings are no counts: these functions take arrays, one test or a stack of tests of equal size, and their results
go as a frame, one row a word, to `association`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.seeds import stream, stream_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

_BLOCK = 2**22
"""Numbers that are held at a time."""
_AXES = 2
"""Contexts and dimensions."""


def cosine_similarities(targets: ArrayLike, attributes: ArrayLike) -> Floats:
    """The cosine of every target's angle to every attribute, x'a / (|x| |a|).

    Returns:
        ... x targets x attributes, between -1 and 1; NaN for a vector of zeros, which has no direction.
    """
    x, a = _directions(targets), _directions(attributes)
    if x.shape[-1] != a.shape[-1]:
        raise ValueError(f"the targets have {x.shape[-1]} dimensions, the attributes {a.shape[-1]}")
    return np.clip(x @ np.swapaxes(a, -1, -2), -1.0, 1.0)


def _directions(vectors: ArrayLike) -> Floats:
    """Vectors of length 1."""
    v = np.asarray(vectors, np.float64)
    with np.errstate(all="ignore"):
        # By the largest entry first: the square of a long vector must not overflow, that of a short one not vanish.
        v = v / np.abs(v).max(axis=-1, keepdims=True, initial=0.0)
        return v / np.linalg.norm(v, axis=-1, keepdims=True)


def differential_associations(first: ArrayLike, second: ArrayLike) -> Floats:
    """The association of every target with the first attributes rather than the second.

    s(w, A, B) = mean over a in A of cos(w, a) - mean over b in B of cos(w, b).

    Returns:
        ... x targets; NaN where a set of attributes is empty or a similarity is NaN.

    References:
        Caliskan, A., Bryson, J. J. & Narayanan, A. (2017). Semantics derived automatically from language corpora
        contain human-like biases. Science, 356, 183-186.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    with np.errstate(all="ignore"):
        return np.asarray(a.sum(axis=-1) / a.shape[-1] - b.sum(axis=-1) / b.shape[-1], np.float64)


def without_top_components(vectors: ArrayLike, components: int = 2) -> Floats:
    """Vectors without their first principal components, which carry what all of them share and, in part, their bias.

    The vectors are centred, their projections on the first right singular vectors removed, and the mean added back.

    Returns:
        Vectors of the same shape.

    References:
        Mu, J. & Viswanath, P. (2018). All-but-the-top: Simple and effective postprocessing for word representations.
        ICLR. As used by Bai, X., Wang, A., Sucholutsky, I. & Griffiths, T. L. (2025), PNAS, 122, e2416228122.
    """
    if components < 0:
        raise ValueError(f"components is {components}: expected a whole number, at least 0")
    v = np.asarray(vectors, np.float64)
    mean = v.mean(axis=-2, keepdims=True)
    centred = v - mean
    top = np.linalg.svd(centred, full_matrices=False)[2][..., :components, :]
    return np.asarray(centred - centred @ np.swapaxes(top, -1, -2) @ top + mean, np.float64)


def sampled_effects(
    x: Sequence[ArrayLike],
    y: Sequence[ArrayLike],
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    samples: int,
    seed: int,
    key: Mapping[str, object] | None = None,
) -> pl.DataFrame:
    """Effect sizes of word embedding association tests on contexts drawn at random, for CEAT.

    Each sample takes one contextual embedding of every word, each with the same chance. As Guo & Caliskan define them,
    the effect is that of Caliskan et al. with the sample standard deviation of all target associations, and the
    variance is the square of that deviation.

    Returns:
        `effect`, `variance` and `count` (1) of every sample, for `random_effects.random_effects`; a sample whose
        associations are all the same has neither effect nor variance.

    References:
        Guo, W. & Caliskan, A. (2021). Detecting emergent intersectional biases: Contextualized word embeddings contain
        a distribution of human-like biases. AIES '21, 122-133.
    """
    sets = [[_directions(word) for word in words] for words in (x, y, a, b)]
    if any(not words or any(word.ndim != _AXES or not len(word) for word in words) for words in sets):
        raise ValueError("expected words in every set, and vectors, contexts x dimensions, for every word")
    if samples < 0:
        raise ValueError(f"samples is {samples}: expected a whole number, at least 0")
    cell = pl.DataFrame({name: [str(value)] for name, value in (key or {}).items()})
    random = stream(stream_keys(seed, cell, "embedding contexts")[0])
    chosen = [[random.integers(len(word), size=samples) for word in words] for words in sets]
    size = max(1, _BLOCK // (sum(map(len, sets)) * sets[0][0].shape[1]))
    scores = [
        _drawn_associations(sets, [[index[start : start + size] for index in words] for words in chosen])
        for start in range(0, samples, size)
    ]
    s = np.concatenate(scores) if scores else np.zeros((0, len(x) + len(y)))
    variance = np.var(s, axis=1, ddof=1) if len(s) else np.zeros(0)
    with np.errstate(all="ignore"):
        effect = (s[:, : len(x)].mean(axis=1) - s[:, len(x) :].mean(axis=1)) / np.sqrt(variance)
    known = np.isfinite(effect)
    columns = {"effect": np.where(known, effect, np.nan), "variance": np.where(known, variance, np.nan)}
    return pl.DataFrame(columns).fill_nan(None).with_columns(pl.lit(1, pl.Int64).alias("count"))


def _drawn_associations(sets: list[list[Floats]], chosen: list[list[NDArray[np.int64]]]) -> Floats:
    """The associations of all targets in some samples, samples x targets."""
    x, y, a, b = (
        np.stack([word[index] for word, index in zip(words, indices, strict=True)], axis=1)
        for words, indices in zip(sets, chosen, strict=True)
    )
    targets = np.concatenate([x, y], axis=1)
    return differential_associations(*(targets @ np.swapaxes(attributes, 1, 2) for attributes in (a, b)))
