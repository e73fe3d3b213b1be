//! In which stages, and how, a step uses an image.

use ash::vk;
use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};

use crate::call::HostAccess;
use crate::model::{Attachment, HostStep, Image, ImageId, ImageRead, Pass, Read, Roles, Step};

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

/// How a step uses an image; `None` where that is not known.
pub fn of(step: &Step, image: &Image) -> Option<Use> {
    let id = image.id;
    let both = A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE;
    let read = |reads: &[ImageRead]| {
        reads.iter().filter(|r| r.image == id).try_fold(Use::default(), |all, read| {
            let stages = shader_stages(read)?;
            Some(all.and(match read.how {
                Read::Sampled => Use::new(stages, A::SHADER_SAMPLED_READ, false),
                Read::Storage => Use::new(stages, both, true),
                _ => return None,
            }))
        })
    };
    Some(match step {
        Step::Pass(pass) if pass.unknown || pass.shape.opaque => return None,
        Step::Pass(pass) => in_pass(pass, id)?.and(read(&pass.reads)?),
        Step::Dispatch { reads, .. } => read(reads)?,
        Step::Transfer(transfer) => {
            let from = if transfer.from == Some(id) { A::TRANSFER_READ } else { A::empty() };
            let to = if transfer.to == Some(id) { A::TRANSFER_WRITE } else { A::empty() };
            let access = from | to;
            let stages = if access.is_empty() { S::empty() } else { S::ALL_TRANSFER };
            Use::new(stages, access, !to.is_empty())
        }
        Step::Host { what, .. } => match &**what {
            HostStep::Access(access) if touches(access, image) => return None,
            _ => Use::default(),
        },
        _ => Use::default(),
    })
}

fn touches(access: &HostAccess, image: &Image) -> bool {
    access.object == image.key.into()
        || image.placement.memory.is_some_and(|memory| access.object == memory.into())
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

fn in_pass(pass: &Pass, id: ImageId) -> Option<Use> {
    let named = |a: &&Attachment| a.image.as_ref().is_some_and(|image| image.id == id);
    pass.shape.attachments.iter().filter(named).try_fold(Use::default(), |all, attachment| {
        if attachment.is_rate() {
            return None;
        }
        Some(all.and(as_attachment(pass, attachment)))
    })
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
