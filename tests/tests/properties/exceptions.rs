//! Rules that rightly look at more than their finding: at a frame as a whole, or at neighbours.

use std::sync::Mutex;

/// A rule, the strangers that may change what it says, and why.
#[derive(Debug)]
pub struct Exception {
    /// The rule.
    pub rule: &'static str,
    /// The test: strangers that submit, or stand in command buffers of others, and so on.
    pub test: &'static str,
    /// Strangers, or what else is changed.
    pub by: &'static [&'static str],
    /// Listings with these names show that it is needed.
    pub shown_by: &'static str,
    why: &'static str,
}

const PASSES: &[&str] = &["pass", "wasteful passes", "drawing queue"];
const ON_ONE_QUEUE: &[&str] = &["transition", "pass", "wasteful passes"];

/// All exceptions.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        rule: "early-acquire",
        test: "submit",
        by: PASSES,
        shown_by: "early-acquire:",
        why: "it tells the share of the frame's pixels that come between acquire and use",
    },
    Exception {
        rule: "excess-passes",
        test: "submit",
        by: PASSES,
        shown_by: "excess-passes:",
        why: "it counts the passes of a frame",
    },
    Exception {
        rule: "excess-submits",
        test: "submit",
        by: ON_ONE_QUEUE,
        shown_by: "excess-submits:",
        why: "it counts the submissions of a frame to one queue",
    },
    Exception {
        rule: "excess-submits",
        test: "submit",
        by: &["awaited queue"],
        shown_by: "excess-submits:",
        why: "submissions may be apart for the host to wait between them",
    },
    Exception {
        rule: "redundant-present",
        test: "submit",
        by: PASSES,
        shown_by: "present-overdrive:",
        why: "it says whether the frame draws to other images",
    },
    Exception {
        rule: "aliasable-attachments",
        test: "submit",
        by: PASSES,
        shown_by: "aliasable-attachments:",
        why: "it packs all attachments of a frame",
    },
    Exception {
        rule: "broad-barrier",
        test: "submit",
        by: ON_ONE_QUEUE,
        shown_by: "broad-barrier:",
        why: "a barrier on all memory may be there for any buffer of its queue",
    },
    Exception {
        rule: "early-acquire",
        test: "inside",
        by: PASSES,
        shown_by: "early-acquire:",
        why: "it tells the share of the frame's pixels that come between acquire and use",
    },
    Exception {
        rule: "excess-passes",
        test: "inside",
        by: PASSES,
        shown_by: "excess-passes:",
        why: "it counts the passes of a frame",
    },
    Exception {
        rule: "aliasable-attachments",
        test: "inside",
        by: PASSES,
        shown_by: "aliasable-attachments:",
        why: "it packs all attachments of a frame",
    },
    Exception {
        rule: "split-pass",
        test: "inside",
        by: ON_ONE_QUEUE,
        shown_by: "split-pass:",
        why: "what lies between the parts is its cause",
    },
    Exception {
        rule: "target-ping-pong",
        test: "inside",
        by: ON_ONE_QUEUE,
        shown_by: "target-ping-pong:",
        why: "what lies between the parts is its cause",
    },
    Exception {
        rule: "foveation-mismatch",
        test: "inside",
        by: ON_ONE_QUEUE,
        shown_by: "foveation-mismatch:",
        why: "the passes must follow each other with nothing between",
    },
    Exception {
        rule: "backward-dependency",
        test: "inside",
        by: PASSES,
        shown_by: "heights_read_by_vertices",
        why: "work between fills the time in which one waits for the other",
    },
    Exception {
        rule: "compute-between-passes",
        test: "inside",
        by: PASSES,
        shown_by: "compute-between-passes:",
        why: "nothing else may lie between the passes and the dispatch",
    },
    Exception {
        rule: "fragment-compute-fragment",
        test: "inside",
        by: PASSES,
        shown_by: "compute-between-passes:",
        why: "it is a note of compute-between-passes where that speaks",
    },
    Exception {
        rule: "broad-barrier",
        test: "inside",
        by: ON_ONE_QUEUE,
        shown_by: "broad-barrier:",
        why: "a barrier on all memory may be there for any buffer of its queue",
    },
    Exception {
        rule: "split-pass",
        test: "order",
        by: &["swapped"],
        shown_by: "split-pass:",
        why: "what lies between the parts is its cause",
    },
    Exception {
        rule: "target-ping-pong",
        test: "order",
        by: &["swapped"],
        shown_by: "target-ping-pong:",
        why: "what lies between the parts is its cause",
    },
    Exception {
        rule: "resolve-only-pass",
        test: "order",
        by: &["swapped"],
        shown_by: "resolve-only-pass:",
        why: "it is a note of target-ping-pong where that speaks",
    },
    Exception {
        rule: "unused-image-usage",
        test: "frames",
        by: &["more"],
        shown_by: "unused-image-usage:",
        why: "that nothing reads an image takes more frames than five",
    },
];

/// The exceptions of one test, and which of them were needed.
pub struct Exceptions {
    test: &'static str,
    needed: Mutex<Vec<&'static str>>,
}

impl Exceptions {
    /// Those of a test.
    pub fn new(test: &'static str) -> Self {
        Self { test, needed: Mutex::new(Vec::new()) }
    }

    /// Says whether this may change what a rule says.
    pub fn allow(&self, rule: &str, by: &str) -> bool {
        let found = EXCEPTIONS.iter().find(|exception| {
            exception.rule == rule && exception.test == self.test && exception.by.contains(&by)
        });
        let Some(found) = found else { return false };
        self.needed.lock().expect("no check panics").push(found.rule);
        true
    }

    /// An exception that nothing needs would hide the next mistake.
    pub fn all_needed(&self) {
        let needed = self.needed.lock().expect("no check panics");
        for exception in EXCEPTIONS.iter().filter(|exception| exception.test == self.test) {
            let (rule, why) = (exception.rule, exception.why);
            assert!(needed.contains(&rule), "{rule} needs no exception although {why}");
        }
    }
}
