//! Which subpasses share a visit to the tiles, and the first reason why one does not, in the
//! vocabulary of `VK_EXT_subpass_merge_feedback`.

use ash::vk;

use super::shape::{PassShape, Subpass};
use super::verdict;
use crate::format::{self, Aspect};
use crate::profile::{MergePolicy, Profile};

/// `VkSubpassMergeStatusEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeStatus {
    /// Shares the visit of the subpass before it.
    Merged,
    /// The pass or the target does not allow merging.
    Disallowed,
    /// Its shaders write storage resources, or a query runs.
    SideEffects,
    /// Its samples differ.
    SamplesMismatch,
    /// Its views differ.
    ViewsMismatch,
    /// Attachments alias.
    Aliasing,
    /// A dependency is not framebuffer-local.
    Dependencies,
    /// An input attachment cannot be read from the tile.
    IncompatibleInputAttachment,
    /// Too many distinct attachments.
    TooManyAttachments,
    /// The tile cannot hold all colour attachments.
    InsufficientStorage,
    /// The depth/stencil attachment changes.
    DepthStencilCount,
    /// A resolve target is used again.
    ResolveAttachmentReuse,
    /// The pass has only one subpass.
    SingleSubpass,
    /// Another reason.
    Unspecified,
}

impl MergeStatus {
    const ALL: [Self; 14] = [
        Self::Merged,
        Self::Disallowed,
        Self::SideEffects,
        Self::SamplesMismatch,
        Self::ViewsMismatch,
        Self::Aliasing,
        Self::Dependencies,
        Self::IncompatibleInputAttachment,
        Self::TooManyAttachments,
        Self::InsufficientStorage,
        Self::DepthStencilCount,
        Self::ResolveAttachmentReuse,
        Self::SingleSubpass,
        Self::Unspecified,
    ];

    /// The status of an enumerant; one that is not known says as little as `Unspecified`.
    #[must_use]
    pub fn from_vk(status: vk::SubpassMergeStatusEXT) -> Self {
        Self::ALL.into_iter().find(|one| one.to_vk() == status).unwrap_or(Self::Unspecified)
    }

    /// The enumerant.
    #[must_use]
    pub fn to_vk(self) -> vk::SubpassMergeStatusEXT {
        use vk::SubpassMergeStatusEXT as Vk;
        match self {
            MergeStatus::Merged => Vk::MERGED,
            MergeStatus::Disallowed => Vk::DISALLOWED,
            MergeStatus::SideEffects => Vk::NOT_MERGED_SIDE_EFFECTS,
            MergeStatus::SamplesMismatch => Vk::NOT_MERGED_SAMPLES_MISMATCH,
            MergeStatus::ViewsMismatch => Vk::NOT_MERGED_VIEWS_MISMATCH,
            MergeStatus::Aliasing => Vk::NOT_MERGED_ALIASING,
            MergeStatus::Dependencies => Vk::NOT_MERGED_DEPENDENCIES,
            MergeStatus::IncompatibleInputAttachment => {
                Vk::NOT_MERGED_INCOMPATIBLE_INPUT_ATTACHMENT
            }
            MergeStatus::TooManyAttachments => Vk::NOT_MERGED_TOO_MANY_ATTACHMENTS,
            MergeStatus::InsufficientStorage => Vk::NOT_MERGED_INSUFFICIENT_STORAGE,
            MergeStatus::DepthStencilCount => Vk::NOT_MERGED_DEPTH_STENCIL_COUNT,
            MergeStatus::ResolveAttachmentReuse => Vk::NOT_MERGED_RESOLVE_ATTACHMENT_REUSE,
            MergeStatus::SingleSubpass => Vk::NOT_MERGED_SINGLE_SUBPASS,
            MergeStatus::Unspecified => Vk::NOT_MERGED_UNSPECIFIED,
        }
    }

    /// The enumerant's words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MergeStatus::Merged => "merged",
            MergeStatus::Disallowed => "disallowed",
            MergeStatus::SideEffects => "side effects",
            MergeStatus::SamplesMismatch => "samples mismatch",
            MergeStatus::ViewsMismatch => "views mismatch",
            MergeStatus::Aliasing => "aliasing",
            MergeStatus::Dependencies => "dependencies",
            MergeStatus::IncompatibleInputAttachment => "incompatible input attachment",
            MergeStatus::TooManyAttachments => "too many attachments",
            MergeStatus::InsufficientStorage => "insufficient storage",
            MergeStatus::DepthStencilCount => "depth stencil count",
            MergeStatus::ResolveAttachmentReuse => "resolve attachment reuse",
            MergeStatus::SingleSubpass => "single subpass",
            MergeStatus::Unspecified => "unspecified",
        }
    }
}

/// What becomes of one subpass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubpassMerge {
    /// The subpass.
    pub subpass: usize,
    /// Whether it joins the subpass before it; the first of a visit has [`MergeStatus::Merged`]
    /// when others join it.
    pub status: MergeStatus,
    /// The reason with its numbers; empty when there is nothing to add.
    pub text: String,
}

/// The subpasses of one visit to the tiles: a range of indices.
pub type Visit = std::ops::Range<usize>;

/// What becomes of each subpass of the pass on this target.
#[must_use]
pub fn evaluate(pass: &PassShape, profile: &Profile) -> Vec<SubpassMerge> {
    let count = pass.subpasses.len();
    if count < 2 || !pass.is_sound() {
        let single = |subpass| {
            let status = MergeStatus::SingleSubpass;
            SubpassMerge { subpass, status, text: String::new() }
        };
        return (0..count).map(single).collect();
    }
    let mut merges =
        vec![SubpassMerge { subpass: 0, status: MergeStatus::Merged, text: String::new() }];
    let mut start = 0;
    for subpass in 1..count {
        let refused = refuse(pass, start..subpass, profile);
        if refused.is_some() {
            start = subpass;
        }
        let (status, text) = refused.unwrap_or((MergeStatus::Merged, String::new()));
        merges.push(SubpassMerge { subpass, status, text });
    }
    merges
}

/// The visits to the tiles that follow from [`evaluate`].
#[must_use]
pub fn visits(merges: &[SubpassMerge]) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    for merge in merges {
        match visits.last_mut() {
            Some(visit) if merge.status == MergeStatus::Merged => visit.end = merge.subpass + 1,
            _ => visits.push(merge.subpass..merge.subpass + 1),
        }
    }
    visits
}

type Refusal = Option<(MergeStatus, String)>;

/// Why subpass `visit.end` cannot join the visit.
fn refuse(pass: &PassShape, visit: Visit, profile: &Profile) -> Refusal {
    let next = visit.end;
    match profile.merge.policy {
        MergePolicy::Never => {
            let text = "the target's drivers run every subpass as its own visit".to_owned();
            Some((MergeStatus::Disallowed, text))
        }
        MergePolicy::WholePass => whole_pass(pass),
        MergePolicy::Limits => common(pass, visit.clone())
            .or_else(|| resolve_reuse(pass, visit.clone(), next))
            .or_else(|| depth_changes(pass, next))
            .or_else(|| limits(pass, visit.clone(), profile))
            .or_else(|| unrelated(pass, visit)),
        MergePolicy::Registers => common(pass, visit.clone())
            .or_else(|| multisampled_input(pass, visit.clone()))
            .or_else(|| resolve_reuse(pass, visit.clone(), next))
            .or_else(|| needs_other_depth(pass, visit.clone()))
            .or_else(|| depth_input(pass, visit.clone()))
            .or_else(|| limits(pass, visit.clone(), profile))
            .or_else(|| register_limit(pass, visit, profile)),
        MergePolicy::SameAttachments => {
            common(pass, visit).or_else(|| same_attachments(pass, next))
        }
    }
}

/// One bad dependency costs every subpass its tile memory.
fn whole_pass(pass: &PassShape) -> Refusal {
    let bad = pass.dependencies.iter().position(|dep| !verdict::is_framebuffer_local(dep))?;
    let dep = &pass.dependencies[bad];
    let text = format!(
        "dependency {bad} ({} -> {}) is not framebuffer-local, which costs the whole pass its tile \
         memory",
        dep.src, dep.dst
    );
    Some((MergeStatus::Dependencies, text))
}

/// What every vendor asks: equal samples and views, local dependencies, no side effects.
fn common(pass: &PassShape, visit: Visit) -> Refusal {
    let (first, next) = (&pass.subpasses[visit.start], &pass.subpasses[visit.end]);
    if let (Some(before), Some(after)) = (pass.samples(first), pass.samples(next))
        && before != after
    {
        return Some((MergeStatus::SamplesMismatch, format!("{before} samples, then {after}")));
    }
    if first.view_mask != next.view_mask {
        let text = format!("views {:#b}, then {:#b}", first.view_mask, next.view_mask);
        return Some((MergeStatus::ViewsMismatch, text));
    }
    let in_visit =
        |subpass: u32| usize::try_from(subpass).is_ok_and(|index| visit.contains(&index));
    let to_next = |subpass: u32| usize::try_from(subpass).is_ok_and(|index| index == visit.end);
    let bad = pass.dependencies.iter().position(|dep| {
        in_visit(dep.src) && to_next(dep.dst) && !verdict::is_framebuffer_local(dep)
    });
    if let Some(index) = bad {
        let dep = &pass.dependencies[index];
        let text =
            format!("dependency {index} ({} -> {}) is not framebuffer-local", dep.src, dep.dst);
        return Some((MergeStatus::Dependencies, text));
    }
    let effects =
        pass.subpasses[visit.start..=visit.end].iter().any(|subpass| subpass.side_effects);
    effects.then(|| (MergeStatus::SideEffects, "storage writes or a query".to_owned()))
}

/// A target that was resolved into earlier in the visit is read or drawn to, or a source of such
/// a resolve is drawn to again.
fn resolve_reuse(pass: &PassShape, visit: Visit, next: usize) -> Refusal {
    let next = &pass.subpasses[next];
    let pending: Vec<_> =
        pass.subpasses[visit].iter().flat_map(|subpass| subpass.resolves()).collect();
    let uses = |index: usize| {
        next.drawn().chain(next.inputs()).any(|used| used == index)
            || next.resolves().any(|(_, to)| to == index)
    };
    let drawn = |index: usize| next.color.contains(&Some(index));
    let (from, to) = pending.into_iter().find(|(from, to)| uses(*to) || drawn(*from))?;
    let text = format!("attachment {from} was resolved into {to} earlier, and one is used again");
    Some((MergeStatus::ResolveAttachmentReuse, text))
}

fn depth_changes(pass: &PassShape, next: usize) -> Refusal {
    let before = pass.subpasses[..next].iter().rev().find_map(|subpass| subpass.depth_stencil)?;
    let after = pass.subpasses[next].depth_stencil?;
    let text = format!("depth/stencil attachment {before}, then {after}");
    (before != after).then_some((MergeStatus::DepthStencilCount, text))
}

/// Distinct colour and input attachments, and the bits of all colour attachments together.
fn limits(pass: &PassShape, visit: Visit, profile: &Profile) -> Refusal {
    let subpasses = &pass.subpasses[visit.start..=visit.end];
    let colors = distinct(subpasses.iter().flat_map(|subpass| subpass.color.iter().flatten()));
    let inputs = subpasses.iter().flat_map(|subpass| subpass.input.iter().flatten());
    let used = distinct(colors.iter().chain(inputs)).len();
    if let Some(most) = profile.merge.max_attachments
        && u32::try_from(used).is_ok_and(|used| used > most)
    {
        let text = format!("{used} colour and input attachments; {most} are possible");
        return Some((MergeStatus::TooManyAttachments, text));
    }
    let most = profile.merge.color_bits?;
    let bits = |index: &usize| {
        let attachment = &pass.attachments[*index];
        let bytes = format::texel_bytes(attachment.format, Aspect::Color)?;
        Some(8 * bytes * attachment.samples)
    };
    let bits = colors.iter().map(bits).sum::<Option<u32>>()?;
    let text = format!("{bits} bits of colour per pixel; {most} fit");
    (bits > most).then_some((MergeStatus::InsufficientStorage, text))
}

fn distinct<'a>(indices: impl Iterator<Item = &'a usize>) -> Vec<usize> {
    let mut indices: Vec<usize> = indices.copied().collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Merging subpasses that share nothing brings nothing.
fn unrelated(pass: &PassShape, visit: Visit) -> Refusal {
    let next = &pass.subpasses[visit.end];
    let drawn: Vec<usize> =
        pass.subpasses[visit].iter().flat_map(|subpass| subpass.drawn()).collect();
    let shares = next.drawn().chain(next.inputs()).any(|index| drawn.contains(&index));
    (!shares).then(|| (MergeStatus::Unspecified, "the subpasses share no attachment".to_owned()))
}

fn multisampled_input(pass: &PassShape, visit: Visit) -> Refusal {
    let next = &pass.subpasses[visit.end];
    let written = |index: usize| {
        pass.subpasses[visit.clone()].iter().any(|subpass| subpass.drawn().any(|d| d == index))
    };
    let samples = |index: usize| pass.attachments[index].samples;
    let index = next.inputs().find(|index| samples(*index) > 1 && written(*index))?;
    let text = format!("input attachment {index} has {} samples", samples(index));
    Some((MergeStatus::IncompatibleInputAttachment, text))
}

/// Another depth attachment is fine only when the old one is done with and the new one is not
/// loaded.
fn needs_other_depth(pass: &PassShape, visit: Visit) -> Refusal {
    let before =
        pass.subpasses[visit.clone()].iter().rev().find_map(|subpass| subpass.depth_stencil)?;
    let after = pass.subpasses[visit.end].depth_stencil?;
    if before == after {
        return None;
    }
    let later = &pass.subpasses[visit.end..];
    let used_later = later
        .iter()
        .any(|subpass| subpass.drawn().chain(subpass.inputs()).any(|index| index == before));
    let text = format!("depth/stencil attachment {before}, then {after}");
    let loaded = pass.attachments[after].is_loaded();
    (used_later || loaded).then_some((MergeStatus::DepthStencilCount, text))
}

/// Depth with stencil cannot be read back from the tile.
fn depth_input(pass: &PassShape, visit: Visit) -> Refusal {
    let depth = pass.subpasses[visit.clone()].iter().filter_map(|subpass| subpass.depth_stencil);
    let mut stencil =
        depth.filter(|index| format::has_aspect(pass.attachments[*index].format, Aspect::Stencil));
    let next: &Subpass = &pass.subpasses[visit.end];
    let index = stencil.find(|index| next.inputs().any(|input| input == *index))?;
    let text = format!("attachment {index} has stencil and is read as input");
    Some((MergeStatus::IncompatibleInputAttachment, text))
}

/// The driver refuses to merge where a target would spill into a buffer in memory.
fn register_limit(pass: &PassShape, visit: Visit, profile: &Profile) -> Refusal {
    let rule = profile.tile.as_ref()?;
    let mut both = pass.clone();
    both.subpasses = pass.subpasses[visit.start..=visit.end].to_vec();
    let tile = super::fixed::tile(&both, rule)?;
    let text = format!("the outputs need more than {} registers", rule.registers);
    (tile.spilled > 0).then_some((MergeStatus::InsufficientStorage, text))
}

fn same_attachments(pass: &PassShape, next: usize) -> Refusal {
    let (before, after) = (&pass.subpasses[next - 1], &pass.subpasses[next]);
    if before.depth_stencil != after.depth_stencil {
        let text = "the depth/stencil attachment changes".to_owned();
        return Some((MergeStatus::DepthStencilCount, text));
    }
    if before.resolves().next().is_some() {
        let text = "the subpass before it resolves".to_owned();
        return Some((MergeStatus::ResolveAttachmentReuse, text));
    }
    let text = "the colour attachments change".to_owned();
    (before.color != after.color).then_some((MergeStatus::Unspecified, text))
}
