//! One place said for several targets is one report, and one cause of several reports one finding.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use super::said::Said;
use crate::finding::*;
use crate::profile::Profile;
use crate::rule::{Place, Report, Rule, complete};

/// Where one rule has said something, so that it is found again for the next target.
#[derive(Default)]
pub(super) struct Places(FxHashMap<u64, SmallVec<[usize; 1]>>);

impl Places {
    /// Which of those said is of the place of a report; `None` for the first report of a place,
    /// which is to be the next of them.
    pub(super) fn same(&mut self, said: &[Said], report: &Report) -> Option<usize> {
        let place = &report.place;
        let mut hasher = FxHasher::default();
        let at = &place.location;
        (&place.object, &at.pass, at.pass_key, &at.image, at.subpass, at.slot).hash(&mut hasher);
        let alike = self.0.entry(hasher.finish()).or_default();
        let same = |index: &&usize| {
            let other = &said[**index].report.place;
            other.object == place.object && other.location == place.location
        };
        let found = alike.iter().find(same).copied();
        if found.is_none() {
            alike.push(said.len());
        }
        found
    }
}

/// What may differ between the reports of one place for two targets.
#[derive(Clone, Copy)]
pub(super) struct Differs {
    pub(super) confidence: Confidence,
    pub(super) cost: Cost,
    pub(super) level: Level,
}

/// Adds a report to what the same rule said of the same place for the same target: the same cause
/// a second time in one frame.
pub(super) fn again(other: &mut Said, report: &Report) {
    other.report.cost = other.report.cost.plus(report.cost);
    other.report.mend_also(report);
}

/// Adds a further target to what the same rule said of the same place.
pub(super) fn add_target(other: &mut Said, target: usize, profile: &Profile, differs: Differs) {
    if other.targets.contains(&target) {
        return;
    }
    let Differs { confidence, cost, level } = differs;
    other.targets.push(target);
    other.level = other.level.max(level);
    let confidence = (confidence != other.report.confidence).then_some(confidence);
    let cost = (cost != other.report.cost).then_some(cost);
    if confidence.is_some() || cost.is_some() {
        let target = profile.name.clone();
        other.by_target.push(TargetDifference { target, confidence, cost });
    }
}

/// Where a headline speaks of what it folds: the rule that it folds, and the image.
type Folded<'a> = (&'static str, Option<&'a str>);

/// What folds others, by all that has to agree, so that no two places are compared in vain. Each
/// list is in the order of the reports.
#[derive(Default)]
struct Headlines<'a> {
    by_pass: FxHashMap<(u64, Folded<'a>), Vec<usize>>,
    /// Those that name no pass.
    of_no_pass: FxHashMap<Folded<'a>, Vec<usize>>,
    all: FxHashMap<Folded<'a>, Vec<usize>>,
}

impl<'a> Headlines<'a> {
    fn new(rules: &[(&'static Rule, Level)], said: &'a [Said]) -> Self {
        let mut headlines = Self::default();
        let names: FxHashSet<_> = said.iter().map(|said| rules[said.rule].0.name).collect();
        let mut folds: FxHashMap<usize, Vec<&'static str>> = FxHashMap::default();
        for (index, headline) in said.iter().enumerate() {
            let place = &headline.report.place;
            // Only what was said can be folded.
            let names = folds.entry(headline.rule).or_insert_with(|| {
                let folds = rules[headline.rule].0.folds.iter();
                folds.copied().filter(|name| names.contains(name)).collect()
            });
            for name in names {
                let folded = (*name, place.location.image.as_deref());
                headlines.all.entry(folded).or_default().push(index);
                if place.location.pass_key.is_none() {
                    headlines.of_no_pass.entry(folded).or_default().push(index);
                }
                for key in place.location.pass_key.iter().chain(&place.passes) {
                    headlines.by_pass.entry((*key, folded)).or_default().push(index);
                }
            }
        }
        headlines
    }

    /// The first that is about the same cause as what a rule said of this place.
    fn first(
        &self,
        name: &'static str,
        place: &Place,
        is_same: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let folded = (name, place.location.image.as_deref());
        let lists = match place.location.pass_key {
            // Of the same image, of the whole pass, and of the image wherever it is.
            Some(key) => [
                self.by_pass.get(&(key, folded)),
                self.by_pass.get(&(key, (name, None))),
                self.of_no_pass.get(&folded),
            ],
            None => [self.all.get(&folded), None, None],
        };
        let first = |list: &Vec<usize>| list.iter().copied().find(|index| is_same(*index));
        lists.into_iter().flatten().filter_map(first).min()
    }
}

/// One cause, one finding: what a headline folds becomes a note under it, also where the headline
/// is itself folded by another. `is_noted` says that a headline's finding has a note of a rule:
/// then one more changes nothing.
pub(super) fn fold(
    rules: &[(&'static Rule, Level)],
    said: &mut Vec<Said>,
    is_noted: impl Fn(&Said, &str) -> bool,
) {
    let name = |said: &Said| rules[said.rule].0.name;
    let all = Headlines::new(rules, said);
    let headlines: Vec<Option<usize>> = (0..said.len())
        .map(|index| {
            let place = &said[index].report.place;
            let is_same =
                |other: usize| other != index && same_cause(&said[other].report.place, place);
            all.first(name(&said[index]), place, is_same)
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
        let rule = rules[said[index].rule].0;
        if is_noted(&said[*root], rule.name) {
            continue;
        }
        let Ok([then, headline]) = said.get_disjoint_mut([index, *root]) else { continue };
        complete(&mut headline.report, &then.report, rule.group);
        let message = std::mem::take(&mut then.report.message);
        let note = Note { rule: rule.name, message };
        if !headline.notes.contains(&note) {
            headline.notes.push(note);
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
