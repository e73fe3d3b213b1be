//! Why a listing could not be played.

use std::fmt;

use ash::vk;
use tilelint::call::Line;

/// Why a listing could not be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The driver lacks these: extensions, features, formats, memory types.
    Lacks(Vec<String>),
    /// The listing asks for what cannot be played, or for something that does not fit together.
    Listing(Line, String),
    /// A call failed although the listing says that it did not.
    Driver(Line, &'static str, vk::Result),
    /// Vulkan is missing, or a file cannot be read.
    System(String),
}

impl Error {
    /// The exit code of the program: 3 where the driver lacks something, 2 otherwise.
    pub fn code(&self) -> u8 {
        if matches!(self, Self::Lacks(_)) { 3 } else { 2 }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, line: &Line| match line.0 {
            0 => Ok(()),
            line => write!(f, "line {line}: "),
        };
        match self {
            Self::Lacks(names) => write!(f, "the driver lacks: {}", names.join(", ")),
            Self::Listing(at, message) => {
                line(f, at)?;
                f.write_str(message)
            }
            Self::Driver(at, call, result) => {
                line(f, at)?;
                write!(f, "{call} failed: {result:?}")
            }
            Self::System(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

/// Shorthand for the results of the player.
pub type Done<T = ()> = Result<T, Error>;
