"""Logistic regression on grouped data: separation, penalised fits, clustered errors and fitted curves."""
