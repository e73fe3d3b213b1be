//! What a rule is, and what it may ask.

mod edit;
mod place;
mod setting;

pub use crate::call::Needs;
pub use edit::*;
pub use place::*;
pub use setting::{RuleSetting, RuleValues};

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use ash::vk;
use xxhash_rust::xxh32::xxh32;

use crate::call::Via;
use crate::finding::*;
use crate::format::Aspect;
use crate::model::{AspectOps, Attachment, DeviceModel, Frame, Pass, StepRef};
use crate::profile::Profile;

/// Chapters of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Loads and stores.
    LoadStore,
    /// Multisampling and resolves.
    Resolve,
    /// Memory that need not exist.
    Transient,
    /// Passes and subpasses that could be one.
    Merging,
    /// What fits into a tile.
    TileBudget,
    /// Fragment density and shading rate.
    Foveation,
    /// Synchronisation.
    Sync,
    /// Swapchains.
    Presentation,
    /// Work of the API itself.
    ApiWork,
    /// Hidden-surface removal.
    HiddenSurface,
    /// Broken content.
    Correctness,
}

impl Group {
    /// All groups, in the order of the catalogue.
    pub const ALL: [Self; 11] = [
        Self::LoadStore,
        Self::Resolve,
        Self::Transient,
        Self::Merging,
        Self::TileBudget,
        Self::Foveation,
        Self::Sync,
        Self::Presentation,
        Self::ApiWork,
        Self::HiddenSurface,
        Self::Correctness,
    ];

    /// Returns the name of settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LoadStore => "load-store",
            Self::Resolve => "resolve",
            Self::Transient => "transient",
            Self::Merging => "merging",
            Self::TileBudget => "tile-budget",
            Self::Foveation => "foveation",
            Self::Sync => "sync",
            Self::Presentation => "presentation",
            Self::ApiWork => "api-work",
            Self::HiddenSurface => "hidden-surface",
            Self::Correctness => "correctness",
        }
    }

    /// The group says the same whatever the target is: its checks run once for all of them.
    pub fn is_same_everywhere(self) -> bool {
        self == Self::ApiWork
    }

    /// The group speaks of tiles and what leaves them, so it is silent on immediate-mode targets.
    pub fn is_about_tiles(self) -> bool {
        matches!(
            self,
            Self::LoadStore
                | Self::Resolve
                | Self::Transient
                | Self::Merging
                | Self::TileBudget
                | Self::Foveation
        )
    }

    /// The group speaks of what a program does in every frame, where nothing else tells a
    /// screenshot from the rest.
    pub fn is_about_rhythm(self) -> bool {
        matches!(self, Self::Sync | Self::Presentation)
    }
}

/// How much a check sees.
#[derive(Clone, Copy)]
pub enum Check {
    /// A pass, the first time each variant of it is executed.
    Pass(fn(&Pass, &mut Cx<'_>)),
    /// A steady frame.
    Frame(fn(&Frame, &mut Cx<'_>)),
}

/// A rule: a value with plain functions.
pub struct Rule {
    /// Name, reads as "allow X".
    pub name: &'static str,
    /// Chapter.
    pub group: Group,
    /// Default level.
    pub level: Level,
    /// Best evidence it rests on.
    pub tier: Tier,
    /// Rules that become notes under this one where they meet the same cause.
    pub folds: &'static [&'static str],
    /// It judges broken content, which has no size and breaks on every GPU.
    pub correctness: bool,
    /// Commands that it has to see: without the others it says the same.
    pub needs: Needs,
    /// First version that has it.
    pub since: &'static str,
    /// Its page: documentation and test.
    pub page: &'static str,
    /// Checks.
    pub checks: &'static [Check],
}

impl Rule {
    /// Message id number: XXH32 of the name, seed 8, as the Khronos validation layer has it.
    pub fn id(&self) -> u32 {
        xxh32(self.name.as_bytes(), 8)
    }

    /// First paragraph of the page.
    pub fn summary(&self) -> &'static str {
        self.page
            .lines()
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .unwrap_or_default()
    }
}
/// What a rule says of one place, for one target.
#[derive(Clone, Debug)]
pub struct Report {
    /// Where.
    pub place: Place,
    /// How sure.
    pub confidence: Confidence,
    /// What: lower case, no full stop.
    pub message: String,
    /// Why.
    pub why: Vec<String>,
    /// Ways to mend it, best first.
    pub fixes: Vec<Fix>,
    /// What it costs.
    pub cost: Cost,
    /// What a `likely` verdict assumes.
    pub assumes: Vec<String>,
    /// It is told at most at this level, and why.
    pub at_most: Option<Level>,
    /// It is told at this level, where the rule's own is lower and nobody set another.
    pub proven: Option<Level>,
    /// Steady frames that already prove it; 0 where the engine has to count.
    pub seen_over: u32,
    /// Evidence of this finding, where it is weaker than the rule's.
    pub tier: Option<Tier>,
}

impl Report {
    /// Makes a report; the duties of a message cannot be forgotten.
    pub fn new(
        place: Place,
        confidence: Confidence,
        message: impl Into<String>,
        why: impl Into<String>,
        fix: Fix,
    ) -> Self {
        Self {
            place,
            confidence,
            message: message.into(),
            why: vec![why.into()],
            fixes: vec![fix],
            cost: Cost::default(),
            assumes: Vec::new(),
            at_most: None,
            proven: None,
            seen_over: 0,
            tier: None,
        }
    }

    /// Says what it costs.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why.push(why.into());
        self
    }

    /// Adds an alternative fix.
    #[must_use]
    pub fn or_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Names an assumption.
    #[must_use]
    pub fn assume(mut self, what: impl Into<String>) -> Self {
        self.assumes.push(what.into());
        self
    }

    /// Lowers this finding, and says why.
    #[must_use]
    pub fn at_most(mut self, level: Level, reason: impl Into<String>) -> Self {
        self.at_most = Some(self.at_most.map_or(level, |now| now.min(level)));
        let reason = reason.into();
        if !reason.is_empty() {
            self.why.push(reason);
        }
        self
    }

    /// Raises this finding over the rule's default level: what the rule only supposes elsewhere is
    /// proven here.
    #[must_use]
    pub fn proven(mut self, level: Level) -> Self {
        self.proven = Some(level);
        self
    }

    /// Steady frames over which it was proven.
    #[must_use]
    pub fn seen_over(mut self, frames: u32) -> Self {
        self.seen_over = frames;
        self
    }

    /// Says that this finding rests on weaker evidence than the rule's best.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }
}

impl Fix {
    /// A fix in words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), edits: Vec::new() }
    }

    /// Adds an edit.
    #[must_use]
    pub fn edit(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }
}

/// An op as a fix names it: dynamic rendering has one pair of ops for each aspect's structure.
pub fn op_name(pass: &Pass, aspect: Aspect, field: Field) -> String {
    let name = field.api(pass.shape.via);
    match (pass.shape.via, aspect) {
        (Via::Dynamic, Aspect::Depth) => format!("pDepthAttachment->{name}"),
        (Via::Dynamic, Aspect::Stencil) => format!("pStencilAttachment->{name}"),
        _ => name.to_owned(),
    }
}

/// A target, and whether anything about it was asked: a check that asks nothing says the same of
/// every target.
pub struct Target<'a> {
    profile: &'a Profile,
    asked: Cell<bool>,
}

impl<'a> Target<'a> {
    /// A target of which nothing was asked yet.
    pub fn new(profile: &'a Profile) -> Self {
        Self { profile, asked: Cell::new(false) }
    }

    /// Says whether anything was asked.
    pub fn was_asked(&self) -> bool {
        self.asked.get()
    }
}

impl Deref for Target<'_> {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        self.asked.set(true);
        self.profile
    }
}

/// What a check may ask, and where it reports.
pub struct Cx<'a> {
    /// The target.
    pub profile: &'a Target<'a>,
    /// The device.
    pub device: &'a DeviceModel,
    /// Numbers that somebody chose.
    pub values: &'a RuleValues,
    /// Reports of this check.
    pub reports: Vec<Report>,
}

impl Cx<'_> {
    /// The number that a setting of the rule has.
    pub fn setting(&self, setting: &RuleSetting) -> u64 {
        self.values.get(setting)
    }

    /// Reports a finding.
    pub fn report(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Bytes that storing one aspect costs this target: of a combined format kept in one plane,
    /// the plane is stored once, for both aspects.
    pub fn aspect_bytes(&self, pass: &Pass, attachment: &Attachment, aspect: Aspect) -> u64 {
        pass.shape.aspect_bytes(attachment, aspect).unwrap_or(0)
    }

    /// Says whether what the device's driver answered holds for this target: it is of the target's
    /// vendor, or one of them is of none.
    pub fn driver_speaks(&self) -> bool {
        let vendor = self.device.info.vendor;
        vendor == 0 || self.profile.vendor_id.is_none_or(|of_target| of_target == vendor)
    }

    /// Says whether the driver says that these subpasses share the visit of the one before them.
    pub fn driver_merges(&self, pass: &Pass, subpasses: std::ops::RangeInclusive<u32>) -> bool {
        let merged = |index: u32| {
            let subpass = pass.shape.subpasses.get(index as usize);
            let answer = subpass.and_then(|subpass| subpass.merge.as_ref());
            answer.is_some_and(|merge| merge.status == vk::SubpassMergeStatusEXT::MERGED)
        };
        self.driver_speaks() && !subpasses.is_empty() && subpasses.into_iter().all(merged)
    }

    /// Says whether dropping one aspect's traffic saves nothing while the other's remains.
    pub fn one_plane(&self, attachment: &Attachment) -> bool {
        attachment.format == vk::Format::D24_UNORM_S8_UINT && self.profile.depth_stencil_one_plane()
    }
}

/// Walks over the aspects of the attachments of a frame that the passes really use.
pub fn used_aspects(
    frame: &Frame,
) -> impl Iterator<Item = (&Pass, &Attachment, usize, &AspectOps)> {
    frame.passes().flat_map(|pass| {
        pass_aspects(pass).map(move |(attachment, plane, ops)| (pass, attachment, plane, ops))
    })
}

/// Walks over the aspects of the attachments that a pass really uses.
pub fn pass_aspects(pass: &Pass) -> impl Iterator<Item = (&Attachment, usize, &AspectOps)> {
    let known = !pass.shape.opaque;
    pass.shape.attachments.iter().filter(move |a| known && !a.is_rate()).flat_map(|attachment| {
        let aspects = attachment.aspects.iter().enumerate();
        aspects.filter(|(_, ops)| ops.named).map(move |(plane, ops)| (attachment, plane, ops))
    })
}

/// Says when a step happened, seen from another.
pub fn when(step: &Arc<StepRef>, from_frame: u64) -> &'static str {
    match step.frame.checked_sub(from_frame) {
        Some(0) => "later in the frame",
        Some(1) => "the next frame",
        _ => "a later frame",
    }
}
