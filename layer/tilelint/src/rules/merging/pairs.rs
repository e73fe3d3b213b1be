//! Pairs of passes that could be one: which pass stored what another loads, and what lies between.

use ash::vk;

use super::between::{self, Cause};
use crate::finding::Cost;
use crate::format::Aspect;
use crate::model::{
    AlwaysLive, Attachment, Frame, ImageId, Pass, Roles, State, Writer, without_digits,
};
use crate::rule::{Cx, Field, Place, identifier, pass_aspects};

/// An attachment whose content leaves the tile at the end of one pass for the next.
#[derive(Clone, Copy)]
pub struct Carried<'a> {
    /// In the first pass.
    pub first: &'a Attachment,
    /// In the second.
    pub second: &'a Attachment,
    /// The aspect.
    pub aspect: Aspect,
}

/// Two visits to the same targets that could be one.
pub struct Pair<'a> {
    /// The pass that stores.
    pub first: &'a Pass,
    /// The pass that loads.
    pub second: &'a Pass,
    /// What is carried.
    pub carried: Vec<Carried<'a>>,
    /// Why they are two.
    pub cause: Cause,
    /// What is taken for granted of things that cannot be seen.
    pub assumes: Vec<&'static str>,
    /// Names of the passes on other targets between the two.
    pub others: Vec<&'a str>,
    /// What lies between the two can come before the first.
    pub before: bool,
    /// Store and load.
    pub cost: Cost,
}

/// Pairs of one frame with the same targets and the same cause.
pub struct Group<'a> {
    /// The pairs, in order; at least one.
    pub pairs: Vec<Pair<'a>>,
    /// Names of what is carried.
    pub targets: String,
}

impl Group<'_> {
    /// Store and load of all pairs.
    pub fn cost(&self) -> Cost {
        self.pairs.iter().fold(Cost::default(), |sum, pair| sum.plus(pair.cost))
    }

    /// One pair on one single-sampled colour target: the cheapest kind.
    pub fn is_light(&self) -> bool {
        let [pair] = &self.pairs[..] else { return false };
        let [carried] = &pair.carried[..] else { return false };
        carried.aspect == Aspect::Color && !carried.second.is_multisampled()
    }

    /// Samples travel.
    pub fn is_multisampled(&self) -> bool {
        let mut carried = self.pairs.iter().flat_map(|pair| &pair.carried);
        carried.any(|carried| carried.first.is_multisampled())
    }

    /// The first store and the load that brings it back.
    pub fn place(&self, cx: &Cx<'_>) -> Option<Place> {
        let pair = self.pairs.first()?;
        let carried = pair.carried.first()?;
        let store = Field::store_of(carried.aspect);
        let load = Field::load_of(carried.aspect);
        let mut place = Place::attachment(pair.first, carried.first, None, store, cx.device);
        place.location.slot = None;
        place.location.image = None;
        place.passes = self.pairs.iter().map(|pair| pair.first.key).collect();
        place.object = format!("{} {}", without_digits(&self.targets), pair.cause.word());
        let text = format!("  attach {} {}=LOAD", identifier(&carried.second.name()), load.key());
        Some(place.explained(carried.second.line, text, load.key(), "loaded again here"))
    }
}

/// All groups of pairs of a frame.
pub fn groups<'a>(frame: &'a Frame, cx: &Cx<'_>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for pair in frame.passes().filter_map(|second| pair(frame, cx, second)) {
        let names = pair.carried.iter().map(|carried| carried.second.name());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        let targets = names.join(", ");
        let same = |group: &&mut Group<'_>| {
            group.targets == targets
                && group.pairs.first().is_none_or(|p| {
                    // A pass that draws nothing is a matter of its own.
                    p.cause == pair.cause && p.first.draws.is_empty() == pair.first.draws.is_empty()
                })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.pairs.push(pair),
            None => groups.push(Group { pairs: vec![pair], targets }),
        }
    }
    groups
}

fn pair<'a>(frame: &'a Frame, cx: &Cx<'_>, second: &'a Pass) -> Option<Pair<'a>> {
    let known = |pass: &Pass| !pass.unknown && !pass.shape.opaque && !is_for_debugging(pass);
    if !known(second) {
        return None;
    }
    let first = stored_by(frame, second).filter(|first| known(first))?;
    let joined = join(first, second)?;
    let carried = carried(cx, first, second)?;
    let between = between::between(frame, first, second)?;
    let cause = between.cause.unwrap_or(joined);
    let cost = carried.iter().fold(Cost::default(), |sum, c| {
        let stored = c
            .first
            .ops(c.aspect)
            .is_some_and(|ops| ops.store == Some(vk::AttachmentStoreOp::STORE));
        let bytes = cx.aspect_bytes(second, c.second, c.aspect);
        sum.plus(Cost {
            load_bytes: bytes,
            store_bytes: if stored { bytes } else { 0 },
            memory_bytes: 0,
        })
    });
    let (assumes, others, before) = (between.assumes, between.others, between.before);
    Some(Pair { first, second, carried, cause, assumes, others, before, cost })
}

/// A pass of a debugging aid is not the application's to merge.
fn is_for_debugging(pass: &Pass) -> bool {
    let names = pass.labels.iter().chain([&pass.name]);
    names.into_iter().any(|name| name.to_ascii_lowercase().contains("debug"))
}

/// The pass of the same frame that stored everything the pass loads.
fn stored_by<'a>(frame: &'a Frame, second: &Pass) -> Option<&'a Pass> {
    let mut found: Option<u32> = None;
    for (attachment, plane, ops) in pass_aspects(second) {
        if ops.load? != vk::AttachmentLoadOp::LOAD || !(takes(attachment)) {
            continue;
        }
        let before = &second.aspect(attachment.slot, plane)?.before;
        match before.state {
            State::Written(Writer::Pass) => {}
            State::Undefined(_) => continue,
            _ => return None,
        }
        let by = before.by.as_ref().filter(|by| by.frame == second.step.frame)?;
        if found.is_some_and(|found| found != by.index) {
            return None;
        }
        found = Some(by.index);
    }
    frame.pass_at(found?)
}

/// The pass takes over old content of the attachment.
fn takes(attachment: &Attachment) -> bool {
    attachment.loads() || attachment.roles.any(Roles::INPUT)
}

fn carried<'a>(cx: &Cx<'_>, first: &'a Pass, second: &'a Pass) -> Option<Vec<Carried<'a>>> {
    let mut carried = Vec::new();
    for (attachment, plane, ops) in pass_aspects(second) {
        let written = matches!(
            second.aspect(attachment.slot, plane)?.before.state,
            State::Written(Writer::Pass)
        );
        let load = ops.load == Some(vk::AttachmentLoadOp::LOAD) && takes(attachment);
        if !load || !written {
            continue;
        }
        let image = attachment.image.as_ref()?;
        // Such content does not move between passes, or nobody knows.
        let stays = cx.device.always_live(image.id);
        if matches!(stays, Some(AlwaysLive::TileMemory | AlwaysLive::Opaque)) {
            return None;
        }
        let source = same_in(first, attachment)?;
        carried.push(Carried { first: source, second: attachment, aspect: ops.aspect });
    }
    (!carried.is_empty()).then_some(carried)
}

fn same_in<'a>(pass: &'a Pass, attachment: &Attachment) -> Option<&'a Attachment> {
    pass.shape.attachments.iter().find(|other| is_same(other, attachment))
}

fn is_same(a: &Attachment, b: &Attachment) -> bool {
    let image = |a: &Attachment| a.image.as_ref().map(|image| image.id);
    image(a).is_some()
        && image(a) == image(b)
        && a.range == b.range
        && a.format == b.format
        && a.samples == b.samples
}

/// Says why two passes with nothing between them are two; `None` where one pass cannot do the
/// work of both.
fn join(first: &Pass, second: &Pass) -> Option<Cause> {
    let (a, b) = (&first.shape, &second.shape);
    let alike = a.area == b.area
        && a.view_mask == b.view_mask
        && a.layers == b.layers
        && first.queue == second.queue
        && rates(first) == rates(second);
    if !alike || !resolves_alike(first, second) {
        return None;
    }
    let drawn = |pass: &'_ Pass| -> Vec<usize> {
        let list = pass.shape.attachments.iter().enumerate();
        list.filter(|(_, a)| a.loads()).map(|(index, _)| index).collect()
    };
    let (of_first, of_second) = (drawn(first), drawn(second));
    let mut shared = 0;
    for attachment in of_second.iter().map(|index| &b.attachments[*index]) {
        let Some(other) = same_in(first, attachment) else { continue };
        if !other.loads() || clears_anew(first, other, attachment) {
            return None;
        }
        shared += 1;
    }
    let inputs = b.attachments.iter().filter(|a| !a.loads() && a.roles.any(Roles::INPUT));
    let mut inputs = inputs.peekable();
    if inputs.peek().is_some() {
        let drawn = |a: &Attachment| same_in(first, a).is_some_and(Attachment::loads);
        return inputs.all(drawn).then_some(Cause::Input);
    }
    if shared == of_first.len() && shared == of_second.len() {
        let secondaries = (first.secondaries > 0) != (second.secondaries > 0);
        return Some(if secondaries { Cause::Secondaries } else { Cause::Nothing });
    }
    None
}

/// An aspect that the first pass used and the second begins anew: stacked cameras.
fn clears_anew(first: &Pass, a: &Attachment, b: &Attachment) -> bool {
    let clears =
        |ops: &&crate::model::AspectOps| ops.named && ops.load == Some(vk::AttachmentLoadOp::CLEAR);
    b.aspects.iter().filter(clears).any(|ops| {
        let plane = a.aspects.iter().position(|own| own.aspect == ops.aspect);
        plane.and_then(|plane| first.aspect(a.slot, plane)).is_none_or(|facts| facts.touched())
    })
}

/// What the first pass resolves, the second resolves to the same place; it may resolve more.
fn resolves_alike(first: &Pass, second: &Pass) -> bool {
    let target = |pass: &Pass, a: &Attachment| -> Vec<ImageId> {
        let targets = a.resolves.iter();
        let targets = targets.filter_map(|r| pass.shape.attachments.get(r.target as usize));
        targets.filter_map(|a| a.image.as_ref().map(|image| image.id)).collect()
    };
    first.shape.attachments.iter().all(|a| {
        let here = target(first, a);
        here.is_empty()
            || second.shape.attachments.iter().any(|b| is_same(a, b) && target(second, b) == here)
    })
}

fn rates(pass: &Pass) -> Vec<Option<ImageId>> {
    let rates = pass.shape.attachments.iter().filter(|a| a.is_rate());
    rates.map(|a| a.image.as_ref().map(|image| image.id)).collect()
}

/// A subpass of the first pass draws the depth together with a colour that the second goes on with.
pub fn drawn_together(first: &Pass, depth: &Attachment, second: &Pass) -> bool {
    let goes_on = |slot: u32| {
        let image = first.shape.attachments.get(slot as usize).and_then(id_of);
        image.is_some() && second.shape.attachments.iter().any(|a| a.loads() && id_of(a) == image)
    };
    first.shape.subpasses.iter().any(|s| {
        s.depth.is_some_and(|d| d.attachment == depth.slot)
            && s.color.iter().flatten().any(|color| goes_on(color.attachment))
    })
}

/// Price of what the second pass loads of what the first stored.
pub fn reload(cx: &Cx<'_>, first: &Pass, second: &Pass) -> Cost {
    let loaded = pass_aspects(second).filter(|(a, plane, ops)| {
        let before = second.aspect(a.slot, *plane).and_then(|f| f.before.by.as_ref());
        ops.load == Some(vk::AttachmentLoadOp::LOAD) && before.is_some_and(|by| **by == *first.step)
    });
    let bytes = loaded.map(|(a, _, ops)| cx.aspect_bytes(second, a, ops.aspect)).sum();
    Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 }
}

fn id_of(attachment: &Attachment) -> Option<ImageId> {
    attachment.image.as_ref().map(|image| image.id)
}
