"""Replications: the declaration of a published study, for responses of other models beside the published ones."""
