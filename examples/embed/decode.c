/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the PC and the total latency of each record on standard input. */
#include <stdio.h>
#include <vspe/decode.h>

int main(void)
{
	static struct spe_record records[64];
	struct spe_decoder decoder;
	uint8_t bytes[4096];
	size_t size, taken;
	int n;

	if (spe_decoder_init(&decoder, sizeof(decoder), sizeof(records[0])))
		return 1;
	do {
		size = fread(bytes, 1, sizeof(bytes), stdin);
		for (size_t at = 0;; at += taken) {
			n = spe_decoder_read(&decoder, bytes + at, size - at, size == 0, records,
					     64, &taken);
			for (int i = 0; i < n; i++)
				if (records[i].has & SPE_HAS_PC)
					printf("0x%llx: %u cycles\n",
					       (unsigned long long)records[i].pc.va,
					       records[i].total_latency);
			if (n < 64)
				break;
		}
	} while (size);
	return 0;
}
