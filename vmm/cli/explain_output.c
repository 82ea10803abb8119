/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe explain: the output. The conditions come from sysreg_explain(); this file decides nothing.
 */
#include "arm/syndrome.h"
#include "cli/explain.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdlib.h>

/* S3_0_C9_C9_2, as assemblers spell a register without a name. */
static void spell_encoding(uint32_t e, char *text, size_t size)
{
	snprintf(text, size, "S%" PRIu32 "_%" PRIu32 "_C%" PRIu32 "_C%" PRIu32 "_%" PRIu32, e >> 14,
		 e >> 11 & 7, e >> 7 & 15, e >> 3 & 15, e & 7);
}

const char *explain_state_name(const struct sysreg_controls *c)
{
	const bool rme = c->features & SYSREG_FEAT_RME;

	if (!(c->features & SYSREG_FEAT_EL3))
		return c->features & SYSREG_FEAT_SECURE ? "Secure" : "Non-secure";
	if (c->el == 3)
		return rme ? "Root" : "Secure";
	if (rme && (c->scr_el3 >> SYSREG_SCR_EL3_NSE_LSB & 1))
		return "Realm";
	return c->scr_el3 >> SYSREG_SCR_EL3_NS_LSB & 1 ? "Non-secure" : "Secure";
}

/* Everything to print about an access. */
struct answer {
	struct sysreg_route route;
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;
	const char *name,
		*reached; /* the register that is named, and that a direct access reaches */
	uint32_t encoding;
	struct soft_reason reason;
};

/* ESR_ELx of the trap: EC, IL and the syndrome. */
static uint32_t esr_of(const struct sysreg_route *route)
{
	return (uint32_t)arm_esr(route->ec, route->syndrome);
}

/* What follows when a condition is true. */
static void spell_consequence(const struct sysreg_step *step, char *text, size_t size)
{
	switch (step->kind) {
	case SYSREG_UNDEFINED: snprintf(text, size, "UNDEFINED"); break;
	case SYSREG_TRAP: snprintf(text, size, "trap to EL%u", step->target_el); break;
	case SYSREG_NVMEM: snprintf(text, size, "access to memory"); break;
	case SYSREG_DIRECT: snprintf(text, size, "access to the register"); break;
	case SYSREG_RAZ_WI: snprintf(text, size, "RAZ/WI"); break;
	}
}

/* The last condition that is true; only the question of EL3SDDUndef() can follow it. */
static size_t decider_of(const struct sysreg_step *steps, size_t count)
{
	while (count > 1 && !steps[count - 1].value)
		count--;
	return count - 1;
}

static void print_steps(const struct sysreg_step *steps, size_t count, FILE *out)
{
	const size_t decider = decider_of(steps, count);
	char text[32];

	for (size_t i = 0; i < count; i++) {
		const struct sysreg_step *s = &steps[i];

		spell_consequence(s, text, sizeof(text));
		fprintf(out, "%2zu. %s? %s%s\n", i + 1, text, s->value ? "yes" : "no",
			i == decider ? ", this decides" : "");
		for (size_t t = 0; t < s->count; t++)
			fprintf(out, "    %s %-3s %s\n", t ? "and" : "   ",
				s->terms[t].value ? "yes" : "no", s->terms[t].text);
	}
}

static void print_outcome(const struct explain_request *request, const struct answer *answer,
			  FILE *out)
{
	const struct sysreg_route *route = &answer->route;

	fputs("\nOutcome: ", out);
	switch (route->kind) {
	case SYSREG_DIRECT:
		fprintf(out, "%s %s\n", request->access.write ? "write of" : "read of",
			answer->reached);
		break;
	case SYSREG_UNDEFINED: fputs("the instruction is UNDEFINED\n", out); break;
	case SYSREG_TRAP:
		fprintf(out,
			"exception to EL%u, EC 0x%02x, ISS 0x%06" PRIx32 " (ESR_EL%u 0x%08" PRIx32
			")\n",
			route->target_el, route->ec, route->syndrome, route->target_el,
			esr_of(route));
		break;
	case SYSREG_NVMEM:
		fprintf(out, "64-bit %s memory at VNCR_EL2.BADDR + 0x%03x\n",
			request->access.write ? "write to" : "read from", route->nvmem_offset);
		break;
	case SYSREG_RAZ_WI:
		fprintf(out, "%s\n",
			request->access.write ? "the write is ignored" : "it reads as zero");
		break;
	}
}

static void add_hex(json_object *o, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%" PRIx32, value);
	json_add(o, key, json_object_new_string(text));
}

static json_object *json_steps(const struct sysreg_step *steps, size_t count)
{
	const size_t decider = decider_of(steps, count);
	json_object *array = json_object_new_array();
	char text[32];

	for (size_t i = 0; i < count; i++) {
		json_object *o = json_object_new_object(), *terms = json_object_new_array();

		for (size_t t = 0; t < steps[i].count; t++) {
			json_object *term = json_object_new_object();

			json_add(term, "text", json_object_new_string(steps[i].terms[t].text));
			json_add(term, "value", json_object_new_boolean(steps[i].terms[t].value));
			json_append(terms, term);
		}
		spell_consequence(&steps[i], text, sizeof(text));
		json_add(o, "terms", terms);
		json_add(o, "value", json_object_new_boolean(steps[i].value));
		json_add(o, "consequence", json_object_new_string(text));
		json_add(o, "decides", json_object_new_boolean(i == decider));
		json_append(array, o);
	}
	return array;
}

static json_object *json_outcome(const struct answer *answer)
{
	const struct sysreg_route *route = &answer->route;
	static const char *const kinds[] = {
		[SYSREG_DIRECT] = "direct", [SYSREG_UNDEFINED] = "undefined",
		[SYSREG_TRAP] = "trap",	    [SYSREG_NVMEM] = "memory",
		[SYSREG_RAZ_WI] = "raz-wi",
	};
	json_object *o = json_object_new_object();

	json_add(o, "kind", json_object_new_string(kinds[route->kind]));
	if (route->kind == SYSREG_DIRECT)
		json_add(o, "register", json_object_new_string(answer->reached));
	if (route->kind == SYSREG_TRAP) {
		json_add(o, "target_el", json_object_new_int(route->target_el));
		add_hex(o, "ec", route->ec);
		add_hex(o, "iss", route->syndrome);
		add_hex(o, "esr", esr_of(route));
	}
	if (route->kind == SYSREG_NVMEM)
		add_hex(o, "offset", route->nvmem_offset);
	return o;
}

static void print_json(const struct explain_request *request, const struct answer *answer,
		       FILE *out)
{
	const struct sysreg_controls *c = &request->controls;
	json_object *o = json_object_new_object();
	char encoding[32];

	spell_encoding(answer->encoding, encoding, sizeof(encoding));
	json_add(o, "register", json_object_new_string(answer->name));
	json_add(o, "encoding", json_object_new_string(encoding));
	json_add(o, "access", json_object_new_string(request->access.write ? "write" : "read"));
	json_add(o, "rt", json_object_new_int(request->access.rt));
	json_add(o, "el", json_object_new_int(c->el));
	json_add(o, "security_state", json_object_new_string(explain_state_name(c)));
	json_add(o, "aarch32", json_object_new_boolean(c->aarch32));
	json_add(o, "halted", json_object_new_boolean(c->halted));
	json_add(o, "conditions", json_steps(answer->steps, answer->count));
	json_add(o, "outcome", json_outcome(answer));
	json_print(out, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void answer_spe(const struct explain_request *request, struct answer *answer)
{
	const enum sysreg_id reg = request->access.reg;

	answer->route = sysreg_explain(&request->controls, request->access, answer->steps,
				       SYSREG_STEPS_MAX, &answer->count);
	answer->name = sysreg_name(reg);
	answer->encoding = sysreg_encoding(reg);
	answer->reached = sysreg_name((enum sysreg_id)answer->route.reg);
}

/* Only the condition that decided is printed. */
static void answer_other(const struct explain_request *request, struct answer *answer)
{
	struct soft_explain pe = request->pe;

	answer->route =
		soft_explain_route(&pe, &request->controls, request->other, request->access.write,
				   request->access.rt, &answer->reason);
	answer->name = soft_explain_name(request->other);
	answer->encoding = soft_explain_encoding(request->other);
	answer->reached = answer->reason.reached;
	answer->count = 1;
	answer->steps[0] = (struct sysreg_step){
		.terms = {{answer->reason.text, true}},
		.kind = answer->route.kind,
		.target_el = answer->route.target_el,
		.count = 1,
		.value = true,
	};
}

void explain_print(const struct explain_request *request, FILE *out)
{
	const struct sysreg_controls *c = &request->controls;
	struct answer answer;
	char encoding[32];

	if (request->access.reg == SYSREG_COUNT)
		answer_other(request, &answer);
	else
		answer_spe(request, &answer);
	if (request->json) {
		print_json(request, &answer, out);
		return;
	}
	spell_encoding(answer.encoding, encoding, sizeof(encoding));
	fprintf(out, "%s of %s (%s) at EL%u, %s state%s%s\n\n",
		request->access.write ? "Write" : "Read", answer.name, encoding, c->el,
		explain_state_name(c), c->aarch32 ? ", AArch32" : "", c->halted ? ", halted" : "");
	print_steps(answer.steps, answer.count, out);
	print_outcome(request, &answer, out);
}
