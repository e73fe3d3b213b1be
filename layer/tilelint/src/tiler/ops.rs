//! The loads, clears, resolves and stores of each bin, in the open driver's order.

use std::fmt;

use ash::vk;

use super::bins::Visibility;
use super::shape::{Attachment, PassShape};
use crate::format::{self, Numeric};
use crate::profile::{Binned, Profile};

/// One operation of a bin. Attachments are indices into the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads the attachment from memory.
    Load {
        /// What is read.
        attachment: usize,
        /// Whether a separate stencil plane is read too.
        stencil: bool,
        /// Whether bins without geometry skip it.
        conditional: bool,
    },
    /// Reads a resolve target that a subpass draws to, right after its resolve.
    Reload {
        /// What is read.
        attachment: usize,
    },
    /// Clears the attachment on the tile: no traffic.
    Clear {
        /// What is cleared.
        attachment: usize,
    },
    /// The next subpass begins.
    Next,
    /// Averages samples into the target's memory.
    Resolve {
        /// The multisampled source.
        from: usize,
        /// The target.
        to: usize,
        /// How the store works.
        store: StorePath,
    },
    /// Writes the attachment to memory.
    Store {
        /// What is written.
        attachment: usize,
        /// How the store works.
        store: StorePath,
        /// Whether bins without geometry skip it.
        conditional: bool,
    },
}

/// How a store or resolve reaches memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorePath {
    /// Whether a separate stencil plane is written.
    pub stencil: bool,
    /// Whether it takes the slow path.
    pub slow: bool,
    /// Whether the render area is not aligned.
    pub unaligned: bool,
}

impl fmt::Display for StorePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            [(self.stencil, "+stencil"), (self.slow, " SLOW"), (self.unaligned, " unaligned")];
        words.iter().filter(|(applies, _)| *applies).try_for_each(|(_, word)| f.write_str(word))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = |conditional| if conditional { " cond" } else { "" };
        match *self {
            Op::Load { attachment, stencil, conditional } => {
                let plane = if stencil { "+stencil" } else { "" };
                write!(f, "load a{attachment}{plane}{}", when(conditional))
            }
            Op::Reload { attachment } => write!(f, "load a{attachment} (reload after resolve)"),
            Op::Clear { attachment } => write!(f, "clear a{attachment}"),
            Op::Next => f.write_str("next"),
            Op::Resolve { from, to, store } => write!(f, "resolve a{from}->a{to}{store}"),
            Op::Store { attachment, store, conditional } => {
                write!(f, "store a{attachment}{store}{}", when(conditional))
            }
        }
    }
}

/// What the sequence depends on beside the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Alignment of render areas whose stores are fast, in pixels.
    pub align: [u32; 2],
    /// Whether bins without geometry are loaded and stored all the same.
    pub always_moves: bool,
    /// Whether 24 + 8 bits of depth and stencil are one plane.
    pub one_plane: bool,
    /// Whether some stores and resolves are slow.
    pub slow_paths: bool,
}

impl Rules {
    /// The rules of the open driver of a GPU that bins.
    #[must_use]
    pub fn open(binned: &Binned) -> Self {
        Rules {
            align: binned.store_align,
            always_moves: binned.generic_clear,
            one_plane: true,
            slow_paths: true,
        }
    }

    /// What is known of any other target: nothing is skipped and nothing is slow.
    #[must_use]
    pub fn plain(profile: &Profile) -> Self {
        Rules {
            align: [1, 1],
            always_moves: true,
            one_plane: profile.ds_one_plane,
            slow_paths: false,
        }
    }
}

/// What the driver makes of an attachment's load and store operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effective {
    /// Loads colour, depth, or depth and stencil in one plane.
    pub load: bool,
    /// Loads a separate stencil plane.
    pub load_stencil: bool,
    /// Clears any aspect.
    pub clear: bool,
    /// Stores colour, depth, or depth and stencil in one plane.
    pub store: bool,
    /// Stores a separate stencil plane.
    pub store_stencil: bool,
}

impl Effective {
    fn loads(self) -> bool {
        self.load || self.load_stencil
    }

    fn stores(self) -> bool {
        self.store || self.store_stencil
    }
}

/// The operations that remain of attachment `index`: 24 + 8 bits are one plane, whose aspects are
/// moved together.
#[must_use]
pub fn effective(pass: &PassShape, index: usize, rules: Rules) -> Effective {
    let attachment = &pass.attachments[index];
    let mut ops = by_format(attachment, rules);
    let is_resolve_target =
        pass.subpasses.iter().any(|subpass| subpass.resolves().any(|(_, to)| to == index));
    if !pass.is_drawn(index) {
        ops.load = false;
        ops.load_stencil = false;
        ops.clear = false;
        // Dynamic rendering has no store operation for resolve targets: they are always written.
        if pass.dynamic && is_resolve_target {
            let separate = attachment.format == vk::Format::D32_SFLOAT_S8_UINT;
            (ops.store, ops.store_stencil) = (true, separate);
        }
    }
    ops
}

fn by_format(attachment: &Attachment, rules: Rules) -> Effective {
    use vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};
    let (load, clear) = (attachment.load == Load::LOAD, attachment.load == Load::CLEAR);
    let store = attachment.store == Store::STORE;
    let stencil_load = attachment.stencil_load == Load::LOAD;
    let stencil_clear = attachment.stencil_load == Load::CLEAR;
    let stencil_store = attachment.stencil_store == Store::STORE;
    match attachment.format {
        vk::Format::D24_UNORM_S8_UINT if rules.one_plane => {
            let store = store || stencil_store;
            // An aspect that passes through a stored plane must be there to be stored.
            let passes_through =
                attachment.store == Store::NONE || attachment.stencil_store == Store::NONE;
            Effective {
                load: load || stencil_load || (store && passes_through),
                clear: clear || stencil_clear,
                store,
                ..Effective::default()
            }
        }
        vk::Format::S8_UINT => Effective {
            load: stencil_load,
            clear: stencil_clear,
            store: stencil_store,
            ..Effective::default()
        },
        vk::Format::D32_SFLOAT_S8_UINT
        | vk::Format::D24_UNORM_S8_UINT
        | vk::Format::D16_UNORM_S8_UINT => Effective {
            load,
            load_stencil: stencil_load,
            clear: clear || stencil_clear,
            store,
            store_stencil: stencil_store,
        },
        _ => Effective { load, clear, store, ..Effective::default() },
    }
}

/// Whether the density map has an effect: multisampled attachments that are loaded or stored make
/// the driver ignore it.
#[must_use]
pub fn density_map_applies(pass: &PassShape, rules: Rules) -> bool {
    let moves_samples = |index: usize| {
        let ops = by_format(&pass.attachments[index], rules);
        pass.attachments[index].samples > 1 && (ops.loads() || ops.stores())
    };
    pass.density_map && !(0..pass.attachments.len()).any(moves_samples)
}

/// Whether a store of attachment `index` misses the alignment of the fast path.
#[must_use]
pub fn is_unaligned(pass: &PassShape, index: usize, rules: Rules) -> bool {
    if density_map_applies(pass, rules) {
        return true;
    }
    let [width, height] = pass.attachments[index].extent.unwrap_or([pass.width, pass.height]);
    let area = pass.area;
    let off = |start: u32, length: u32, step: u32, edge: u32| {
        let end = start.saturating_add(length);
        !start.is_multiple_of(step) || (!end.is_multiple_of(step) && end != edge)
    };
    let [across, down] = rules.align;
    off(area.x, area.width, across, width) || off(area.y, area.height, down, height)
}

/// Whether the fast path can average samples into this format: no signed or wide first channel,
/// and not two channels of 8 bits.
#[must_use]
pub fn resolves_fast(target: vk::Format) -> bool {
    if format::is_depth_stencil(target) {
        return true;
    }
    if format::is_snorm(target) {
        return false;
    }
    let bits = format::channel_bits(target);
    let two_bytes = bits == [8, 8]
        && matches!(
            format::numeric(target),
            Some(Numeric::Unorm | Numeric::Uint | Numeric::Sint | Numeric::Srgb)
        );
    bits.first().is_some_and(|bits| *bits <= 10) && !two_bytes
}

/// Whether the pass needs the layout that leaves the colour cache its part of tile memory.
#[must_use]
pub fn needs_color_cache(pass: &PassShape, rules: Rules) -> bool {
    let attachment = |index: usize| {
        let format = pass.attachments[index].format;
        let ops = effective(pass, index, rules);
        (ops.stores() && is_unaligned(pass, index, rules))
            || (ops.store && format == vk::Format::S8_UINT)
            || (pass.is_resolved(index) && !resolves_fast(format))
    };
    let mut resolves = pass.subpasses.iter().flat_map(|subpass| subpass.resolves());
    (0..pass.attachments.len()).any(attachment)
        || resolves.any(|(from, to)| mutability_differs(pass, from, to))
}

fn mutability_differs(pass: &PassShape, from: usize, to: usize) -> bool {
    pass.attachments[from].mutable != pass.attachments[to].mutable
}

/// How the store of `to` out of the tile memory of `from` works.
fn path(pass: &PassShape, from: usize, to: usize, rules: Rules) -> StorePath {
    let (source, target) = (pass.attachments[from].format, pass.attachments[to].format);
    let to_stencil = target == vk::Format::S8_UINT;
    let unaligned = rules.slow_paths && is_unaligned(pass, to, rules);
    let slow = unaligned
        || (rules.slow_paths
            && from != to
            && (mutability_differs(pass, from, to)
                || (to_stencil && source == vk::Format::D24_UNORM_S8_UINT)
                || !resolves_fast(target)));
    let stencil = effective(pass, to, rules).store_stencil
        || (from != to && to_stencil && source == vk::Format::D32_SFLOAT_S8_UINT);
    StorePath { stencil, slow, unaligned }
}

/// The operations of each bin. Without tiles (`in_bins` false) nothing is stored at the end of
/// the pass: draws have written memory.
#[must_use]
pub fn sequence(pass: &PassShape, visibility: Visibility, rules: Rules, in_bins: bool) -> Vec<Op> {
    let resolve = |from: usize, to: usize| {
        let store = path(pass, from, to, rules);
        effective(pass, to, rules).stores().then_some(Op::Resolve { from, to, store })
    };
    let mut ops = Vec::new();
    for (index, subpass) in pass.subpasses.iter().enumerate() {
        begin(pass, index, visibility, rules, &mut ops);
        if index + 1 < pass.subpasses.len() {
            for (from, to) in subpass.resolves() {
                ops.extend(resolve(from, to));
                if pass.is_drawn(to) {
                    ops.push(Op::Reload { attachment: to });
                }
            }
            ops.push(Op::Next);
        } else if in_bins {
            ops.extend(subpass.resolves().filter_map(|(from, to)| resolve(from, to)));
        }
    }
    if !in_bins {
        return ops;
    }
    for attachment in 0..pass.attachments.len() {
        let own = effective(pass, attachment, rules);
        if pass.is_drawn(attachment) && own.stores() {
            let conditional = visibility.possible && !rules.always_moves && !own.clear;
            let store = path(pass, attachment, attachment, rules);
            ops.push(Op::Store { attachment, store, conditional });
        }
    }
    ops
}

/// Loads, then clears, of the attachments that subpass `index` is the first to use.
fn begin(pass: &PassShape, index: usize, visibility: Visibility, rules: Rules, ops: &mut Vec<Op>) {
    let first = |attachment: &usize| pass.first_use(*attachment) == Some(index);
    let attachments: Vec<usize> = (0..pass.attachments.len()).filter(first).collect();
    for attachment in &attachments {
        let own = effective(pass, *attachment, rules);
        if own.loads() {
            let skippable = !own.clear && !pass.is_resolved(*attachment);
            ops.push(Op::Load {
                attachment: *attachment,
                stencil: own.load_stencil,
                conditional: visibility.used && !rules.always_moves && skippable,
            });
        }
    }
    let cleared = attachments.into_iter().filter(|index| effective(pass, *index, rules).clear);
    ops.extend(cleared.map(|attachment| Op::Clear { attachment }));
}
