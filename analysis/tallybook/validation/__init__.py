"""Validation: checks of data, their failures and places, written for people and for machines."""
