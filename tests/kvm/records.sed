# SPDX-License-Identifier: BSD-2-Clause
# Of records as vspe decode --json prints them, take away what is not the same on KVM as on soft: what depends on time
# and on a TLB. All else has to be: how many, of which instructions, at which addresses, and with which outcome.
s/,"timestamp":[0-9]*//
s/,"latency":{[^}]*}//
s/,"TLB-REFILL"//
