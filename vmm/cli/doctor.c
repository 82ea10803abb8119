/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe doctor: what this host offers, what is missing, and how to fix it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <vspe/version.h>

#include "cli/doctor.h"
#include "cli/json.h"
#include "cli/options.h"

struct request {
	bool json;
};

#include "doctor_rows.h"

void doctor_ok(struct doctor_finding *finding, const char *format, ...)
{
	va_list args;

	finding->ok = true;
	finding->remedy[0] = '\0';
	va_start(args, format);
	vsnprintf(finding->found, sizeof(finding->found), format, args);
	va_end(args);
}

void doctor_missing(struct doctor_finding *finding, const char *remedy, const char *format, ...)
{
	va_list args;

	finding->ok = false;
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy);
	va_start(args, format);
	vsnprintf(finding->found, sizeof(finding->found), format, args);
	va_end(args);
}

/* Print a line whose words may come from anywhere. */
static void print_check(const struct doctor_check *check, const struct doctor_finding *finding)
{
	cli_message(stdout, "  %-8s %-15s %s", finding->ok ? "ok" : "missing", check->name,
		    finding->found);
	if (finding->ok)
		return;
	cli_message(stdout, "  %-8s %-15s for: %s", "", "", check->use);
	if (finding->remedy[0])
		cli_message(stdout, "  %-8s %-15s fix: %s", "", "", finding->remedy);
}

static void print_all(const struct utsname *name, const struct doctor_finding *findings)
{
	cli_message(stdout, "vspe %d.%d.%d on %s, %s %s", VSPE_VERSION_MAJOR, VSPE_VERSION_MINOR,
		    VSPE_VERSION_PATCH, name->machine, name->sysname, name->release);
	for (int optional = 0; optional < 2; optional++) {
		cli_message(stdout, "%s:", optional ? "optional" : "needed");
		for (size_t i = 0; i < doctor_check_count; i++)
			if (doctor_checks[i].optional == (bool)optional)
				print_check(&doctor_checks[i], &findings[i]);
	}
}

static json_object *check_json(const struct doctor_check *check,
			       const struct doctor_finding *finding)
{
	json_object *object = json_object_new_object();

	json_add(object, "name", json_object_new_string(check->name));
	json_add(object, "for", json_object_new_string(check->use));
	json_add(object, "optional", json_object_new_boolean(check->optional));
	json_add(object, "ok", json_object_new_boolean(finding->ok));
	json_add(object, "found", json_object_new_string(finding->found));
	if (finding->remedy[0])
		json_add(object, "fix", json_object_new_string(finding->remedy));
	return object;
}

static void print_json(const struct utsname *name, const struct doctor_finding *findings,
		       bool complete)
{
	json_object *object = json_object_new_object(), *checks = json_object_new_array();
	char version[32];

	snprintf(version, sizeof(version), "%d.%d.%d", VSPE_VERSION_MAJOR, VSPE_VERSION_MINOR,
		 VSPE_VERSION_PATCH);
	json_add(object, "vspe", json_object_new_string(version));
	json_add(object, "machine", json_object_new_string(name->machine));
	json_add(object, "kernel", json_object_new_string(name->release));
	json_add(object, "complete", json_object_new_boolean(complete));
	for (size_t i = 0; i < doctor_check_count; i++)
		json_append(checks, check_json(&doctor_checks[i], &findings[i]));
	json_add(object, "checks", checks);
	json_print(stdout, object,
		   JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			   JSON_C_TO_STRING_NOSLASHESCAPE);
}

static int look(bool json)
{
	struct doctor_finding findings[doctor_check_count];
	struct utsname name = {.machine = "unknown"};
	bool complete = true;

	(void)uname(&name);
	memset(findings, 0, sizeof(findings));
	for (size_t i = 0; i < doctor_check_count; i++) {
		doctor_checks[i].look(&doctor_here, &findings[i]);
		complete &= findings[i].ok || doctor_checks[i].optional;
	}
	if (json)
		print_json(&name, findings, complete);
	else
		print_all(&name, findings);
	return complete ? CLI_OK : CLI_FAILED;
}

int cmd_doctor(int argc, char **argv)
{
	struct request request = {.json = false};
	struct cli_parser parser = {
		.command = "doctor",
		.help = doctor_help,
		.lists = {{doctor_rows, sizeof(doctor_rows) / sizeof(doctor_rows[0])}},
		.request = &request,
		.messages = stderr,
	};
	int operand, code = cli_parse(&parser, argc, argv, &operand);

	if (code != CLI_GO_ON)
		return code;
	if (operand < argc)
		return cli_refuse_line(&parser, "'%s' is too much; see --help", argv[operand]);
	return look(request.json);
}
