# ruff: noqa: B018, D100, INP001
# pyright: reportUnusedExpression=false
# %% [markdown]
# # Are younger applicants hired more often?
# 300 simulated answers of three models: data/raw/example/answers.csv of the repository, put beside this notebook.

# %%
import tallybook as tb

study = tb.init("answers.csv")
study

# %% [markdown]
# Shares of yes and no by age of the applicant. Prompts repeat the vacancy, so errors are clustered by it.

# %%
study.proportion("decision", by=["model", "applicant"])

# %%
difference = study.difference("decision", between="applicant", cluster="vacancy")
difference

# %% [markdown]
# The numbers are a polars frame.

# %%
difference.frame.filter(term="yes").select("model", "estimate", "ci_low", "ci_high", "p_value")

# %%
study.figure("3")
