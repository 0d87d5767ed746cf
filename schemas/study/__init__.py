"""The study file: a declaration of sources, instrument, factors, analyses, tables, figures and conventions."""

from schemas.study.model import Study

__all__ = ["Study"]
