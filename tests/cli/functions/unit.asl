// SPDX-License-Identifier: BSD-2-Clause
// A unit in the words of vspe, in ASL1: what vspe conform --asl-functions runs where Arm's text is not at hand. The
// names that the driver calls are Arm's; the rest is written from the chapters on SPE.

type SPEOpType of enumeration {SPEOpType_Other, SPEOpType_Load, SPEOpType_Store};
type Attributes of record {op_type: SPEOpType};

var SPESampleInFlight : boolean = FALSE;
var SPESampleOpAttr : Attributes;
var SPESampleCounter : array [[32]] of integer;
var stopped : array [[32]] of boolean;
var running : array [[32]] of boolean;
var SPESampleAddress : array [[32]] of bits(64);
var SPESampleAddressValid : array [[32]] of boolean;
var SPESamplePreviousBranchAddress : bits(64);
var SPESamplePreviousBranchAddressValid : boolean = FALSE;
var SPERecordData : array [[2048]] of bits(8);
var SPERecordSize : integer = 0;

var class : bits(2);
var subclass : bits(8);
var is_branch : boolean;
var is_load : boolean;
var is_store : boolean;
var is_fp : boolean;
var is_simd : boolean;
var failed : boolean; // its condition
var recorded : bits(64); // events
var has_source : boolean;
var source : bits(16);
var time : bits(64);

func Flag(condition: boolean) => bit
begin
    return if condition then '1' else '0';
end;

func Enabled() => boolean
begin
    let allowed = if PSTATE.EL == EL1 then PMSCR_EL1.E1SPE else PMSCR_EL1.E0SPE;
    return PMBLIMITR_EL1.E == '1' && PMBSR_EL1.S == '0' && allowed == '1';
end;

func State() => bits(2) // NS, NSE
begin
    case CurrentSecurityState() of
        when SS_Secure => return '00';
        when SS_NonSecure => return '10';
        when SS_Realm => return '11';
        otherwise => Unreachable();
    end;
end;

func Place(address: bits(64)) => bits(64)
begin
    let state = State();
    return state[1] :: PSTATE.EL :: state[0] :: Zeros{4} :: address[55:0];
end;

// ---- selection

func Load()
begin
    PMSICR_EL1.COUNT = PMSIRR_EL1.INTERVAL :: Zeros{8};
    if PMSIRR_EL1.RND == '1' && !IsFeatureImplemented(FEAT_SPE_ERnd) then
        PMSICR_EL1.COUNT[0+:8] = SPEGetRandomInterval();
    end;
end;

func SPEToCollectSample() => boolean
begin
    var selected : boolean = FALSE;
    if PMSICR_EL1.ECOUNT != Zeros{8} then
        PMSICR_EL1.ECOUNT = PMSICR_EL1.ECOUNT - 1;
        selected = IsZero(PMSICR_EL1.ECOUNT);
    end;
    if IsZero(PMSICR_EL1.COUNT) then
        Load();
        return selected;
    end;
    PMSICR_EL1.COUNT = PMSICR_EL1.COUNT - 1;
    if !IsZero(PMSICR_EL1.COUNT) then
        return selected;
    elsif PMSIRR_EL1.RND == '1' && IsFeatureImplemented(FEAT_SPE_ERnd) then
        PMSICR_EL1.ECOUNT = SPEGetRandomInterval();
        return selected || IsZero(PMSICR_EL1.ECOUNT);
    else
        return TRUE;
    end;
end;

func SPEResetSampleStorage()
begin
    for i = 0 to 31 do
        SPESampleCounter[[i]] = 0;
        stopped[[i]] = FALSE;
        running[[i]] = FALSE;
        SPESampleAddress[[i]] = Zeros{64};
        SPESampleAddressValid[[i]] = FALSE;
    end;
    (is_branch, is_load, is_store) = (FALSE, FALSE, FALSE);
    (is_fp, is_simd, failed) = (FALSE, FALSE, FALSE);
    (class, subclass) = ('00', Zeros{8});
    has_source = FALSE;
    recorded = Zeros{64};
end;

func SPEStartSample() => boolean
begin
    if !Enabled() then return FALSE; end;
    PMUEvent(PMU_EVENT_SAMPLE_POP);
    if !SPEToCollectSample() then return FALSE; end;
    assert !SPESampleInFlight;
    SPESampleInFlight = TRUE;
    running[[0]] = TRUE;
    running[[1]] = TRUE;
    time = MachineOperation("time");
    SPESampleAddress[[0]] = Place(ThisInstrAddr(64));
    SPESampleAddressValid[[0]] = TRUE;
    if ImpDefBool("SPE get prev br if not br") then KeepPrevious(); end;
    return TRUE;
end;

// ---- what happens to the sampled operation

func SPEStartCounter(n: integer)
begin
    running[[n]] = TRUE;
end;

func SPEStopCounter(n: integer)
begin
    running[[n]] = FALSE;
    stopped[[n]] = TRUE;
end;

func SPECycle()
begin
    for n = 0 to 31 do
        if running[[n]] then SPESampleCounter[[n]] = SPESampleCounter[[n]] + 1; end;
    end;
end;

func SPEEvent(event: bits(16))
begin
    let is_v1p4 = IsFeatureImplemented(FEAT_SPEv1p4);
    case event of
        when PMU_EVENT_EXC_TAKEN => recorded[0] = '1';
        when PMU_EVENT_INST_RETIRED => recorded[1] = '1';
        when PMU_EVENT_L1D_CACHE => recorded[2] = '1';
        when PMU_EVENT_L1D_CACHE_REFILL where !is_v1p4 => recorded[3] = '1';
        when PMU_EVENT_L1D_CACHE_LMISS_RD where is_v1p4 => recorded[3] = '1';
        when PMU_EVENT_L1D_TLB => recorded[4] = '1';
        when PMU_EVENT_DTLB_WALK => recorded[5] = '1';
        when PMU_EVENT_BR_MIS_PRED => recorded[7] = '1';
        when PMU_EVENT_LL_CACHE => recorded[8] = '1';
        when PMU_EVENT_LL_CACHE_MISS => recorded[9] = '1';
        when PMU_EVENT_REMOTE_ACCESS => recorded[10] = '1';
        when PMU_EVENT_LDST_ALIGN_LAT => recorded[11] = '1';
        when PMU_EVENT_SVE_PRED_NOT_FULL_SPEC => recorded[17] = '1';
        when PMU_EVENT_SVE_PRED_EMPTY_SPEC => recorded[18] = '1';
        when PMU_EVENT_L2D_CACHE_RD => recorded[19] = '1';
        when PMU_EVENT_L2D_CACHE_LMISS_RD => recorded[20] = '1';
        when PMU_EVENT_L1D_CACHE_HITM_RD => recorded[21] = '1';
        when PMU_EVENT_L1D_LFB_HIT_RD => recorded[22] = '1';
        when PMU_EVENT_DSNP_HIT_RD => recorded[23] = '1';
        otherwise => pass;
    end;
end;

func Access(load: boolean, payload: bits(8))
begin
    class = '01';
    subclass = payload;
    is_load = load;
    is_store = !load;
    SPESampleOpAttr.op_type = if load then SPEOpType_Load else SPEOpType_Store;
end;

func SPESampleOpOther(conditional: boolean, passed: boolean, fp: boolean, simd: boolean)
begin
    subclass = Zeros{5} :: Flag(simd) :: Flag(fp) :: Flag(conditional);
    (is_fp, is_simd) = (fp, simd);
    failed = conditional && !passed;
end;

func SPESampleGeneralPurposeLoadStore(load: boolean)
begin
    Access(load, Zeros{7} :: Flag(!load));
end;

func SPESampleExtendedLoadStore(order: boolean, exclusive: boolean, atomic: boolean, load: boolean)
begin
    Access(load, '000' :: Flag(order) :: Flag(exclusive) :: Flag(atomic) :: '1' :: Flag(!load));
    if atomic then is_store = TRUE; end;
end;

func SPESampleSIMDFPLoadStore(load: boolean, scalar: boolean)
begin
    Access(load, '0000010' :: Flag(!load));
    (is_fp, is_simd) = (scalar, !scalar);
end;

func Length(width: integer) => bits(3)
begin
    var code : integer = 0;
    while (32 << code) < width do code = code + 1; end;
    return code[2:0];
end;

func SPESampleOpSVESMELoadStore(scattered: boolean, length: integer, predicated: boolean, load: boolean)
begin
    Access(load, Flag(scattered) :: Length(length) :: '1' :: Flag(predicated) :: '0' :: Flag(!load));
end;

func SPESampleOpSVEOther(length: integer, predicated: boolean, fp: boolean)
begin
    subclass = '0' :: Length(length) :: '1' :: Flag(predicated) :: Flag(fp) :: '0';
    is_fp = fp;
end;

func SPESampleMemCopy()
begin
    let types = PMSFCR_EL1.TYPE;
    let one = PMSFCR_EL1.FT == '1' && types[1] != types[2];
    let load = if one then types[1] == '1' else SPEGetRandomBoolean();
    Access(load, '0010000' :: Flag(!load));
end;

func SPESampleMemSet()
begin
    Access(FALSE, '00100101');
end;

func SPESampleLoadStore(load: boolean, access: AccessDescriptor, address: AddressDescriptor)
begin
    SPESampleAddress[[2]] = address.vaddress;
    SPESampleAddressValid[[2]] = TRUE;
    if PMSCR_EL1.PA == '1' && PMSCR_EL2.PA == '1' then
        let space = address.paddress.paspace;
        let tags = IsFeatureImplemented(FEAT_MTE2);
        let tag = if tags then AArch64.LogicalAddressTag(address.vaddress) else '0000';
        let checked = Flag(tags && access.tagchecked);
        SPESampleAddress[[3]] = (Flag(space != PAS_Secure) :: checked :: '0' :: Flag(space == PAS_Realm) :: tag ::
                                 address.paddress.address);
        SPESampleAddressValid[[3]] = TRUE;
    end;
    (has_source, source) = SPEGetDataSource(load, access, address);
end;

func SPEBranch(target: bits(64), kind: BranchType, conditional: boolean, taken: boolean)
begin
    if SPESampleInFlight then
        class = '10';
        is_branch = TRUE;
        failed = conditional && !taken;
        let indirect = kind IN {BranchType_INDIR, BranchType_INDCALL, BranchType_RET};
        var what : bits(2) = '00';
        if IsFeatureImplemented(FEAT_SPE_CRR) then
            case kind of
                when BranchType_DIRCALL, BranchType_INDCALL => what = '01';
                when BranchType_RET => what = '10';
                otherwise => what = '11';
            end;
        end;
        subclass = '000' :: what :: '0' :: Flag(indirect) :: Flag(conditional);
        if taken then
            SPESampleAddress[[1]] = Place(target);
            SPESampleAddressValid[[1]] = TRUE;
        end;
        KeepPrevious();
    end;
    if taken then
        SPESamplePreviousBranchAddress = Place(target);
        SPESamplePreviousBranchAddressValid = Enabled();
    end;
end;

// The target of the branch before this operation.
func KeepPrevious()
begin
    if IsFeatureImplemented(FEAT_SPE_PBT) && SPESamplePreviousBranchAddressValid then
        SPESampleAddress[[4]] = SPESamplePreviousBranchAddress;
        SPESampleAddressValid[[4]] = TRUE;
    end;
end;

// ---- filters

func Testable() => bits(64)
begin
    let own = ImpDefBits{64}("SPE mask");
    var mask : bits(64) = Zeros{64};
    (mask[63:48], mask[15:12]) = (own[63:48], own[15:12]);
    mask[7,5,3] = '111';
    if IsFeatureImplemented(FEAT_SPEv1p4) then
        mask[23:19] = Ones{5};
        (mask[10:8], mask[4,2]) = ('111', '11');
    else
        (mask[31:24], mask[10:8], mask[4,2]) = (own[31:24], own[10:8], own[4,2]);
    end;
    if IsFeatureImplemented(FEAT_SPEv1p1) then
        mask[11] = '1';
        if IsFeatureImplemented(FEAT_SVE) then mask[18:17] = '11'; end;
    end;
    mask[6] = Flag(IsFeatureImplemented(FEAT_SPE_FnE));
    return mask;
end;

// Does a filter that is on let the operation pass? One that asks for nothing does as the implementation likes.
func Passes(on: bit, asks: boolean, result: boolean) => boolean
begin
    if on == '0' then return TRUE; end;
    return if asks then result else !ConstrainUnpredictableBool(Unpredictable_BADPMSFCR);
end;

func EventsPass() => boolean
begin
    let set = PMSEVFR_EL1 AND Testable();
    var clear : bits(64) = Zeros{64};
    if IsFeatureImplemented(FEAT_SPE_FnE) then clear = PMSNEVFR_EL1 AND Testable(); end;
    let all_set = (recorded AND set) == set;
    let all_clear = IsZero(recorded AND clear);
    if all_set && all_clear then PMUEvent(PMU_EVENT_SAMPLE_FEED_EVENT); end;
    return (Passes(PMSFCR_EL1.FE, !IsZero(set), all_set) &&
            (!IsFeatureImplemented(FEAT_SPE_FnE) || Passes(PMSFCR_EL1.FnE, !IsZero(clear), all_clear)));
end;

func TypesPass() => boolean
begin
    let is = Flag(is_simd) :: Flag(is_fp) :: Flag(is_store) :: Flag(is_load) :: Flag(is_branch);
    let all = IsFeatureImplemented(FEAT_SPE_EFT);
    let named = if all then PMSFCR_EL1.TYPE else '00' :: PMSFCR_EL1.TYPE[2:0];
    let exact = if all then PMSFCR_EL1.TYPEm else Zeros{5};
    let any = named AND NOT exact;
    let result = ((is AND exact) == (named AND exact)) && (IsZero(any) || !IsZero(is AND any));
    if is_branch then PMUEvent(PMU_EVENT_SAMPLE_FEED_BR); end;
    if is_load then PMUEvent(PMU_EVENT_SAMPLE_FEED_LD); end;
    if is_store then PMUEvent(PMU_EVENT_SAMPLE_FEED_ST); end;
    if is_fp then PMUEvent(PMU_EVENT_SAMPLE_FEED_FP); end;
    if is_simd then PMUEvent(PMU_EVENT_SAMPLE_FEED_SIMD); end;
    if result && !IsZero(named OR exact) then PMUEvent(PMU_EVENT_SAMPLE_FEED_OP); end;
    return Passes(PMSFCR_EL1.FT, all || !IsZero(named), result);
end;

func LatencyPasses() => boolean
begin
    let least = UInt(PMSLATFR_EL1.MINLAT);
    let result = SPESampleCounter[[0]] >= least;
    if result then PMUEvent(PMU_EVENT_SAMPLE_FEED_LAT); end;
    return Passes(PMSFCR_EL1.FL, least != 0, result);
end;

func SourcePasses() => boolean
begin
    if !IsFeatureImplemented(FEAT_SPE_FDS) || !has_source then return TRUE; end;
    let wanted = PMSDSFR_EL1[UInt(source[5:0])] == '1';
    if wanted then PMUEvent(PMU_EVENT_SAMPLE_FEED_DS); end;
    return wanted || PMSFCR_EL1.FDS == '0';
end;

// ---- the record

func Byte(b: bits(8))
begin
    SPERecordData[[SPERecordSize]] = b;
    SPERecordSize = SPERecordSize + 1;
end;

func Packet{N}(header: bits(8), payload: bits(N))
begin
    Byte(header);
    for i = 0 to N DIV 8 - 1 do
        Byte(payload[i*:8]);
    end;
end;

func SizeCode(bytes: integer) => bits(2)
begin
    case bytes of
        when 1 => return '00';
        when 2 => return '01';
        when 4 => return '10';
        when 8 => return '11';
        otherwise => unreachable;
    end;
end;

func Counter(n: integer)
begin
    let most = if ImpDefBool("SPE 16bit counters") then 0xffff else 0xfff;
    let value = Min(SPESampleCounter[[n]], most);
    Packet('10011' :: n[2:0], value[15:0]);
end;

func Build()
begin
    SPERecordSize = 0;
    if PMSCR_EL1.CX == '1' then Packet('01100100', CONTEXTIDR_EL1[31:0]); end;
    if PMSCR_EL2.CX == '1' then Packet('01100101', CONTEXTIDR_EL2[31:0]); end;
    for n = 0 to 7 do
        if stopped[[n]] then Counter(n); end;
    end;
    for n = 0 to 7 do
        if SPESampleAddressValid[[n]] then Packet('10110' :: n[2:0], SPESampleAddress[[n]]); end;
    end;
    let sources = ImpDefInt("SPE Data Source packet payload size");
    if has_source then Packet('01' :: SizeCode(sources) :: '0011', source[8*sources-1:0]); end;
    Packet('010010' :: class, subclass);
    let events = ImpDefInt("SPE Events packet payload size");
    Packet('01' :: SizeCode(events) :: '0010', recorded[8*events-1:0]);
    if PMSCR_EL1.TS == '1' then Packet('01110001', time); else Byte('00000001'); end;
    repeat
        if SPERecordSize MOD (1 << UInt(PMBIDR_EL1.Align)) != 0 then Byte(Zeros{8}); end;
    until SPERecordSize MOD (1 << UInt(PMBIDR_EL1.Align)) == 0;
end;

// ---- the buffer

func Report(ec: bits(6), mss2: bits(24), mss: bits(16))
begin
    PMBSR_EL1.S = '1';
    PMBSR_EL1.EC = ec;
    PMBSR_EL1.MSS2 = mss2;
    PMBSR_EL1.MSS = mss;
end;

func WriteOut()
begin
    for i = 0 to SPERecordSize - 1 do
        let result = MachineStore();
        let ec = if MachineWrite("stage2") then '100101' else '100100';
        let code = Zeros{10} :: MachineWrite("fsc");
        let is_walk = result == 1 && MachineWrite("fsc") IN {'01001x', '0101xx'};
        if result == 1 then
            let permission = MachineWrite("fsc") == '0011xx';
            let mss2 = if permission then MachineWrite("mss2") else Zeros{16};
            if i != 0 then PMBSR_EL1.DL = '1'; end;
            if is_walk && !ImpDefBool("Report SPE ExtAbort on TTW as fault") then PMBSR_EL1.EA = '1'; end;
            Report(ec, Zeros{8} :: mss2, code);
            return;
        elsif result == 2 && ImpDefBool("Report SPE ExtAbort as SError") then
            PendSErrorInterrupt(MachineAddress.fault);
        elsif result == 2 then
            let later = ImpDefBool("Report SPE ExtAbort asynchronously");
            if later || i != 0 then PMBSR_EL1.DL = '1'; end;
            PMBSR_EL1.EA = '1';
            Report(ec, Zeros{24}, if later then '0000000000010001' else code);
            return;
        end;
        PMBPTR_EL1.PTR = PMBPTR_EL1.PTR + 1;
    end;
    let room = 1 << UInt(PMSIDR_EL1.MaxSize);
    if UInt(PMBPTR_EL1.PTR) + room > UInt(PMBLIMITR_EL1.LIMIT :: Zeros{12}) then
        PMUEvent(PMU_EVENT_SAMPLE_BUFFER_FULL);
        Report('000000', Zeros{24}, '0000000000000001');
    end;
end;

func SPECompleteSample()
begin
    PMUEvent(PMU_EVENT_SAMPLE_FEED);
    for n = 0 to 31 do
        if running[[n]] then SPEStopCounter(n); end;
    end;
    let own = ImpDefBits{64}("SPE EVENTS");
    recorded[63:48, 15:12] = own[63:48, 15:12];
    if !IsFeatureImplemented(FEAT_SPEv1p4) then recorded[31:24] = own[31:24]; end;
    recorded[6] = Flag(failed);
    // Each test counts its event, whatever the others say.
    let events = EventsPass();
    let types = TypesPass();
    let latency = LatencyPasses();
    let sources = SourcePasses();
    if events && types && latency && sources then
        PMUEvent(PMU_EVENT_SAMPLE_FILTRATE);
        Build();
        WriteOut();
    end;
    SPESampleInFlight = FALSE;
    SPEResetSampleStorage();
end;
