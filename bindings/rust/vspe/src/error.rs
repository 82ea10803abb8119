// SPDX-License-Identifier: BSD-2-Clause
//! The errors of libvspe, one enumerator for each `SPE_E*` of its headers.
use crate::text;
use core::fmt;
use vspe_sys as sys;

macro_rules! kinds {
    ($($kind:ident = $name:ident),* $(,)?) => {
        /// What is wrong: an enumerator for each error code of `<vspe/spe_config.h>`, which describes them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(#[doc = concat!("`", stringify!($name), "`.")] $kind,)*
            /// A number that this crate has no name for: the library is of another version.
            Unknown(i32),
        }

        impl ErrorKind {
            pub(crate) fn of(code: i32) -> ErrorKind {
                match code.unsigned_abs() {
                    $(sys::$name => ErrorKind::$kind,)*
                    _ => ErrorKind::Unknown(code),
                }
            }

            /// The number of the error in C, which is positive here.
            pub fn code(self) -> i32 {
                match self {
                    $(ErrorKind::$kind => sys::$name as i32,)*
                    ErrorKind::Unknown(code) => code.saturating_abs(),
                }
            }

            /// The error's name in C: `"SPE_EVERSION"`. `"?"` for an unknown one.
            pub fn name(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => stringify!($name),)*
                    ErrorKind::Unknown(_) => "?",
                }
            }
        }
    };
}

kinds! {
    Version = SPE_EVERSION, Fne = SPE_EFNE, CountSize = SPE_ECOUNTSIZE, MaxSize = SPE_EMAXSIZE,
    Align = SPE_EALIGN, Interval = SPE_EINTERVAL, Events = SPE_EEVENTS,
    EventsSize = SPE_EEVENTSSIZE, SourceSize = SPE_ESOURCESIZE, InFlight = SPE_EINFLIGHT,
    Choice = SPE_ECHOICE, Capture = SPE_ECAPTURE, Granule = SPE_EGRANULE, Host = SPE_EHOST,
    ArchInst = SPE_EARCHINST, Fds = SPE_EFDS, Pbt = SPE_EPBT, Crr = SPE_ECRR,
    NeedCrr = SPE_ENEEDCRR, Gcs = SPE_EGCS, Eft = SPE_EEFT, Fpf = SPE_EFPF, Sme = SPE_ESME,
    Exc = SPE_EEXC, NeedExc = SPE_ENEEDEXC, NeedNvm = SPE_ENEEDNVM, Dpfzs = SPE_EDPFZS,
    AltClk = SPE_EALTCLK, MaxBuffer = SPE_EMAXBUFFER, Pointer = SPE_EPOINTER,
    Extra = SPE_EEXTRA, Image = SPE_EIMAGE, ImageVersion = SPE_EIMAGEVERSION,
    ImageSum = SPE_EIMAGESUM, ImageValue = SPE_EIMAGEVALUE, ImageConfig = SPE_EIMAGECONFIG,
    Size = SPE_ESIZE, Abort = SPE_EABORT, FlagUpdate = SPE_EFLAGUPDATE,
    FaultLag = SPE_EFAULTLAG, Layout = SPE_ELAYOUT, LayoutSize = SPE_ELAYOUTSIZE,
    Decoder = SPE_EDECODER,
}

/// An error of libvspe, and the field or value that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The field of the configuration, or the value of an image (docs/state.md); `None` where the
    /// error is about no one of them.
    pub field: Option<&'static str>,
}

impl Error {
    /// `Ok` for 0.
    pub(crate) fn check(code: i32, field: Option<&'static str>) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        Err(Error { kind: ErrorKind::of(code), field })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{}: ", field)?;
        }
        // SAFETY: takes any number, and returns a string in static storage.
        let line = unsafe { text(sys::spe_strerror(self.kind.code())) };
        f.write_str(line.unwrap_or("unknown error"))
    }
}

#[cfg(feature = "std")]
mod std_errors {
    impl std::error::Error for crate::Error {}
    impl std::error::Error for crate::NotFixed {}
    impl std::error::Error for crate::pmu::Error {}
    impl std::error::Error for crate::WriteError {}
}
