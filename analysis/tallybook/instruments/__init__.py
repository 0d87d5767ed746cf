"""Coding: from responses to outcomes and a status. Nothing is dropped; what cannot be coded is counted."""
