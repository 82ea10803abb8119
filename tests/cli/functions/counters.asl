// SPDX-License-Identifier: BSD-2-Clause
// The interval counters alone, in the words of vspe, in ASL0.

boolean Last(bits(N) counter)
    return UInt(counter) == 1;

boolean SPEToCollectSample()
    boolean random_tail = PMSIRR_EL1.RND == '1' && IsFeatureImplemented(FEAT_SPE_ERnd);
    boolean selected = Last(PMSICR_EL1.ECOUNT);
    if !IsZero(PMSICR_EL1.ECOUNT) then
        PMSICR_EL1.ECOUNT = PMSICR_EL1.ECOUNT - 1;
    case PMSICR_EL1.COUNT of
        when Zeros(32) // the next member after a selection
            PMSICR_EL1.COUNT<31:8> = PMSIRR_EL1.INTERVAL;
            if PMSIRR_EL1.RND == '1' && !IsFeatureImplemented(FEAT_SPE_ERnd) then
                PMSICR_EL1.COUNT<7:0> = SPEGetRandomInterval();
        otherwise
            PMSICR_EL1.COUNT = PMSICR_EL1.COUNT - 1;
            if IsZero(PMSICR_EL1.COUNT) && random_tail then
                PMSICR_EL1.ECOUNT = SPEGetRandomInterval();
                selected = selected || IsZero(PMSICR_EL1.ECOUNT);
            elsif IsZero(PMSICR_EL1.COUNT) then
                selected = TRUE;
    return selected;
