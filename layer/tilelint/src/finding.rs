//! Findings: plain data that engine, reports and messengers share.

use crate::call::Line;
use crate::format::Aspect;

/// How much a finding matters. The order is that of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Told without asking for action.
    Info,
    /// Costs memory traffic, memory or time.
    Warn,
    /// Broken or undefined content.
    Deny,
    /// `Deny` that later settings may not lower.
    Forbid,
}

impl Level {
    /// The words of settings, in order.
    pub const WORDS: [&'static str; 5] = ["allow", "info", "warn", "deny", "forbid"];

    /// Returns the word of settings and reports.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Allow, Self::Info, Self::Warn, Self::Deny, Self::Forbid]
            .into_iter()
            .find(|level| level.word() == word)
    }
}

/// How sure a finding is. The order is that of certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Only the creation-time half was seen.
    Possible,
    /// A named assumption is needed.
    Likely,
    /// Follows from the API's rules or was observed.
    Certain,
}

impl Confidence {
    /// Returns the word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}

/// What a verdict rests on. The order is that of the strength of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Creation time.
    C,
    /// Recording.
    R,
    /// Submission, in execution order.
    S,
    /// Data flow over several steady frames.
    F,
    /// Driver feedback.
    D,
}

impl Tier {
    /// Returns the letter of reports.
    pub fn letter(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::R => "R",
            Self::S => "S",
            Self::F => "F",
            Self::D => "D",
        }
    }
}

/// What a mistake costs. Traffic is what the API asks for in one frame, uncompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Cost {
    /// Bytes loaded each frame.
    pub load_bytes: u64,
    /// Bytes stored each frame.
    pub store_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
}

impl Cost {
    /// Returns a cost of stores alone.
    pub fn store(bytes: u64) -> Self {
        Self { store_bytes: bytes, ..Self::default() }
    }

    /// Returns a cost of loads alone.
    pub fn load(bytes: u64) -> Self {
        Self { load_bytes: bytes, ..Self::default() }
    }

    /// Returns a cost of memory alone.
    pub fn memory(bytes: u64) -> Self {
        Self { memory_bytes: bytes, ..Self::default() }
    }

    /// Bytes moved each frame.
    pub fn traffic_bytes(self) -> u64 {
        self.load_bytes + self.store_bytes
    }

    /// Adds what another place with the same cause costs.
    pub fn plus(self, other: Self) -> Self {
        Self {
            load_bytes: self.load_bytes + other.load_bytes,
            store_bytes: self.store_bytes + other.store_bytes,
            memory_bytes: self.memory_bytes + other.memory_bytes,
        }
    }
}

/// What an edit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditObject {
    /// An attachment of a pass.
    Attachment,
    /// A subpass.
    Subpass,
    /// A dependency between subpasses.
    Dependency,
    /// An image.
    Image,
    /// A command.
    Command,
    /// A pipeline.
    Pipeline,
    /// A swapchain.
    Swapchain,
    /// A submission or a wait.
    Queue,
}

impl EditObject {
    /// Returns the word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Attachment => "attachment",
            Self::Subpass => "subpass",
            Self::Dependency => "dependency",
            Self::Image => "image",
            Self::Command => "command",
            Self::Pipeline => "pipeline",
            Self::Swapchain => "swapchain",
            Self::Queue => "queue",
        }
    }
}

/// Beside what something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Before what stands in this line of the listing.
    Before(Line),
    /// Behind it; of a block, behind its end.
    Behind(Line),
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Action {
    /// A field gets another value.
    #[default]
    Set,
    /// It goes, and with a pass all that is in it.
    Remove,
    /// Its first occurrence stays, those behind it go.
    Once,
    /// It goes elsewhere.
    Move(Beside),
    /// A new one comes in, as a listing writes it.
    Insert(Beside),
    /// Another stands in its place, as a listing writes it.
    Replace,
    /// What a pass draws is drawn at the end of an earlier one, which then stores as this one did.
    Join(Line),
}

impl Action {
    /// Returns the word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Remove => "remove",
            Self::Once => "once",
            Self::Move(_) => "move",
            Self::Insert(_) => "insert",
            Self::Replace => "replace",
            Self::Join(_) => "join",
        }
    }
}

/// One change of a program: of a field, or of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What it does.
    pub action: Action,
    /// What kind of thing is changed.
    pub object: EditObject,
    /// Its name.
    pub name: String,
    /// The pass it is changed in, where that matters.
    pub pass: Option<String>,
    /// Attachment slot, subpass or dependency index.
    pub slot: Option<u32>,
    /// Field or call, by its name in the API.
    pub field: &'static str,
    /// Its key in a listing; empty where a call is meant.
    pub key: &'static str,
    /// Value now; empty where nothing is said of it.
    pub from: String,
    /// Value after the edit.
    pub to: String,
    /// Line of the listing that says it now.
    pub line: Line,
}

/// One way to mend the cause.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fix {
    /// What to do, in words.
    pub text: String,
    /// The same as data; empty where the change is no change of a field.
    pub edits: Vec<Edit>,
}

/// Where a finding is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Location {
    /// Device, as `device.N` or its name.
    pub device: String,
    /// Frame, where it was seen in one.
    pub frame: Option<u64>,
    /// Command buffer.
    pub commands: Option<String>,
    /// Name of the pass.
    pub pass: Option<String>,
    /// Pass key.
    pub pass_key: Option<u64>,
    /// Subpass.
    pub subpass: Option<u32>,
    /// Attachment slot, as in the API.
    pub slot: Option<u32>,
    /// Image.
    pub image: Option<String>,
    /// Aspect.
    pub aspect: Option<Aspect>,
    /// Field by its name in the API.
    pub field: Option<&'static str>,
    /// Entry point at fault.
    pub call: Option<&'static str>,
    /// Label regions around it, outermost first.
    pub labels: Vec<String>,
    /// How many of them, from the first on, are regions of the queue.
    pub queue_labels: usize,
}

/// A marked part of a quoted line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Index into the quote's lines.
    pub line: usize,
    /// Key of the listing whose `key=value` is marked; empty marks the verb.
    pub key: &'static str,
    /// Text beside the mark; may be empty.
    pub label: String,
    /// The place of the mistake, not a place that explains it.
    pub primary: bool,
}

/// A quoted line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteLine {
    /// Line number in the listing; 0 where there is none.
    pub number: u32,
    /// The line as the printer writes it; a listing's own text replaces it.
    pub text: String,
}

/// Quoted lines with marks.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Quote {
    /// Lines in order.
    pub lines: Vec<QuoteLine>,
    /// Marks.
    pub marks: Vec<Mark>,
}

/// What another rule said of the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule.
    pub rule: &'static str,
    /// Its message.
    pub message: String,
}

/// What differs for one target from the finding's own figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetDifference {
    /// The target.
    pub target: String,
    /// Confidence, where it differs.
    pub confidence: Option<Confidence>,
    /// Cost, where it differs.
    pub cost: Option<Cost>,
}

/// A finding: one cause, in one place, with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Rule.
    pub rule: &'static str,
    /// Level after settings.
    pub level: Level,
    /// Confidence.
    pub confidence: Confidence,
    /// Evidence.
    pub tier: Tier,
    /// Identity across runs and machines.
    pub fingerprint: u64,
    /// Frames in which the cause occurred.
    pub count: u64,
    /// Occurrences in one frame.
    pub per_frame: u32,
    /// First such frame.
    pub first_frame: u64,
    /// Seen only outside steady frames.
    pub only_unsteady: bool,
    /// Steady frames the verdict was seen over; 0 where it follows from one call.
    pub seen_over: u32,
    /// Targets it holds for.
    pub targets: Vec<String>,
    /// What.
    pub message: String,
    /// Why.
    pub why: Vec<String>,
    /// Assumptions that a `likely` verdict needs.
    pub assumes: Vec<String>,
    /// Cost for the first target.
    pub cost: Cost,
    /// Ways to mend it, best first.
    pub fixes: Vec<Fix>,
    /// Where.
    pub location: Location,
    /// The call, quoted.
    pub quote: Quote,
    /// Other rules that hold for the same cause.
    pub notes: Vec<Note>,
    /// What differs by target.
    pub by_target: Vec<TargetDifference>,
    /// Objects concerned: kind word, handle or key, name.
    pub objects: Vec<(crate::call::Object, String)>,
}
