//! What a rule says in a frame, and at which level.

use smallvec::SmallVec;

use crate::finding::*;
use crate::rule::{Report, Rule};

/// Traffic or memory below which a finding about cost is only told.
const SMALL_BYTES: u64 = 64 * 1024;

/// What one rule said in one frame, over all targets.
pub struct Said {
    pub rule: usize,
    pub report: Report,
    pub level: Level,
    /// Identity of its place and rule.
    pub fingerprint: u64,
    /// Indices of the targets.
    pub targets: SmallVec<[usize; 4]>,
    pub by_target: Vec<TargetDifference>,
    pub needs: u32,
    /// A check of single passes said so.
    pub of_pass: bool,
    pub notes: Vec<Note>,
    /// A finding says the same already: what only a new one shows was dropped.
    pub is_known: bool,
}

pub fn level_of(rule: &Rule, level: Level, report: &Report) -> Level {
    let mut level = level;
    if let Some(proven) = report.proven
        && level == rule.level
    {
        level = level.max(proven);
    }
    let lower =
        |level: Level, to: Level| if level == Level::Forbid { level } else { level.min(to) };
    if let Some(at_most) = report.at_most {
        level = lower(level, at_most);
    }
    let bytes = report.cost.traffic_bytes().max(report.cost.memory_bytes);
    if !rule.correctness && bytes != 0 && bytes < SMALL_BYTES {
        level = lower(level, Level::Info);
    }
    level
}

/// Drops what only a new finding shows: a frame may say what is known a thousand times.
pub fn shorten(report: &mut Report) {
    (report.why, report.assumes) = (Vec::new(), Vec::new());
    report.place.quote = Quote::default();
}
