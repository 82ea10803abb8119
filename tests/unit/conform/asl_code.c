/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of the pseudocode: invented functions, each construct in both dialects. */
#include "conform/asl_code.h"

#include <stdlib.h>
#include <string.h>

#include "../../array.h"
#include "../compare.h"

struct fixture {
	struct asl_code *code;
	struct asl_error error;
	unsigned int written; /* bytes that the hook Store got */
	uint8_t last;
};

static bool store(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		  unsigned int count, struct asl_value *result)
{
	struct fixture *f = ctx;

	(void)code;
	if (count != 1 || arguments->kind != ASL_BITS || arguments->width != 8)
		return false;
	f->written++;
	f->last = (uint8_t)arguments->u.bits;
	*result = asl_boolean(true);
	return true;
}

static bool implemented(void *ctx, struct asl_code *code, const struct asl_value *arguments,
			unsigned int count, struct asl_value *result)
{
	(void)ctx;
	(void)code;
	if (count != 1 || arguments->kind != ASL_STRING)
		return false;
	*result = asl_boolean(!strcmp(arguments->u.string, "FEAT_SHOE"));
	return true;
}

static bool defined(void *ctx, const char *text, struct asl_value *value)
{
	(void)ctx;
	if (!strcmp(text, "size of a shoe") && value->kind == ASL_NUMBER)
		value->u.integer = 43;
	else if (!strcmp(text, "colour of a shoe") && value->kind == ASL_BITS)
		value->u.bits = 0x5a;
	else
		return false;
	return true;
}

static void unknown(void *ctx, struct asl_value *value)
{
	(void)ctx;
	if (value->kind == ASL_BITS)
		value->u.bits = 1;
}

static const struct asl_hook hooks[] = {{"Store", store}, {"IsFeatureImplemented", implemented}};
static const char *const words[] = {"FEAT_", NULL};

static struct asl_host host_of(struct fixture *f)
{
	return (struct asl_host){.ctx = f,
				 .hooks = hooks,
				 .hook_count = ARRAY_SIZE(hooks),
				 .words = words,
				 .defined = defined,
				 .unknown = unknown};
}

/* Run Test(). NULL: it returned TRUE. Otherwise what went wrong. */
static const char *run(const char *text)
{
	static char why[300];
	struct fixture f = {0};
	const struct asl_host host = host_of(&f);
	struct asl_value result = {0};
	const char *outcome = why;

	f.code = asl_code_new(&host);
	if (!asl_code_read(f.code, "test", text, strlen(text), false, &f.error) ||
	    !asl_code_link(f.code, &f.error))
		snprintf(why, sizeof(why), "%u: %s", f.error.line, f.error.text);
	else if (!asl_code_start(f.code) ||
		 !asl_code_call(f.code, asl_code_function(f.code, "Test"), NULL, 0, &result))
		snprintf(why, sizeof(why), "%s", asl_code_error(f.code));
	else if (result.kind != ASL_BOOLEAN)
		snprintf(why, sizeof(why), "Test() returns no boolean");
	else if (!result.u.boolean)
		snprintf(why, sizeof(why), "FALSE");
	else
		outcome = NULL;
	asl_code_free(f.code);
	return outcome;
}

static void expect_true(const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *why = run(texts[i]);

		cr_expect_str_eq(why ? why : "", "", "program %zu:\n%s", i, texts[i]);
	}
}

/* Each of these, in "boolean Test() return X;", is TRUE. */
static const char *const expressions[] = {
	"1 + 2 * 3 == 7",
	"(1 + 2) * 3 == 9",
	"10 - 4 - 3 == 3",
	"7 DIV 2 == 3 && -7 DIV 2 == -4",
	"7 MOD 3 == 1 && -7 MOD 3 == 2",
	"1 << 12 == 4096 && 4097 >> 12 == 1 && -1 >> 5 == -1",
	"2 ^ 10 == 1024",
	"0xFFF == 4095 && 0xf_f == 255",
	"!(1 > 2) && 1 < 2 && 2 <= 2 && 3 >= 2",
	"FALSE || TRUE && TRUE",
	"'01':'10' == '0110'",
	"'1010'<3> == '1' && '1010'<2:1> == '01'",
	"'1010'<3,0> == '10' && '1010'<0,3> == '01'",
	"'10100101'<4 +: 4> == '1010'",
	"5<1:0> == '01' && (-1)<7:0> == '11111111'",
	"'1100' AND '1010' == '1000'",
	"('1100' OR '1010') == '1110' && ('1100' EOR '1010') == '0110'",
	"NOT('1100') == '0011'",
	"'1111' + 1 == '0000' && '0000' - 1 == '1111' && '0111' + '0001' == '1000'",
	"'10' IN {'1x', '00'} && !('01' IN {'1x', '00'})",
	"'10' == '1x' && '10' != '0x'",
	"3 IN {1, 2..4} && !(5 IN {1, 2..4})",
	"(if 1 == 1 then 5 else 6) == 5",
	"(if 1 == 2 then 5 elsif 2 == 2 then 6 else 7) == 6",
	"UInt('1111') == 15 && SInt('1111') == -1",
	"Zeros(3) == '000' && Ones(2) == '11'",
	"ZeroExtend('11', 4) == '0011' && SignExtend('10', 4) == '1110'",
	"Replicate('10', 2) == '1010'",
	"IsZero('000') && IsOnes('11') && !IsZero('010')",
	"Min(2, 3) == 2 && Max(2, 3) == 3 && Abs(-4) == 4",
	"Align(21, 8) == 16 && IsAlignedP2('11000', 3) && !IsAlignedP2('11000', 4)",
	"Elem['1110010000011011', 1, 8] == '11100100'" /* a getter of the library */,
	"BitCount('1011') == 3 && HighestSetBit('0100') == 2 && LowestSetBit('0100') == 2",
	"integer IMPLEMENTATION_DEFINED \"size of a shoe\" == 43",
	"bits(8) IMPLEMENTATION_DEFINED \"colour of a shoe\" == '01011010'",
	"bits(4) UNKNOWN == '0001'",
	"IsFeatureImplemented(FEAT_SHOE) && !IsFeatureImplemented(FEAT_HAT)",
	"Store('00000001')",
	"UInt(Ones(64)) + 1 == 2 ^ 64",
};

Test(asl_code, expressions)
{
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		const char *why;

		snprintf(text, sizeof(text), "boolean Test()\n    return %s;\n", expressions[i]);
		why = run(text);
		cr_expect_str_eq(why ? why : "", "", "%s", expressions[i]);
	}
}

static const char *const indented[] = {
	/* if, elsif, else; on a line, and in blocks */
	"integer Sign(integer i)\n"
	"    if i < 0 then return -1;\n"
	"    elsif i == 0 then\n"
	"        return 0;\n"
	"    else\n"
	"        return 1;\n"
	"boolean Test()\n"
	"    integer a; integer b = 0;\n"
	"    if TRUE then a = 1; b = 2; else a = 3; b = 4;\n"
	"    return (Sign(-5) == -1 && Sign(0) == 0 && Sign(9) == 1 &&\n"
	"            a == 1 && b == 2);\n",
	/* a condition over two lines; blocks that end two at a time */
	"boolean Test()\n"
	"    integer n = 0;\n"
	"    if (n == 0 &&\n"
	"        TRUE) then\n"
	"        if n == 1 then\n"
	"            n = 10;\n"
	"    else\n"
	"        n = 20;\n"
	"    return n == 0;\n",
	/* case with patterns and lists */
	"integer Kind(bits(3) b)\n"
	"    case b of\n"
	"        when '00x' return 0;\n"
	"        when '010', '011' return 1;\n"
	"        when '1xx'\n"
	"            integer deeper = 2;\n"
	"            return deeper;\n"
	"        otherwise Unreachable();\n"
	"boolean Test()\n"
	"    return Kind('001') == 0 && Kind('011') == 1 && Kind('111') == 2;\n",
	/* loops */
	"boolean Test()\n"
	"    integer sum = 0;\n"
	"    for i = 1 to 4\n"
	"        sum = sum + i;\n"
	"    for i = 4 downto 3\n"
	"        sum = sum * i;\n"
	"    while sum MOD 7 != 0 do\n"
	"        sum = sum + 1;\n"
	"    repeat\n"
	"        sum = sum - 1;\n"
	"    until sum < 100;\n"
	"    for i = 1 to 0\n"
	"        sum = 0;\n"
	"    return sum == 99;\n",
	/* slices as targets, with bounds that are computed, and lists */
	"boolean Test()\n"
	"    bits(16) m = Zeros(16);\n"
	"    integer n = 4;\n"
	"    m<7:n> = '1010';\n"
	"    m<15,13,0> = '111';\n"
	"    m<n-1> = '1';\n"
	"    return m == '1010000010101001';\n",
	/* enumerations, records, arrays, globals */
	"enumeration Colour { Colour_Red, // a comment\n"
	"                     Colour_Blue };\n"
	"type Shoe is ( Colour colour, integer size, bits(4) laces )\n"
	"Shoe shoe;\n"
	"constant integer COUNT = 3;\n"
	"array [0..COUNT-1] of bits(8) box;\n"
	"array [0..COUNT-1] of Shoe shelf;\n"
	"boolean Test()\n"
	"    shoe.colour = Colour_Blue;\n"
	"    shoe.size = 44;\n"
	"    shoe.laces<1:0> = '10';\n"
	"    box[2] = '11110000';\n"
	"    box[2]<0> = '1';\n"
	"    shelf[1] = shoe;\n"
	"    shoe.size = 45;\n"
	"    shelf[2].size = shelf[1].size + 1;\n"
	"    return (shelf[1].size == 44 && shelf[2].size == 45 && shelf[1].laces == '0010' &&\n"
	"            shelf[0].colour == Colour_Red && shelf[1].colour == Colour_Blue &&\n"
	"            box[2]<4:0> == '10001' && box[0] == Zeros(8));\n",
	/* tuples, names without a declaration */
	"(integer, bits(2)) Two(integer i)\n"
	"    return (i + 1, '10');\n"
	"boolean Test()\n"
	"    (a, b) = Two(1);\n"
	"    (-, c) = Two(2);\n"
	"    d = a;\n"
	"    bit hi; bit lo;\n"
	"    hi = b<1>; lo = c<0>;\n"
	"    return a == 2 && c == b && d == 2 && hi == '1' && lo == '0';\n",
	/* overloading by number and by kind, bits(N) */
	"integer Size(bits(N) b)\n"
	"    return N;\n"
	"integer Size(integer i)\n"
	"    return i;\n"
	"integer Size()\n"
	"    return 100;\n"
	"bits(N) Twice(bits(N) a, bits(N) b)\n"
	"    bits(N) both = a OR b;\n"
	"    return both;\n"
	"boolean Test()\n"
	"    return (Size('101') == 3 && Size(8) == 8 && Size() == 100 &&\n"
	"            Twice('100', '001') == '101');\n",
	/* a getter and a setter with an index; fields of what they give */
	"type Box is bits(8) { 7:4 HIGH, 3 FLAG }\n"
	"Box first; Box second;\n"
	"Box BOX[integer n]\n"
	"    return if n == 1 then first else second;\n"
	"BOX[integer n] = bits(8) value\n"
	"    if n == 1 then first = value;\n"
	"    else second = value;\n"
	"boolean Test()\n"
	"    BOX[2] = '00000001';\n"
	"    BOX[2].HIGH = '1010';\n"
	"    BOX[1].<HIGH,FLAG> = '11110';\n"
	"    return (second == '10100001' && first == '11110000' && BOX[1].HIGH == '1111' &&\n"
	"            BOX[2].<FLAG,HIGH> == '01010');\n",
	/* names of two words, assertions, recursion, a declaration of several */
	"integer AArch64.Sum(integer n)\n"
	"    assert n >= 0;\n"
	"    if n == 0 then return 0;\n"
	"    return n + AArch64.Sum(n - 1);\n"
	"boolean Test()\n"
	"    boolean a, b;\n"
	"    a = TRUE;\n"
	"    b = AArch64.Sum(10) == 55;\n"
	"    return a && b;\n",
	/* a value that is passed is a copy */
	"type Pair is ( integer a, integer b )\n"
	"Pair pair;\n"
	"Change(Pair p)\n"
	"    p.a = 9;\n"
	"boolean Test()\n"
	"    pair.a = 1;\n"
	"    Change(pair);\n"
	"    return pair.a == 1;\n",
};

Test(asl_code, indented)
{
	expect_true(indented, ARRAY_SIZE(indented));
}

static const char *const ended[] = {
	"func Sign(i: integer) => integer\n"
	"begin\n"
	"if i < 0 then return -1; elsif i == 0 then return 0; else return 1; end;\n"
	"end;\n"
	"func Test() => boolean\n"
	"begin\n"
	"return Sign(-5) == -1 && Sign(0) == 0 && Sign(9) == 1;\n"
	"end;\n",
	"func Kind(b: bits(3)) => integer\n"
	"begin\n"
	"  case b of\n"
	"    when '00x' => return 0;\n"
	"    when '010', '011' => return 1;\n"
	"    when {'1x1'} => return 2;\n"
	"    otherwise => return 3;\n"
	"  end;\n"
	"end;\n"
	"func Test() => boolean\n"
	"begin\n"
	"  return Kind('001') == 0 && Kind('011') == 1 && Kind('111') == 2 && Kind('110') == 3;\n"
	"end;\n",
	"func Test() => boolean\n"
	"begin\n"
	"  var sum : integer = 0;\n"
	"  for i = 1 to 4 do sum = sum + i; end;\n"
	"  for i = 4 downto 3 do\n"
	"sum = sum * i;\n"
	"  end;\n"
	"  while sum MOD 7 != 0 looplimit 100 do sum = sum + 1; end;\n"
	"  repeat sum = sum - 1; until sum < 100;\n"
	"  begin pass; end;\n"
	"  return sum == 99;\n"
	"end;\n",
	/* types, slices, concatenation */
	"type Colour of enumeration {Colour_Red, Colour_Blue};\n"
	"type Shoe of record { colour: Colour, size: integer, laces: bits(4) };\n"
	"type Box of bits(8) { [7:4] HIGH, [3] FLAG };\n"
	"constant COUNT : integer = 3;\n"
	"var shelf : array [[COUNT]] of Shoe;\n"
	"var box : Box;\n"
	"func Test() => boolean\n"
	"begin\n"
	"  let shoe = Shoe { colour = Colour_Blue, size = 44, laces = '0010' };\n"
	"  var (a, b) = (1, '10');\n"
	"  shelf[[1]] = shoe;\n"
	"  shelf[[1]].laces[3:2] = '11';\n"
	"  box() = Zeros{8};\n"
	"  box.HIGH = '1010';\n"
	"  box().FLAG = '1';\n"
	"  (-, b) = (2, '11');\n"
	"  return shelf[[1]].laces == '1110' && shoe.laces == '0010' && box() == '10101000' &&\n"
	"         shelf[[0]].colour == Colour_Red && a == 1 && b :: '0' == '110' &&\n"
	"         box[3+:2] == '01' && box[1*:4] == '1010' && box.[FLAG,HIGH] == '11010';\n"
	"end;\n",
	/* parameters in braces */
	"func Wide{N}(b: bits(N), times: integer) => bits(N)\n"
	"begin\n"
	"  var result : bits(N) = b;\n"
	"  for i = 2 to times do result = result XOR Ones{N}; end;\n"
	"  return result;\n"
	"end;\n"
	"func Test() => boolean\n"
	"begin\n"
	"  return Wide{3}('101', 2) == '010' && Wide('1', 1) == '1' && ZeroExtend{4}('1') == "
	"'0001';\n"
	"end;\n",
	/* accessors, by both forms */
	"type Box of bits(8) { [7:4] HIGH, [3] FLAG };\n"
	"var boxes : array [[2]] of bits(8);\n"
	"accessor BOX(n: integer) <=> value: Box\n"
	"begin\n"
	"  readonly getter return boxes[[n]]; end;\n"
	"  setter boxes[[n]] = value; end;\n"
	"end;\n"
	"getter SIZE => integer begin return 7; end;\n"
	"func Test() => boolean\n"
	"begin\n"
	"  BOX(1) = '00000001';\n"
	"  BOX(1).HIGH = '1010';\n"
	"  return boxes[[1]] == '10100001' && BOX(1).HIGH == '1010' && SIZE == 7;\n"
	"end;\n",
	"pure func Half(n: integer) => integer begin return n DIV 2; end;\n"
	"func Test() => boolean\n"
	"begin\n"
	"  let a : bits(4) = ARBITRARY : bits(4);\n"
	"  assert Half(8) == 4; /* exact\n here */\n"
	"  return a == '0001' && ImpDefInt(\"size of a shoe\") == 43 &&\n"
	"         ImpDefBits{8}(\"colour of a shoe\") == '01011010' && (FALSE --> FALSE);\n"
	"end;\n",
};

Test(asl_code, ended)
{
	expect_true(ended, ARRAY_SIZE(ended));
}

struct flaw {
	const char *text, *says;
};

static const struct flaw flaws[] = {
	{"boolean Test()\n    return 1;\n", "test:2: Test returns an integer of another type"},
	{"boolean Test()\n    return Nowhere();\n", "test:2: Nowhere is not there"},
	{"boolean Test()\n    return nowhere;\n", "nowhere is not there"},
	{"boolean Test()\n    return '01' == '1';\n", "2 bits compared with 1"},
	{"boolean Test()\n    return 1 == '1';\n", "an integer compared with bits"},
	{"boolean Test()\n    bits(4) a = '1';\n    return TRUE;\n", "1 bits where 4 belong"},
	{"boolean Test()\n    return '01'<2> == '1';\n", "1 bits from 2 on, of 2"},
	{"boolean Test()\n    return IsZero('01'<0:1>);\n", "the slice 0:1"},
	{"boolean Test()\n    while TRUE do\n        x = 1;\n    return TRUE;\n", "steps"},
	{"boolean Test()\n    return Test();\n", "nested calls"},
	{"boolean Test()\n    return 1 DIV 0 == 1;\n", "an integer that does not exist"},
	{"boolean Test()\n    return 2 ^ 200 == 1;\n", "an integer that does not exist"},
	{"boolean Test()\n    assert FALSE;\n    return TRUE;\n", "an assertion is false"},
	{"boolean Test()\n    Unreachable();\n", "Unreachable()"},
	{"boolean Test()\n    UNDEFINED;\n", "UNDEFINED"},
	{"boolean Test()\n    return boolean IMPLEMENTATION_DEFINED \"x\";\n", "as \"x\""},
	{"boolean Test()\n    return Store('1');\n", "Store cannot be called like this"},
	{"boolean Test()\n    integer i = TRUE;\n    return TRUE;\n", "a boolean where an integer"},
	{"boolean Test()\n    return 1 &&;\n", "2: at \";\": a value expected"},
	{"boolean Test()\n    return (TRUE;\n", "\")\" expected"},
	{"boolean Test()\n    return IsZero(Zeros(129));\n", "129 is not from 0 to 128"},
	{"integer n = n + 1;\nboolean Test()\n    return n == 1;\n", "n needs its own value"},
	{"type A is ( A a )\nA a;\nboolean Test()\n    return TRUE;\n", "nested too deeply"},
	{"array [0..999999] of integer a;\nboolean Test()\n    return TRUE;\n", "is not from 0 to"},
	{"array [0..3] of integer a;\nboolean Test()\n    return a[4] == 0;\n", "element 4 of 4"},
	{"(integer, integer) F()\n    return (1, 2);\nboolean Test()\n    (a, b, c) = F();\n"
	 "    return TRUE;\n",
	 "a tuple of 2"},
	{"func Test() => boolean\nbegin\nreturn 7 DIV 2 == 3;\nend;\n", "does not exist"},
	{"func Test() => boolean\nbegin\nreturn TRUE;\n", "\"end\" expected"},
	{"boolean Test()\n    integer i;\n    i.x = 1;\n    return TRUE;\n", "without a field x"},
};

Test(asl_code, flaws)
{
	for (size_t i = 0; i < ARRAY_SIZE(flaws); i++) {
		const char *why = run(flaws[i].text);

		cr_expect_str_has(why ? why : "no error", flaws[i].says, "%s", flaws[i].text);
	}
}

/* Variables keep their values from call to call, and start anew with asl_code_start(). */
Test(asl_code, variables)
{
	static const char text[] = "type Pair is ( integer a, bits(8) b )\n"
				   "Pair pair;\n"
				   "integer calls = 5;\n"
				   "Count(integer by)\n"
				   "    calls = calls + by;\n"
				   "    pair.b = pair.b + by;\n";
	struct fixture f = {0};
	const struct asl_host host = host_of(&f);
	const struct asl_value by = asl_number(2);
	struct asl_value *calls, *pair;
	int count;

	f.code = asl_code_new(&host);
	cr_assert(asl_code_read(f.code, "test", text, strlen(text), false, &f.error));
	cr_assert(asl_code_link(f.code, &f.error));
	cr_assert(asl_code_start(f.code));
	count = asl_code_function(f.code, "Count");
	calls = asl_code_variable(f.code, "calls");
	pair = asl_code_variable(f.code, "pair");
	for (int i = 0; i < 3; i++)
		cr_assert(asl_code_call(f.code, count, &by, 1, NULL));
	cr_expect_eq((int)calls->u.integer, 11);
	cr_expect_eq((int)asl_code_part(f.code, pair, "b")->u.bits, 6);
	cr_expect_eq(asl_code_part(f.code, pair, "c"), NULL);
	cr_assert(asl_code_start(f.code));
	cr_expect_eq((int)asl_code_variable(f.code, "calls")->u.integer, 5);
	cr_expect_eq(asl_code_function(f.code, "Nowhere"), -1);
	asl_code_free(f.code);
}

/* What a weak file declares is left out where an earlier file declared it. */
Test(asl_code, weak)
{
	static const char first[] = "enumeration Colour { Colour_Red };\n"
				    "constant integer ONE = 1;\n"
				    "integer F()\n    return 1;\n";
	static const char second[] =
		"enumeration Colour { Colour_Blue, Colour_Red };\n"
		"constant integer ONE = 2;\n"
		"integer F()\n    return 2;\n"
		"integer G()\n    return 3;\n"
		"boolean Test()\n    return ONE == 1 && F() == 1 && G() == 3;\n";
	struct fixture f = {0};
	const struct asl_host host = host_of(&f);
	struct asl_value result = {0};

	f.code = asl_code_new(&host);
	cr_assert(asl_code_read(f.code, "first", first, strlen(first), false, &f.error));
	cr_assert(asl_code_read(f.code, "second", second, strlen(second), true, &f.error), "%s",
		  f.error.text);
	cr_assert(asl_code_link(f.code, &f.error));
	cr_assert(asl_code_start(f.code));
	cr_assert(asl_code_call(f.code, asl_code_function(f.code, "Test"), NULL, 0, &result), "%s",
		  asl_code_error(f.code));
	cr_expect_eq(result.u.boolean, true);
	cr_expect_eq(asl_code_variable(f.code, "Colour_Blue"), NULL);
	asl_code_free(f.code);
}
