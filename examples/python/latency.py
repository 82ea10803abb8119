# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # Where loads wait
#
# Loads of a profile by the level that their data came from, and by function: how many, and how long. It is a notebook
# of cells (`# %%`), which Jupyter with jupytext, VS Code and Spyder open, and a program: `latency.py [PERF.DATA
# [SYMBOLS...]]`.
# A profile to try it with is made by
#
#     vspe run -k /usr/share/vspe/guests/chase.Image --seed 1 --model full --perf-data perf.data
#
# whose functions are in `/usr/share/vspe/guests/chase.elf`.

# %%
import sys

import numpy as np

import vspe

words = [] if sys.argv[1:2] and sys.argv[1].startswith("-") else sys.argv[1:]  # a notebook has words of its own
path, symbols = (words or ["perf.data"])[0], words[1:]
profile = vspe.read(path)
profile

# %% [markdown]
# Operations that load: class MEMORY, and no store. Records without an address or a latency are not looked at.

# %%
records = profile.records
loads = records[(records["type_header"] == vspe.Type.MEMORY) & (records["type_payload"] & 1 == 0) &
                profile.has(vspe.Has.TOTAL_LATENCY | vspe.Has.DATA_VA)]
print(f"{len(records)} records, {len(loads)} loads; {'all is there' if profile.complete else profile.summary.lines}")

# %% [markdown]
# A histogram of total latencies, a column of powers of two for each level.

# %%
sources = vspe.data_sources(loads)
names = sorted(sources.names, key=lambda name: -sources.counts()[name])
edges = np.array([0, *(1 << np.arange(2, 12)), 1 << 16])
print("\n" + "cycles".ljust(14) + "".join(name.rjust(14) for name in names))
table = np.array([np.histogram(loads["total_latency"][sources.where(name)], edges)[0] for name in names]).T
for low, high, row in zip(edges, edges[1:], table):
    if row.any():
        print(f"{low} to {high - 1}".ljust(14) + "".join(f"{count}".rjust(14) for count in row))

# %% [markdown]
# The same by function: the mean, and how much of all the cycles that loads waited was there.

# %%
functions = profile.names(symbols).functions(loads)
cycles = loads["total_latency"].astype(np.int64)
print("\n" + "function".ljust(24) + "loads".rjust(8) + "mean".rjust(8) + "share".rjust(8))
for name, count in functions.counts().items():
    here = functions.where(name)
    mean, share = cycles[here].mean(), cycles[here].sum() / cycles.sum()
    print(name.ljust(24) + f"{count}".rjust(8) + f"{mean:.1f}".rjust(8) + f"{share:.1%}".rjust(8))

# %% [markdown]
# With pandas (python3-pandas) the same is a `groupby`:
#
#     frame = pandas.DataFrame(loads)
#     frame["function"] = pandas.Categorical.from_codes(functions.codes, functions.names)
#     frame.groupby("function", observed=True)["total_latency"].describe()
