//! In which stages, and how, a step uses an image.

use ash::vk;
use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};

use crate::model::{Attachment, ImageId, ImageRead, Pass, Read, Roles, Step};

/// How something uses an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Stages.
    pub stages: S,
    /// Accesses.
    pub access: A,
    /// Some of them write.
    pub writes: bool,
}

impl Use {
    fn new(stages: S, access: A, writes: bool) -> Self {
        Self { stages, access, writes }
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            stages: self.stages | other.stages,
            access: self.access | other.access,
            writes: self.writes || other.writes,
        }
    }

    /// Nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// How a step uses images, in no order and some of them more than once; `None` where that is not
/// known of an image, or not of any. What the host does is left out.
pub fn all(step: &Step) -> Option<Vec<(ImageId, Option<Use>)>> {
    let read = |read: &ImageRead| (read.image, as_descriptor(read));
    Some(match step {
        Step::Pass(pass) if pass.unknown || pass.shape.opaque => return None,
        Step::Pass(pass) => {
            let named = pass.shape.attachments.iter().filter_map(|attachment| {
                let how = (!attachment.is_rate()).then(|| as_attachment(pass, attachment));
                Some((attachment.image.as_ref()?.id, how))
            });
            named.chain(pass.reads.iter().map(read)).collect()
        }
        Step::Dispatch { reads, .. } => reads.iter().map(read).collect(),
        Step::Transfer(transfer) => {
            let from = Use::new(S::ALL_TRANSFER, A::TRANSFER_READ, false);
            let to = Use::new(S::ALL_TRANSFER, A::TRANSFER_WRITE, true);
            let ends = [(transfer.from, from), (transfer.to, to)];
            ends.into_iter().filter_map(|(image, how)| Some((image?, Some(how)))).collect()
        }
        _ => Vec::new(),
    })
}

fn as_descriptor(read: &ImageRead) -> Option<Use> {
    let both = A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE;
    let stages = shader_stages(read)?;
    match read.how {
        Read::Sampled => Some(Use::new(stages, A::SHADER_SAMPLED_READ, false)),
        Read::Storage => Some(Use::new(stages, both, true)),
        _ => None,
    }
}

/// The stages that a descriptor may be read in; `None` where they are not known or not among
/// those that masks are computed for.
pub fn shader_stages(read: &ImageRead) -> Option<S> {
    use vk::ShaderStageFlags as F;
    let known = F::VERTEX | F::FRAGMENT | F::COMPUTE;
    if read.stages.is_empty() || !known.contains(read.stages) {
        return None;
    }
    let pairs = [
        (F::VERTEX, S::VERTEX_SHADER),
        (F::FRAGMENT, S::FRAGMENT_SHADER),
        (F::COMPUTE, S::COMPUTE_SHADER),
    ];
    let named = pairs.into_iter().filter(|(stage, _)| read.stages.contains(*stage));
    Some(named.fold(S::empty(), |all, (_, stage)| all | stage))
}

fn as_attachment(pass: &Pass, attachment: &Attachment) -> Use {
    let mut all = Use::default();
    let facts = || pass.facts.get(attachment.slot as usize).into_iter().flatten();
    if attachment.roles.any(Roles::COLOR.or(Roles::RESOLVE)) {
        let loads = |load| {
            !matches!(load, Some(vk::AttachmentLoadOp::CLEAR | vk::AttachmentLoadOp::DONT_CARE))
        };
        let reads = attachment.aspects.iter().any(|ops| loads(ops.load)) || facts().any(|f| f.read);
        let read = if reads && attachment.roles.any(Roles::COLOR) {
            A::COLOR_ATTACHMENT_READ
        } else {
            A::empty()
        };
        let access = A::COLOR_ATTACHMENT_WRITE | read;
        all = all.and(Use::new(S::COLOR_ATTACHMENT_OUTPUT, access, true));
    }
    if attachment.roles.any(Roles::DEPTH_STENCIL) {
        let writes = attachment.aspects.iter().any(|ops| ops.named && !ops.read_only);
        let write = if writes { A::DEPTH_STENCIL_ATTACHMENT_WRITE } else { A::empty() };
        let stages = S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS;
        all = all.and(Use::new(stages, A::DEPTH_STENCIL_ATTACHMENT_READ | write, writes));
    }
    if attachment.roles.any(Roles::INPUT) {
        all = all.and(Use::new(S::FRAGMENT_SHADER, A::INPUT_ATTACHMENT_READ, false));
    }
    all
}
