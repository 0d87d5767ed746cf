"""Instruments, which code responses to outcomes and a status. No response is dropped; those not coded are counted."""
