//! One cause, one finding.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Said;
use crate::finding::{Level, Location, Note};
use crate::rule::{Group, Place, Rule, complete};

/// A rule, and of its place the pass and the image.
type RulePassImage<'a> = (usize, Option<u64>, Option<&'a str>);

/// What each rule said, by place, so that one place is not compared with all others.
#[derive(Default)]
struct Places<'a> {
    /// By the pass, also where it is one of the further passes, and the image.
    by_both: FxHashMap<RulePassImage<'a>, Vec<usize>>,
    /// By the image alone, whatever the pass.
    by_image: FxHashMap<(usize, Option<&'a str>), Vec<usize>>,
}

impl<'a> Places<'a> {
    fn of(said: &'a [Said]) -> Self {
        let mut places = Self::default();
        for (index, Said { rule, report, .. }) in said.iter().enumerate() {
            let image = report.place.location.image.as_deref();
            let further = report.place.passes.iter().map(|pass| Some(*pass));
            for pass in further.chain([report.place.location.pass_key]) {
                places.by_both.entry((*rule, pass, image)).or_default().push(index);
            }
            places.by_image.entry((*rule, image)).or_default().push(index);
        }
        places
    }

    /// The first with which `same` holds of what a rule said of a place: where [`same_cause`] can
    /// hold, it is asked.
    fn first(&self, rule: usize, place: &Place, same: impl Fn(usize) -> bool) -> Option<usize> {
        let Location { pass_key, image, .. } = &place.location;
        let image = image.as_deref();
        let both = |pass, image| self.by_both.get(&(rule, pass, image));
        let near = match pass_key {
            // The same, the whole pass, and what names no pass.
            Some(_) => [both(*pass_key, image), both(*pass_key, None), both(None, image)],
            None => [self.by_image.get(&(rule, image)), None, None],
        };
        let first = |places: &Vec<usize>| places.iter().copied().find(|index| same(*index));
        near.into_iter().flatten().filter_map(first).min()
    }
}

/// One cause, one finding: what a headline folds becomes a note under it, also where the headline
/// is itself folded by another.
pub(super) fn fold(rules: &[(&'static Rule, Level)], said: &mut Vec<Said>) {
    let name = |said: &Said| rules[said.rule].0.name;
    let places = Places::of(said);
    let spoke: BTreeSet<usize> = said.iter().map(|said| said.rule).collect();
    let headline = |index: usize| {
        let place = &said[index].report.place;
        let same = |other: usize| other != index && same_cause(&said[other].report.place, place);
        let folding =
            spoke.iter().filter(|rule| rules[**rule].0.folds.contains(&name(&said[index])));
        folding.filter_map(|rule| places.first(*rule, place, same)).min()
    };
    let headlines: Vec<Option<usize>> = (0..said.len()).map(headline).collect();
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
        if rules[said[index].rule].0.group == Group::Transient {
            let then = said[index].report.clone();
            complete(&mut said[*root].report, &then);
        }
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
