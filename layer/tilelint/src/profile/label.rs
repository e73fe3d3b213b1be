//! Where the numbers of a profile come from.

use std::fmt;

use serde::Deserialize;

/// Where a number comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// An open driver was executed and reported it.
    Run,
    /// Read in a driver's source.
    Src,
    /// Reported publicly from a real device.
    Field,
    /// Inferred from published numbers.
    Fit,
    /// Stated by the headset vendor's guide.
    Seed,
    /// Stated by another vendor document.
    Doc,
    /// Computed from other facts.
    Calc,
    /// General knowledge, not verified.
    #[default]
    Mem,
    /// Stated by the user's own profile.
    User,
}

impl Label {
    /// Every label.
    pub const ALL: [Label; 9] = [
        Label::Run,
        Label::Src,
        Label::Field,
        Label::Fit,
        Label::Seed,
        Label::Doc,
        Label::Calc,
        Label::Mem,
        Label::User,
    ];

    /// The label as it stands in profiles and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Label::Run => "run",
            Label::Src => "src",
            Label::Field => "field",
            Label::Fit => "fit",
            Label::Seed => "seed",
            Label::Doc => "doc",
            Label::Calc => "calc",
            Label::Mem => "mem",
            Label::User => "user",
        }
    }

    /// What the label means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Label::Run => "an open driver was executed and reported it",
            Label::Src => "read in a driver's source",
            Label::Field => "reported publicly from real devices",
            Label::Fit => "a rule fitted to numbers published from real devices",
            Label::Seed => "stated by the headset vendor's guide",
            Label::Doc => "stated by a vendor document",
            Label::Calc => "computed from other facts",
            Label::Mem => "general knowledge, not verified",
            Label::User => "stated by the user's own profile",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
