//! What rules say in a frame: levels, targets, and what folds what.

use crate::finding::*;
use crate::profile::Profile;
use crate::rule::{Place, Report, Rule, complete};

/// Traffic or memory below which a finding about cost is only told.
const SMALL_BYTES: u64 = 64 * 1024;

/// What one rule said in one frame, over all targets.
pub struct Said {
    pub rule: usize,
    pub report: Report,
    pub level: Level,
    pub targets: Vec<String>,
    pub by_target: Vec<TargetDifference>,
    pub needs: u32,
    /// A check of single passes said so.
    pub of_pass: bool,
    pub notes: Vec<Note>,
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

/// Adds a report to what the same rule said of the same place for another target.
pub fn merge(
    said: &mut [Said],
    first: usize,
    rule: usize,
    report: &Report,
    profile: &Profile,
    level: Level,
) -> Option<()> {
    let same = |other: &Said| {
        other.rule == rule
            && other.report.place.object == report.place.object
            && other.report.place.location == report.place.location
    };
    let other = said.get_mut(first..)?.iter_mut().find(|other| same(other))?;
    if other.targets.contains(&profile.name) {
        // The same cause a second time in one frame.
        if other.targets.first() == Some(&profile.name) {
            other.report.cost = other.report.cost.plus(report.cost);
            other.report.mend_also(report);
        }
        return Some(());
    }
    other.targets.push(profile.name.clone());
    other.level = other.level.max(level);
    let confidence = (report.confidence != other.report.confidence).then_some(report.confidence);
    let cost = (report.cost != other.report.cost).then_some(report.cost);
    if confidence.is_some() || cost.is_some() {
        let target = profile.name.clone();
        other.by_target.push(TargetDifference { target, confidence, cost });
    }
    Some(())
}

/// One cause, one finding: what a headline folds becomes a note under it, also where the headline
/// is itself folded by another.
pub fn fold(rules: &[(&'static Rule, Level)], said: &mut Vec<Said>) {
    let name = |said: &Said| rules[said.rule].0.name;
    let headlines: Vec<Option<usize>> = (0..said.len())
        .map(|index| {
            said.iter().enumerate().position(|(other, headline)| {
                other != index
                    && rules[headline.rule].0.folds.contains(&name(&said[index]))
                    && same_cause(&headline.report.place, &said[index].report.place)
            })
        })
        .collect();
    let root = |index: usize| {
        let mut root = index;
        for _ in 0..headlines.len() {
            match headlines[root] {
                Some(headline) => root = headline,
                None => return root,
            }
        }
        index
    };
    let roots: Vec<usize> = (0..said.len()).map(root).collect();
    for (index, root) in roots.iter().enumerate().filter(|(index, root)| index != *root) {
        let (group, then) = (rules[said[index].rule].0.group, said[index].report.clone());
        complete(&mut said[*root].report, &then, group);
        let note = Note { rule: name(&said[index]), message: said[index].report.message.clone() };
        if !said[*root].notes.contains(&note) {
            said[*root].notes.push(note);
        }
    }
    let mut index = 0;
    said.retain(|_| {
        index += 1;
        roots[index - 1] == index - 1
    });
}

/// Two places are about one cause when nothing that both of them name differs: `a` is that of
/// the headline.
fn same_cause(a: &Place, b: &Place) -> bool {
    let (objects, others) = (&a.objects, &b.objects);
    let further = b.location.pass_key.is_some_and(|key| a.passes.contains(&key));
    let (a, b) = (&a.location, &b.location);
    fn agree<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }
    // Outside passes only the objects tell causes apart.
    let outside = |place: &Location| place.image.is_none() && place.pass_key.is_none();
    if outside(a) && outside(b) && !objects.iter().any(|object| others.contains(object)) {
        return false;
    }
    // What is said of a whole pass is said of its attachments and subpasses.
    let whole = a.image.is_none() && a.subpass.is_none() && a.pass_key.is_some();
    let common =
        a.image.is_some() == b.image.is_some() || (whole && (further || a.pass_key == b.pass_key));
    common
        && agree(a.image.as_ref(), b.image.as_ref())
        && agree(a.aspect.as_ref(), b.aspect.as_ref())
        && (further || agree(a.pass_key.as_ref(), b.pass_key.as_ref()))
        && (a.image.is_some() || whole || a.subpass == b.subpass)
}
