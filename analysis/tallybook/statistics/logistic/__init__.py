"""Logistic regression on grouped cells: separation, penalised fits, clusters and profiles of the likelihood."""
