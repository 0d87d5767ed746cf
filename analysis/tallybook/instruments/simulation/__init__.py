"""Simulated responses with known truth, for demos, planning, tests and benchmarks. No model is called."""
